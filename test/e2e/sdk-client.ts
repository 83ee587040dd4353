/** A client of the built program on the official SDK, with its typed handlers and its own checks of what comes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import * as acp from '@agentclientprotocol/sdk/unstable'
import { PROGRAM } from './built.ts'
import { until } from './cli-rig.ts'
import type { Rig } from './cli-rig.ts'

const { methods } = acp

export type Answer = (request: acp.RequestPermissionRequest) => Promise<acp.RequestPermissionOutcome>

export interface SdkClient extends AsyncDisposable {
  readonly agent: acp.ClientContext
  readonly initialized: acp.InitializeResponse
  readonly updates: readonly acp.SessionNotification[]
  readonly asked: readonly acp.RequestPermissionRequest[]
  /** What the SDK would not take: it says so on the console. */
  readonly faults: readonly string[]
  open(): Promise<acp.NewSessionResponse>
  prompt(sessionId: string, text: string): Promise<acp.PromptResponse>
  said(sessionId: string): string
  heard(text: string): Promise<void>
  /** Closes its input, as a client does that leaves; resolves with its exit code. */
  leave(): Promise<number | null>
}

export const sdkClient = async (
  rig: Rig,
  args: readonly string[],
  answer: Answer = () => Promise.resolve({ outcome: 'cancelled' }),
): Promise<SdkClient> => {
  const child = spawn(process.execPath, [PROGRAM, 'acp', ...args], {
    cwd: rig.work,
    env: rig.env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit') as Promise<[number | null]>
  const updates: acp.SessionNotification[] = []
  const asked: acp.RequestPermissionRequest[] = []
  const faults: string[] = []
  const say = console.error
  console.error = (...words: unknown[]) =>
    void faults.push(words.map((word) => JSON.stringify(word)).join(' '))
  const { agent, closed } = acp
    .client({ name: 'sdk-client' })
    // The first handler: behind others its updates would come after the answer of their turn.
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params))
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      asked.push(params)
      return { outcome: await answer(params) }
    })
    .connect(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)))
  const initialized = await agent.request(methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: {},
    clientInfo: { name: 'sdk-client', version: '1.0.0' },
  })
  const said = (sessionId: string): string =>
    updates
      .map(({ sessionId: own, update }) =>
        own === sessionId && update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
          ? update.content.text
          : '',
      )
      .join('')
  const leave = async (): Promise<number | null> => {
    child.stdin.end()
    const [code] = await exited
    await closed
    return code
  }
  return {
    agent,
    initialized,
    updates,
    asked,
    faults,
    open: () => agent.request(methods.agent.session.new, { cwd: rig.work, mcpServers: [] }),
    prompt: (sessionId, text) =>
      agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] }),
    said,
    heard: (text) => until(() => updates.some(({ update }) => JSON.stringify(update).includes(text))),
    leave,
    async [Symbol.asyncDispose]() {
      console.error = say
      child.stdin.end()
      await exited
    },
  }
}
