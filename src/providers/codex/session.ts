/** One thread of an app-server as a session: turns, events in wire order, questions, interrupt, and the end. */
import type { SubagentCapabilities } from '../../contract/capabilities.ts'
import type { ContentBlock } from '../../contract/content.ts'
import { SubagentError } from '../../contract/errors.ts'
import type { JsonObject } from '../../contract/json.ts'
import { present } from '../../contract/present.ts'
import type { ProviderSession, SetupScope, Turn } from '../../contract/provider.ts'
import type { PermissionPolicy } from '../../contract/request.ts'
import type { TurnOutcome } from '../../contract/result.ts'
import type { Lease } from '../../process/warm-pool.ts'
import { METHOD_NOT_FOUND, RpcError } from '../../wire/rpc-error.ts'
import { askedOf } from './approvals.ts'
import { CODEX_ROWS } from './capabilities.ts'
import { failureOf } from './errors.ts'
import { itemSaid, read, turnAnswer, turnCompleted, usageSaid } from './protocol.ts'
import type { CodexItem, CompletedTurn } from './protocol.ts'
import type { CodexServer } from './server.ts'
import { turnInput, turnParams } from './thread.ts'
import type { ThreadListener } from './threads.ts'
import { NOTHING_SHOWN, translate } from './translate.ts'
import type { Shown } from './translate.ts'
import { NO_USAGE, turnUsage, usageOf } from './usage.ts'
import type { TurnUsage } from './usage.ts'

export interface SessionContext {
  readonly name: string
  readonly server: CodexServer
  readonly setup: SetupScope
  /** The agent's configured permission policy. */
  readonly configured: PermissionPolicy | undefined
  readonly lease: Pick<Lease<CodexServer>, 'retire' | 'release'>
  /** Ends what the thread's commands left running; `all`: its servers too. */
  readonly endProcesses: (threadId: string, all: boolean) => Promise<readonly number[]>
}

interface TurnState {
  readonly turn: Turn
  readonly completed: PromiseWithResolvers<CompletedTurn>
  /** Ends that came before the turn had a name; another turn's may be among them. */
  readonly early: CompletedTurn[]
  /** Undefined when it ended without a name. */
  readonly named: PromiseWithResolvers<string | undefined>
  turnId: string | undefined
  shown: Shown
  usage: TurnUsage
}

/** Codex answers these within a few hundredths of a second; one that doesn't is given to nobody else. */
const ANSWER_MS = 2000

export class CodexSession implements ProviderSession, ThreadListener {
  readonly capabilities: SubagentCapabilities = CODEX_ROWS
  readonly nativeId: string
  readonly #context: SessionContext
  readonly #listening: Disposable
  readonly #running = new Map<string, CodexItem>()
  /** How its process ended was told by a turn's failure. */
  #told = false
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
      early: [],
      named: Promise.withResolvers(),
      turnId: undefined,
      shown: NOTHING_SHOWN,
      usage: NO_USAGE,
    }
    this.#current = state
    const stop = (): void => void this.#interrupt(state)
    turn.signal.addEventListener('abort', stop, { once: true })
    try {
      const params = turnParams(this.nativeId, content, turn.request, this.#context.configured)
      const answer = await server.request('turn/start', params, { phase: 'prompt' })
      this.#name(state, read(turnAnswer, answer)?.turn.id)
      if (turn.signal.aborted) stop()
      const ended = await Promise.race([state.completed.promise, server.lost])
      if (SubagentError.is(ended)) throw ended
      return await this.#concluded(ended, state)
    } catch (error) {
      this.#told = SubagentError.is(error) && error.code === 'AGENT_EXITED'
      throw error
    } finally {
      turn.signal.removeEventListener('abort', stop)
      state.named.resolve(undefined)
      this.#current = undefined
    }
  }

  async steer(content: readonly ContentBlock[]): Promise<void> {
    const expectedTurnId = await this.#current?.named.promise
    if (expectedTurnId === undefined) throw noTurn()
    const params = { threadId: this.nativeId, input: turnInput(content, 'prompt'), expectedTurnId }
    await this.#context.server.request('turn/steer', params, { phase: 'prompt' })
  }

  /** Synchronous, in wire order. */
  notification(method: string, params: unknown, bytes: number): void {
    const state = this.#current
    if (method === 'turn/completed') {
      const said = read(turnCompleted, params)
      if (said === undefined || state === undefined) return
      if (state.turnId === undefined) state.early.push(said.turn)
      else if (said.turn.id === state.turnId) state.completed.resolve(said.turn)
      return
    }
    this.#follow(method, params)
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
      else if (event.type === 'notice') this.#context.setup.record(event)
    }
  }

  /** Every request gets an answer: a person's, policy's, or that nobody here can (C24). */
  async request(method: string, params: unknown): Promise<unknown> {
    const asked = askedOf(method, params, this.#running)
    const state = this.#current
    if (asked.kind === 'unknown') {
      const title = `Codex asked for "${method}", which isn't known here; it was told so.`
      const notice = { type: 'notice', severity: 'warning', title } as const
      if (state === undefined) this.#context.setup.record(notice)
      else state.turn.emit(notice)
      throw new RpcError(METHOD_NOT_FOUND, `Not served here: ${method}`)
    }
    if (asked.kind === 'answer') return asked.result
    if (asked.kind === 'form') return asked.form.answer(await this.#askClient(asked.form.params, state?.turn))
    const outcome = await (state?.turn.requestPermission(asked.question) ?? { outcome: 'cancelled' as const })
    return asked.answer(outcome)
  }

  /** Undefined: nobody can be asked. */
  async #askClient(params: JsonObject, turn: Turn | undefined): Promise<JsonObject | undefined> {
    const { client } = this.#context.setup
    if (client === undefined || turn === undefined) return undefined
    const answer = await client.request({ method: 'elicitation/create', params, signal: turn.signal })
    return 'result' in answer ? answer.result : undefined
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#end ??= this.#stop()
    return this.#end
  }

  #name(state: TurnState, turnId: string | undefined): void {
    if (turnId === undefined)
      throw new SubagentError(
        'PROTOCOL_ERROR',
        'prompt',
        'Codex answered turn/start without a turn. Update it.',
        {
          method: 'turn/start',
        },
      )
    state.turnId = turnId
    state.named.resolve(turnId)
    const ended = state.early.find(({ id }) => id === turnId)
    if (ended !== undefined) state.completed.resolve(ended)
  }

  #follow(method: string, params: unknown): void {
    if (method !== 'item/started' && method !== 'item/completed') return
    const item = read(itemSaid, params)?.item
    if (item === undefined) return
    if (method === 'item/started') this.#running.set(item.id, item)
    else this.#running.delete(item.id)
  }

  async #interrupt({ turnId }: TurnState): Promise<void> {
    // Before its answer the turn has no name; it is interrupted when it has one.
    if (turnId === undefined) return
    await this.#tell('turn/interrupt', { turnId })
    await this.#endCommands()
  }

  /** An interrupted turn leaves its running command alive. */
  async #endCommands(): Promise<void> {
    await this.#tell('thread/backgroundTerminals/clean')
    await this.#context.endProcesses(this.nativeId, false)
  }

  /** What must not hold up an end. */
  async #tell(method: string, more: object = {}): Promise<void> {
    const { server, lease } = this.#context
    const signal = AbortSignal.timeout(ANSWER_MS)
    try {
      await server.request(method, { threadId: this.nativeId, ...more }, { phase: 'prompt', signal })
    } catch {
      // It said no, as to the interrupt of a turn that has just ended; or it said nothing.
      if (signal.aborted) lease.retire()
    }
  }

  async #concluded({ status, error }: CompletedTurn, state: TurnState): Promise<TurnOutcome> {
    const usage = usageOf(state.usage)
    const more = usage === undefined ? {} : { usage }
    if (status === 'completed') return { ended: 'completed', ...more }
    if (status === 'interrupted') {
      await this.#endCommands()
      return { ended: 'cancelled', ...more }
    }
    const { name, server } = this.#context
    const said = error ?? { message: `The turn ended ${status}.` }
    const moment = { now: Date.now(), resetMs: server.resetMs }
    const failure = failureOf({ ...said, message: server.process.mask(said.message) }, name, moment)
    if ('error' in failure) throw failure.error
    return { ended: 'truncated', category: failure.truncated, ...more }
  }

  async #stop(): Promise<void> {
    const { server, name, lease, endProcesses } = this.#context
    // Taken in order; neither needs the other's answer.
    const farewell = ['thread/backgroundTerminals/clean', 'thread/unsubscribe'] as const
    if (server.alive) await Promise.all(farewell.map((method) => this.#tell(method)))
    this.#listening[Symbol.dispose]()
    const { signal, exitCode } = server.process.facts()
    const how = signal ?? (exitCode === undefined ? 'an unknown cause' : `exit code ${exitCode}`)
    if (!server.alive && !this.#told && this.#current === undefined)
      this.#warn(`${name} ended by itself, with ${how}.`)
    const escaped = [...(await endProcesses(this.nativeId, true)), ...(await lease.release())]
    if (escaped.length === 0) return
    this.#warn(`Processes of ${name} escaped and are still running: ${escaped.join(', ')}.`, { escaped })
  }

  #warn(title: string, data?: JsonObject): void {
    this.#context.setup.record({ type: 'notice', severity: 'warning', title, ...present({ data }) })
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
