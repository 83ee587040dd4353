/** An editor on the official SDK before the built program: with buffers that aren't saved, terminals, and a person for forms. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import * as acp from '@agentclientprotocol/sdk/unstable'
import { PROGRAM } from './built.ts'
import type { Rig } from './cli-rig.ts'

const { client: methods, agent: agentMethods } = acp.methods

/** In the order in which it came. */
export interface Heard {
  readonly method: string
  readonly params: any
}

export interface SdkEditorOptions {
  readonly args: readonly string[]
  readonly capabilities: acp.ClientCapabilities
  /** Text that isn't on disk, by path. */
  readonly buffers?: Readonly<Record<string, string>>
  /** The person; absent: never answers. */
  readonly answers?: (asked: any) => acp.CreateElicitationResponse
}

export interface SdkEditor extends AsyncDisposable {
  readonly agent: acp.ClientContext
  readonly child: ChildProcess
  readonly heard: Heard[]
  of(method: string): readonly any[]
  updates(sessionId?: string): readonly any[]
  said(sessionId: string): string
  open(): Promise<string>
  prompt(sessionId: string, text: string): Promise<acp.PromptResponse>
}

export const sdkEditor = async (rig: Rig, options: SdkEditorOptions): Promise<SdkEditor> => {
  const child = spawn(process.execPath, [PROGRAM, 'acp', ...options.args], {
    cwd: rig.work,
    env: rig.env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const heard: Heard[] = []
  const buffers = new Map(Object.entries(options.buffers ?? {}))
  let terminals = 0
  const note = (method: string, params: unknown): void => void heard.push({ method, params })
  const connection = acp
    .client({ name: 'sdk-editor' })
    .onNotification(methods.session.update, ({ params }) => note('session/update', params))
    .onRequest(methods.fs.readTextFile, ({ params }) => {
      note('fs/read_text_file', params)
      const content = buffers.get(params.path)
      if (content === undefined) throw acp.RequestError.resourceNotFound(params.path)
      return { content }
    })
    .onRequest(methods.fs.writeTextFile, ({ params }) => {
      note('fs/write_text_file', params)
      buffers.set(params.path, params.content)
    })
    .onRequest(methods.terminal.create, ({ params }) => {
      note('terminal/create', params)
      terminals += 1
      return { terminalId: `editor-${terminals}` }
    })
    .onRequest(methods.terminal.waitForExit, ({ params }) => {
      note('terminal/wait_for_exit', params)
      return { exitCode: 0 }
    })
    .onRequest(methods.terminal.release, ({ params }) => {
      note('terminal/release', params)
    })
    .onRequest(methods.elicitation.create, ({ params, signal }) => {
      note('elicitation/create', params)
      if (options.answers !== undefined) return options.answers(params)
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          note('withdrawn', params)
          reject(acp.RequestError.requestCancelled())
        })
      })
    })
    .onNotification(methods.elicitation.complete, ({ params }) => note('elicitation/complete', params))
    .connect(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)))
  const { agent } = connection
  await agent.request(agentMethods.initialize, {
    protocolVersion: 1,
    clientCapabilities: options.capabilities,
  })
  const updates = (sessionId?: string): readonly any[] =>
    heard.flatMap(({ method, params }) =>
      method === 'session/update' && (sessionId === undefined || params.sessionId === sessionId)
        ? [params.update]
        : [],
    )
  return {
    agent,
    child,
    heard,
    updates,
    of: (method) => heard.flatMap((one) => (one.method === method ? [one.params] : [])),
    said: (sessionId) =>
      updates(sessionId)
        .flatMap(({ sessionUpdate, content }) =>
          sessionUpdate === 'agent_message_chunk' ? [String(content.text)] : [],
        )
        .join(''),
    open: async () => {
      const params: acp.NewSessionRequest = { cwd: rig.work, mcpServers: [] }
      const { sessionId } = await agent.request(agentMethods.session.new, params)
      return sessionId
    },
    prompt: (sessionId, text) =>
      agent.request(agentMethods.session.prompt, { sessionId, prompt: [{ type: 'text', text }] }),
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
      await exited
      clearTimeout(timer)
    },
  }
}
