/** An ACP agent's session: prompts, updates in wire order, permissions, cancel, and the end. */
import type { CapabilityId, SubagentCapabilities } from '../../contract/capabilities.ts'
import type { ClientMethod } from '../../contract/client.ts'
import type { ContentBlock, SessionUpdate } from '../../contract/content.ts'
import type { ProviderEvent } from '../../contract/events.ts'
import { isRecord } from '../../contract/json.ts'
import type { JsonObject } from '../../contract/json.ts'
import { present } from '../../contract/present.ts'
import type { AgentChoice, AgentOffer } from '../../contract/offer.ts'
import type { ProviderSession, SetupScope, Turn } from '../../contract/provider.ts'
import type { TurnOutcome } from '../../contract/result.ts'
import { METHOD_NOT_FOUND, RpcError } from '../../wire/rpc-error.ts'
import { failureSignOf } from './agents.ts'
import type { FailureSign } from './agents.ts'
import type { Hearer } from './board.ts'
import type { Handshake } from './handshake.ts'
import { gatewayEvent, saysLate } from './gateway-words.ts'
import type { Offered } from './offered.ts'
import { readQuestion } from './question.ts'
import type { Seat } from './seat.ts'
import { promptParams } from './session-params.ts'
import { AnnouncedSubagents, isOfSubagent, sessionOf } from './subagents.ts'
import { outcomeOf } from './translate.ts'
import { begunTurn, hiddenFailure, noteUpdate } from './turn-state.ts'
import type { TurnState } from './turn-state.ts'

export interface SessionContext {
  readonly name: string
  readonly seat: Seat
  readonly setup: SetupScope
  readonly failureSign: FailureSign | undefined
  /** Answers the agent's requests; those for permission come back to the session. */
  readonly serve: (method: string, params: unknown, signal: AbortSignal) => Promise<object>
  readonly offered: Offered
  /** Ends the session's terminals, wherever they are. */
  closeTerminals(): Promise<void>
}

export class AcpSession implements ProviderSession, Hearer {
  readonly #context: SessionContext
  #capabilities: SubagentCapabilities
  #lacks: Partial<SubagentCapabilities> = {}
  #nativeId: string | undefined
  #handshake: Handshake | undefined
  #failureSign: FailureSign | undefined
  #current: TurnState | undefined
  readonly #left = new AbortController()
  /** What its agent still waits for is no longer wanted. */
  readonly #leaving = new AbortController()
  readonly #subagents = new AnnouncedSubagents()
  /** Updates that came before the answer that names the session; a replay is dropped instead. */
  #early: unknown[] | undefined
  #end: Promise<void> | undefined

  constructor(context: SessionContext, capabilities: SubagentCapabilities, replays: boolean) {
    this.#context = context
    this.#capabilities = capabilities
    this.#failureSign = context.failureSign
    this.#early = replays ? undefined : []
    context.seat.agent.board.join(this)
  }

  get capabilities(): SubagentCapabilities {
    return { ...this.#capabilities, ...this.#lacks }
  }

  /** The agent has it, but not for this session. */
  lack(row: CapabilityId): void {
    this.#lacks = { ...this.#lacks, [row]: 'none' }
  }

  get nativeId(): string | undefined {
    return this.#nativeId
  }

  get usable(): boolean {
    return this.#context.seat.agent.alive && this.#end === undefined
  }

  get offered(): Offered {
    return this.#context.offered
  }

  get offer(): AgentOffer {
    return this.offered.current
  }

  async choose(choice: AgentChoice): Promise<void> {
    const { seat, offered } = this.#context
    if (this.#nativeId === undefined) throw new Error('The session was never opened.')
    await offered.choose(choice, this.#nativeId, (method, params) =>
      seat.agent.connection.request(method, params, 'session'),
    )
  }

  shook(handshake: Handshake): void {
    this.#handshake = handshake
    this.#failureSign ??= failureSignOf(handshake.agentName)
  }

  /** The rows that the agent turned out to have. */
  settle(capabilities: SubagentCapabilities): void {
    this.#capabilities = capabilities
  }

  /** From now on the agent's updates belong to the session. */
  opened(nativeId: string): void {
    this.#nativeId = nativeId
    const { seat } = this.#context
    const { agent } = seat
    agent.board.name(this, nativeId)
    seat.settled()
    // What an agent that died leaves behind is ended at once, also between two turns.
    void agent.lost.then(() => this[Symbol.asyncDispose]())
    const early = this.#early ?? []
    this.#early = undefined
    for (const params of early) this.update(params, 0)
  }

  /** The answer to a load has been read: what follows is no replay. */
  replayed(): void {
    this.#early ??= []
  }

  async prompt(content: readonly ContentBlock[], turn: Turn): Promise<TurnOutcome> {
    const { seat } = this.#context
    const { connection } = seat.agent
    const handshake = this.#handshake
    if (handshake === undefined || this.#nativeId === undefined)
      throw new Error('The session was never opened.')
    const state = begunTurn(turn)
    if (turn.signal.aborted) return { ended: 'cancelled' }
    this.#current = state
    const over = seat.turn()
    const cancel = (): void => {
      connection.notify('session/cancel', { sessionId: this.#nativeId })
      // Whatever a reader is behind: the answer to the cancel must be read.
      connection.resume()
    }
    turn.signal.addEventListener('abort', cancel, { once: true })
    try {
      const params = promptParams(this.#nativeId, content, turn.request, handshake)
      const { signal } = this.#left
      const onReply = (): void => {
        state.over = true
      }
      const result = await connection.request('session/prompt', params, 'prompt', { signal, onReply })
      return this.#concluded(result, state)
    } catch (error) {
      if (error !== this.#left.signal.reason) throw error
      return { ended: 'cancelled' }
    } finally {
      state.over = true
      turn.signal.removeEventListener('abort', cancel)
      this.#current = undefined
      await over(turn.signal.aborted)
    }
  }

  /** Synchronous, in wire order. */
  update(params: unknown, bytes: number): void {
    if (!isRecord(params) || !isRecord(params['update'])) return
    if (this.#nativeId === undefined) {
      this.#early?.push(params)
      return
    }
    const sessionId = sessionOf(params)
    const update = params['update'] as SessionUpdate
    if (sessionId === undefined || typeof update.sessionUpdate !== 'string') return
    const state = this.#current
    const gateway = this.#handshake?.gateway === true
    const late = state === undefined || state.over || (gateway && saysLate(params))
    if (isOfSubagent(this.#nativeId, sessionId, update)) {
      const events = this.#subagents.take(this.#nativeId, { sessionId, update, bytes })
      for (const event of events) {
        this.#context.seat.agent.board.claim(this, event.childId)
        if (late) this.#context.setup.record(event)
        else this.#emit(state, event, bytes)
      }
      return
    }
    if (!gateway) this.offered.heard(update)
    if (late) {
      this.#context.setup.record({ type: 'session/late_update', update })
      return
    }
    noteUpdate(state, update, this.#failureSign)
    const event = gateway ? gatewayEvent(update) : { type: 'session/update' as const, update }
    if (event !== undefined) this.#emit(state, event, bytes)
  }

  /** Stops a subagent of the agent's own, and what is below it, alone. */
  cancelSubagent(childId: string): void {
    if (this.#subagents.knows(childId)) {
      this.#context.seat.agent.connection.notify('session/cancel', { sessionId: childId })
    }
  }

  #emit({ turn }: TurnState, event: ProviderEvent, bytes: number): void {
    const { shared, connection } = this.#context.seat.agent
    // Others would wait with it: there the log takes it all, and lies on disk.
    if (turn.emit(event, bytes) || shared || turn.signal.aborted) return
    connection.pause()
    void turn.drained().then(() => connection.resume())
  }

  request(method: string, params: unknown, signal: AbortSignal): Promise<object> {
    return this.#context.serve(method, params, AbortSignal.any([signal, this.#leaving.signal]))
  }

  /** Asks the person's client, for the session or for a subagent of the agent's own. */
  async askClient(method: ClientMethod, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { client } = this.#context.setup
    if (client === undefined) throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${method}`)
    const state = this.#current
    const asks = method === 'elicitation/create'
    // Like a permission request: a person is asked in a turn, and by nobody who has been stopped.
    if (asks && (state === undefined || state.over)) return { action: 'cancel' }
    const { sessionId: _, ...said } = params
    const asker = sessionOf(params) ?? ''
    const path = this.#subagents.path(asker)
    const answer = await client.request({
      method,
      params: said,
      signal: asks && state !== undefined ? AbortSignal.any([signal, state.turn.signal]) : signal,
      ...present({ childId: this.#subagents.knows(asker) ? asker : undefined }),
      ...(path.length > 0 && { path }),
    })
    if ('result' in answer) return answer.result
    const { code, message, data } = answer.error
    throw new RpcError(code, message, data)
  }

  completed(elicitationId: string): void {
    this.#context.setup.client?.completeElicitation(elicitationId)
  }

  /** Answers with the option that was chosen, by its id as the agent gave it. */
  async requestPermission(params: unknown): Promise<object> {
    const read = readQuestion(params, this.#handshake?.gateway === true)
    const { options } = read
    const state = this.#current
    if (state === undefined || state.over) return { outcome: { outcome: 'cancelled' } }
    const asker = sessionOf(params) ?? ''
    const childId = this.#subagents.knows(asker) ? asker : undefined
    const path = [...this.#subagents.path(asker), ...read.path]
    const outcome = await state.turn.requestPermission({
      toolCall: childId === undefined ? read.toolCall : this.#subagents.described(asker, read.toolCall),
      options,
      ...present({ childId }),
      ...(path.length > 0 && { path }),
    })
    const chosen =
      outcome.outcome === 'selected'
        ? options.find(({ optionId }) => optionId === outcome.optionId)
        : undefined
    if (chosen === undefined || chosen.kind.startsWith('reject')) state.rejected = true
    return { outcome }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#end ??= this.#stop()
    return this.#end
  }

  async #stop(): Promise<void> {
    const { seat, setup, name } = this.#context
    this.#leaving.abort()
    await this.#context.closeTerminals()
    const idle = (): boolean => this.#current === undefined || this.#current.over
    const escaped = await seat.leave({ nativeId: this.#nativeId, idle })
    seat.agent.board.leave(this)
    this.#left.abort()
    if (escaped.length === 0) return
    setup.record({
      type: 'notice',
      severity: 'warning',
      title: `Processes of ${name} escaped and are still running: ${escaped.join(', ')}.`,
      data: { escaped: [...escaped] },
    })
  }

  #concluded(result: unknown, state: TurnState): TurnOutcome {
    const { turn, rejected, costUsd } = state
    if (state.failing && !turn.signal.aborted) {
      const { name, seat } = this.#context
      throw hiddenFailure(name, seat.agent.process, state)
    }
    return outcomeOf(result, {
      gateway: this.#handshake?.gateway === true,
      rejected,
      cancelRequested: turn.signal.aborted,
      ...(costUsd !== undefined && { costUsd }),
    })
  }
}
