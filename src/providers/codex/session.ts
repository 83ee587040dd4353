/** One thread of an app-server as a session: turns, events in wire order, questions, interrupt, and the end. */
import type { SubagentCapabilities } from '../../contract/capabilities.ts'
import type { ContentBlock } from '../../contract/content.ts'
import { SubagentError } from '../../contract/errors.ts'
import { isRecord } from '../../contract/json.ts'
import type { ProviderSession, SetupScope, Turn } from '../../contract/provider.ts'
import type { TurnOutcome } from '../../contract/result.ts'
import { METHOD_NOT_FOUND, RpcError } from '../../wire/rpc-error.ts'
import { askedOf } from './approvals.ts'
import { CODEX_ROWS } from './capabilities.ts'
import { failureOf } from './errors.ts'
import { read, turnAnswer, turnCompleted, usageSaid } from './protocol.ts'
import type { CompletedTurn } from './protocol.ts'
import type { CodexServer, ThreadListener } from './server.ts'
import { turnInput, turnParams } from './thread.ts'
import { NOTHING_SHOWN, translate } from './translate.ts'
import type { Shown } from './translate.ts'
import { NO_USAGE, turnUsage, usageOf } from './usage.ts'
import type { TurnUsage } from './usage.ts'

export interface SessionContext {
  readonly name: string
  readonly server: CodexServer
  readonly setup: SetupScope
  /** Gives the process back: it ends with its last thread unless it is kept warm. */
  release(): Promise<readonly number[]>
  /** Ends what the thread's commands left running. */
  endCommands(threadId: string): Promise<readonly number[]>
}

interface TurnState {
  readonly turn: Turn
  readonly completed: PromiseWithResolvers<CompletedTurn>
  turnId: string | undefined
  shown: Shown
  usage: TurnUsage
}

/** Codex answers an interrupt within a few hundredths of a second; longer, and its process goes with the run. */
const INTERRUPT_MS = 2000

export class CodexSession implements ProviderSession, ThreadListener {
  readonly capabilities: SubagentCapabilities = CODEX_ROWS
  readonly nativeId: string
  readonly #context: SessionContext
  readonly #listening: Disposable
  #current: TurnState | undefined
  #end: Promise<void> | undefined

  constructor(context: SessionContext, threadId: string) {
    this.#context = context
    this.nativeId = threadId
    this.#listening = context.server.listen(threadId, this)
    void context.server.lost.then(() => this[Symbol.asyncDispose]())
  }

  get usable(): boolean {
    return this.#context.server.alive && this.#end === undefined
  }

  async prompt(content: readonly ContentBlock[], turn: Turn): Promise<TurnOutcome> {
    if (turn.signal.aborted) return { ended: 'cancelled' }
    const { server } = this.#context
    const state: TurnState = {
      turn,
      completed: Promise.withResolvers(),
      turnId: undefined,
      shown: NOTHING_SHOWN,
      usage: NO_USAGE,
    }
    this.#current = state
    const stop = (): void => void this.#interrupt(state)
    turn.signal.addEventListener('abort', stop, { once: true })
    try {
      const answer = await server.request('turn/start', turnParams(this.nativeId, content, turn.request))
      state.turnId = read(turnAnswer, answer)?.turn.id
      if (turn.signal.aborted) stop()
      const ended = await Promise.race([state.completed.promise, server.lost])
      if (SubagentError.is(ended)) throw ended
      return await this.#concluded(ended, state)
    } finally {
      turn.signal.removeEventListener('abort', stop)
      this.#current = undefined
    }
  }

  async steer(content: readonly ContentBlock[]): Promise<void> {
    const expectedTurnId = this.#current?.turnId
    if (expectedTurnId === undefined) throw noTurn()
    const input = turnInput(content)
    await this.#context.server.request('turn/steer', { threadId: this.nativeId, input, expectedTurnId })
  }

  /** Synchronous, in wire order. */
  notification(method: string, params: unknown, bytes: number): void {
    const state = this.#current
    if (method === 'turn/completed') {
      const said = read(turnCompleted, params)
      if (said === undefined || state === undefined) return
      if (state.turnId === undefined || said.turn.id === state.turnId) state.completed.resolve(said.turn)
      return
    }
    if (method === 'thread/tokenUsage/updated' && state !== undefined) {
      const said = read(usageSaid, params)
      if (said !== undefined) state.usage = turnUsage(state.usage, said.tokenUsage)
    }
    const { events, shown } = translate(method, params, state?.shown ?? NOTHING_SHOWN)
    if (state !== undefined) state.shown = shown
    for (const event of events) {
      if (state !== undefined) state.turn.emit(event, bytes)
      else if (event.type === 'session/update')
        this.#context.setup.record({ type: 'session/late_update', update: event.update })
    }
  }

  /** Every request gets an answer: a person's, policy's, or that nobody here can (C24). */
  async request(method: string, params: unknown): Promise<unknown> {
    const asked = askedOf(method, params)
    if (asked.kind === 'unknown') throw new RpcError(METHOD_NOT_FOUND, `Not served here: ${method}`)
    if (asked.kind === 'answer') return asked.result
    const state = this.#current
    const outcome = await (state?.turn.requestPermission(asked.question) ?? { outcome: 'cancelled' as const })
    return asked.answer(outcome)
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#end ??= this.#stop()
    return this.#end
  }

  async #interrupt({ turnId }: TurnState): Promise<void> {
    // Before its answer the turn has no name; it is interrupted when it has one.
    if (turnId === undefined) return
    const { server } = this.#context
    const params = { threadId: this.nativeId, turnId }
    await server.request('turn/interrupt', params, AbortSignal.timeout(INTERRUPT_MS)).catch(() => {})
    await this.#cleanTerminals()
  }

  /** An interrupted turn leaves its running command alive. */
  async #cleanTerminals(): Promise<void> {
    const { server } = this.#context
    const limit = AbortSignal.timeout(INTERRUPT_MS)
    await server
      .request('thread/backgroundTerminals/clean', { threadId: this.nativeId }, limit)
      .catch(() => {})
  }

  async #concluded({ status, error }: CompletedTurn, state: TurnState): Promise<TurnOutcome> {
    const usage = usageOf(state.usage)
    const more = usage === undefined ? {} : { usage }
    if (status === 'completed') return { ended: 'completed', ...more }
    if (status === 'interrupted') {
      await this.#cleanTerminals()
      return { ended: 'cancelled', ...more }
    }
    const { name, server } = this.#context
    const said = error ?? { message: `The turn ended ${status}.` }
    const failure = failureOf({ ...said, message: server.process.mask(said.message) }, name)
    if ('error' in failure) throw failure.error
    return { ended: 'truncated', category: failure.truncated, ...more }
  }

  async #stop(): Promise<void> {
    const { server, setup, name } = this.#context
    if (server.alive) {
      await this.#cleanTerminals()
      await server
        .request('thread/unsubscribe', { threadId: this.nativeId }, AbortSignal.timeout(INTERRUPT_MS))
        .catch(() => {})
    }
    this.#listening[Symbol.dispose]()
    const escaped = [
      ...(await this.#context.endCommands(this.nativeId)),
      ...(await this.#context.release()),
    ]
    if (escaped.length === 0) return
    const title = `Processes of ${name} escaped and are still running: ${escaped.join(', ')}.`
    setup.record({ type: 'notice', severity: 'warning', title, data: { escaped } })
  }
}

const noTurn = (): SubagentError =>
  new SubagentError(
    'INVALID_REQUEST',
    'prompt',
    'No turn runs that could take the text. Send it as a prompt.',
    {
      field: 'content',
    },
  )

export const threadIdOf = (answer: unknown): string | undefined =>
  isRecord(answer) && isRecord(answer['thread']) && typeof answer['thread']['id'] === 'string'
    ? answer['thread']['id']
    : undefined
