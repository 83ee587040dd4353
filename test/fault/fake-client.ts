/** Starts fake agents and holds a bare peer to each; all that was started is gone after each test. */
import { spawn } from 'node:child_process'
import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import { fakeAgentCommand } from '../../src/testing/fake-agent.ts'
import type { FakeLogEntry, FakeStep } from '../../src/testing/fake-agent.ts'
import type { Diagnostic } from '../../src/wire/diagnostic.ts'
import { JsonRpcPeer } from '../../src/wire/peer.ts'
import type { PeerOptions } from '../../src/wire/peer.ts'
import { RpcError } from '../../src/wire/rpc-error.ts'

export interface FakeClient {
  readonly child: ChildProcessWithoutNullStreams
  readonly peer: JsonRpcPeer
  readonly updates: Update[]
  readonly diagnostics: Diagnostic[]
  readonly exited: Promise<[number | null, string | null]>
  open(): Promise<void>
  prompt(text?: string): Promise<unknown>
  text(): string
  cancel(): void
  stderrBytes(): number
}

const children: ChildProcess[] = []
const directories: string[] = []

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  }
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
})

export const logFile = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'subgate-fake-'))
  directories.push(directory)
  return join(directory, 'log.jsonl')
}

export const logOf = (file: string): FakeLogEntry[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as FakeLogEntry)

export interface Update {
  readonly sessionId: string
  readonly update: { readonly sessionUpdate: string; readonly content?: { readonly text?: string } }
}

export const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
}

export const start = (script: readonly FakeStep[], options: Partial<PeerOptions> = {}): FakeClient => {
  const { command, args } = fakeAgentCommand(script)
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  children.push(child)
  const updates: Update[] = []
  const diagnostics: Diagnostic[] = []
  let stderrBytes = 0
  const peer = new JsonRpcPeer({
    write: (line) => child.stdin.write(line),
    request: (method) => {
      throw new RpcError(-32601, `Method not found: ${method}`)
    },
    notification: (_method, params) => updates.push(params as Update),
    diagnostic: (diagnostic) => diagnostics.push(diagnostic),
    ...options,
  })
  child.stdout.on('data', (chunk: Buffer) => peer.receive(chunk))
  child.stdout.on('end', () => peer.end())
  child.stderr.on('data', (chunk: Buffer) => (stderrBytes += chunk.length))
  child.stdin.on('error', () => {})
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>
  const open = async (): Promise<void> => {
    await peer.request('initialize', { protocolVersion: 1 }, { timeoutMs: 10_000 })
    await peer.request('session/new', { cwd: '/', mcpServers: [] }, { timeoutMs: 10_000 })
  }
  const prompt = (text = 'go'): Promise<unknown> =>
    peer.request('session/prompt', { sessionId: 's1', prompt: [{ type: 'text', text }] })
  const text = (): string => updates.map(({ update }) => update.content?.text ?? '').join('')
  const cancel = (): void => peer.notify('session/cancel', { sessionId: 's1' })
  const facts = { stderrBytes: () => stderrBytes }
  return { child, peer, updates, diagnostics, exited, open, prompt, text, cancel, ...facts }
}
