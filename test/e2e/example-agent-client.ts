/** A recording ACP client of the example agent, on the official SDK over stdio. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import * as acp from '@agentclientprotocol/sdk/unstable'

export const MAIN: string = join(import.meta.dirname, '../../examples/agent/main.ts')
const { methods } = acp

export type Outcome = acp.RequestPermissionOutcome
export type Answer = (request: acp.RequestPermissionRequest) => Outcome | Promise<Outcome>
export const choose =
  (optionId: string): Answer =>
  () => ({ outcome: 'selected', optionId })

export interface StartOptions {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export interface ExampleAgent extends AsyncDisposable {
  readonly agent: acp.ClientContext
  readonly asked: readonly acp.RequestPermissionRequest[]
  readonly child: ChildProcess
  readonly exited: Promise<unknown[]>
  readonly initialized: acp.InitializeResponse
  readonly updates: readonly acp.SessionNotification[]
  open(more?: Partial<acp.NewSessionRequest>): Promise<string>
  prompt(sessionId: string, text: string): Promise<acp.PromptResponse>
  cancel(sessionId: string): Promise<void>
  kinds(): readonly string[]
  /** Messages in order, each put together from its chunks. */
  said(): readonly string[]
}

/** The agent, initialized, with everything that it sent recorded; `answer` is the person. */
export const startAgent = async (
  cwd: string,
  answer: Answer = choose('once'),
  options: StartOptions = {},
): Promise<ExampleAgent> => {
  const child = spawn(process.execPath, [MAIN, ...(options.args ?? [])], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...options.env },
  })
  const exited = once(child, 'exit')
  const updates: acp.SessionNotification[] = []
  const asked: acp.RequestPermissionRequest[] = []
  const connection = acp
    .client({ name: 'test' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params))
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      asked.push(params)
      return { outcome: await answer(params) }
    })
    .connect(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)))
  const { agent } = connection
  const initialized = await agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: {},
  })
  const open = async (more: Partial<acp.NewSessionRequest> = {}): Promise<string> => {
    const params = { cwd, mcpServers: [], ...more }
    return (await agent.request(methods.agent.session.new, params)).sessionId
  }
  const prompt = (sessionId: string, text: string): Promise<acp.PromptResponse> =>
    agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] })
  return {
    agent,
    asked,
    child,
    exited,
    initialized,
    open,
    prompt,
    updates,
    cancel: (sessionId: string) => agent.notify(methods.agent.session.cancel, { sessionId }),
    kinds: () => updates.map(({ update }) => update.sessionUpdate),
    said: (): readonly string[] => {
      const messages = new Map<string, string>()
      for (const { update } of updates)
        if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text')
          messages.set(update.messageId!, (messages.get(update.messageId!) ?? '') + update.content.text)
      return [...messages.values()]
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await exited
    },
  }
}

/** Waits until it holds; fails loudly after ten seconds. */
export const until = async (holds: () => boolean): Promise<void> => {
  const deadline = Date.now() + 10_000
  while (!holds()) {
    if (Date.now() > deadline) throw new Error('waited in vain')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
