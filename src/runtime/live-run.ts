/** One run: drives the agent's turn, and settles exactly once (laws 4–6). */
import type { ContentBlock, PermissionOutcome } from '../contract/content.ts'
import { SubagentError } from '../contract/errors.ts'
import type { LogEntry, ProviderEvent, SessionEvent } from '../contract/events.ts'
import { permissionId } from '../contract/ids.ts'
import type { PermissionId, RunId, SessionId } from '../contract/ids.ts'
import type { Delegation, PermissionQuestion, ProviderSession, Turn } from '../contract/provider.ts'
import type { ResolvedStartRequest } from '../contract/request.ts'
import type { SubagentResult, TurnOutcome } from '../contract/result.ts'
import type { SubagentRun } from '../contract/run.ts'
import { after } from '../contract/timer.ts'
import { follow, nothing } from '../sessions/cursor.ts'
import { advanceOutput, NO_OUTPUT, outputText } from '../sessions/output.ts'
import type { Output } from '../sessions/output.ts'
import { asFault, endingOf } from './ending.ts'
import type { Stop, Turned, Verdict } from './ending.ts'
import type { LiveSession } from './live-session.ts'
import type { Surroundings } from './options.ts'
import { PermissionDesk } from './permission-desk.ts'
import { RunClock } from './run-clock.ts'
import type { SchemaCheck } from './schema-check.ts'
import { ToolCalls } from './tool-calls.ts'

export interface RunContext {
  readonly session: LiveSession
  readonly agent: ProviderSession
  readonly request: ResolvedStartRequest
  readonly delegation: Delegation
  readonly answers: boolean
  readonly checkSchema: SchemaCheck | undefined
  readonly surroundings: Surroundings
  /** Children first: ends what this run's session delegated, and waits until it is gone. */
  endChildren(): Promise<void>
  settled(result: SubagentResult): void
}

export class LiveRun implements SubagentRun {
  readonly id: RunId
  readonly result: Promise<SubagentResult>
  readonly answers: boolean
  readonly #context: RunContext
  readonly #resolve: (result: SubagentResult) => void
  readonly #abort = new AbortController()
  readonly #forced = Promise.withResolvers<undefined>()
  readonly #tools = new ToolCalls()
  readonly #desk: PermissionDesk
  readonly #startedAt: number
  #clock: RunClock | undefined
  #output: Output = NO_OUTPUT
  #stop: Stop | undefined
  #turnOver = false
  #firstSeq = 0
  #lastSeq: number | undefined

  constructor(context: RunContext) {
    this.#context = context
    this.id = context.request.runId
    this.answers = context.answers
    const { promise, resolve } = Promise.withResolvers<SubagentResult>()
    this.result = promise
    this.#resolve = resolve
    const { surroundings, session, request } = context
    this.#startedAt = surroundings.now()
    this.#desk = new PermissionDesk({
      policy: request.permission,
      answers: context.answers,
      timeoutMs: surroundings.settings().permissionTimeoutMs,
      path: session.path,
      tools: this.#tools,
      newId: () => permissionId(`perm_${surroundings.newId()}`),
      append: (event) => void this.#append(event),
    })
  }

  get sessionId(): SessionId {
    return this.#context.session.id
  }

  get provider(): string {
    return this.#context.session.registered.provider.name
  }

  get depth(): number {
    return this.#context.request.depth
  }

  get parentSessionId(): SessionId | undefined {
    return this.#context.request.parentSessionId
  }

  get label(): string | undefined {
    return this.#context.request.label
  }

  /** Publishes: from `run/started` on the run is observable. */
  publish(): void {
    const { request, session } = this.#context
    const managed = session.registered.settings.sandbox === undefined ? [] : ['sandbox']
    const started = this.#append({
      type: 'run/started',
      provider: this.provider,
      depth: request.depth,
      ...(request.parentSessionId !== undefined && { parentSessionId: request.parentSessionId }),
      ...(request.label !== undefined && { label: request.label }),
      ...(managed.length > 0 && { providerManaged: managed }),
    })
    this.#firstSeq = started.seq
    this.#reportUnapplied()
  }

  /** Defaults aren't requests: one that this agent can't be held to is said, not refused. */
  #reportUnapplied(): void {
    const { agent, request } = this.#context
    if (agent.capabilities.permissions !== 'none' || request.permission === 'allow') return
    if (request.requested.permission !== undefined) return
    this.#append({
      type: 'notice',
      severity: 'info',
      title: `${this.provider} decides by itself what it does: it isn't known to ask first.`,
      data: { notApplied: 'permission', value: request.permission },
    })
  }

  async drive(): Promise<void> {
    const { agent, request, surroundings } = this.#context
    const { limits } = surroundings.settings()
    const idleMs = request.limits.idleMs ?? limits.idleMs
    const totalMs = request.limits.totalMs ?? limits.totalMs
    this.#clock = new RunClock(
      { idleMs, totalMs },
      () => surroundings.now(),
      () => this.#waitsForOthers,
      (which) => this.#end({ kind: 'limit', which, limitMs: which === 'idle' ? idleMs : totalMs }),
    )
    const turned = await Promise.race([
      Promise.try(() => agent.prompt(request.prompt, this.#turn())).then(
        (outcome: TurnOutcome): Turned => ({ outcome }),
        (error: unknown): Turned => ({ fault: asFault(error, this.provider) }),
      ),
      this.#forced.promise,
    ])
    await this.#settle(turned)
  }

  events({
    after: cursor = 0,
    signal,
  }: { after?: number; signal?: AbortSignal } = {}): AsyncIterable<LogEntry> {
    const { session, surroundings } = this.#context
    const from = Math.max(cursor, this.#firstSeq - 1)
    if (this.#lastSeq !== undefined && from >= this.#lastSeq) return nothing()
    return follow(surroundings.store, session.log, {
      after: from,
      isLast: ({ event, runId }) => event.type === 'run/settled' && runId === this.id,
      signal,
    })
  }

  respond(id: PermissionId, outcome: PermissionOutcome): void {
    this.#desk.respond(id, outcome)
    this.#clock?.sign()
  }

  giveUp(id: PermissionId): void {
    this.#desk.giveUp(id)
  }

  async steer(content: readonly ContentBlock[]): Promise<void> {
    const { agent } = this.#context
    if (agent.steer === undefined || agent.capabilities.steer === 'none') {
      throw new SubagentError(
        'UNSUPPORTED_CAPABILITY',
        'prompt',
        `Text for the running turn was given, but ${this.provider} can't be steered. Wait for the turn to end.`,
        { provider: this.provider, missing: ['steer'], fields: ['steer'], alternatives: [] },
      )
    }
    await agent.steer(content)
  }

  cancel(reason: 'signal' | 'request' = 'request'): void {
    this.#end({ kind: 'cancel', by: reason })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cancel()
    await this.result
  }

  get #waitsForOthers(): boolean {
    const { session } = this.#context
    return this.#tools.running > 0 || this.#desk.open > 0 || [...session.children].some((child) => child.busy)
  }

  #turn(): Turn {
    const { request, delegation, session } = this.#context
    return {
      request,
      delegation,
      signal: this.#abort.signal,
      emit: (event, bytes) => this.#emit(event, bytes),
      drained: () => (this.#stop === undefined ? session.log.readers.drained() : Promise.resolve()),
      requestPermission: (question) => this.#ask(question),
    }
  }

  #emit(event: ProviderEvent, bytes?: number): boolean {
    const { log } = this.#context.session
    if (this.#turnOver) {
      if (event.type === 'session/update') log.append({ type: 'session/late_update', update: event.update })
      else log.append(event)
      return true
    }
    this.#clock?.sign()
    if (event.type === 'session/update') {
      this.#output = advanceOutput(this.#output, event.update)
      this.#tools.note(event.update)
    }
    this.#append(event, bytes)
    // Once the run is being stopped its agent is read to the end, however far a reader is behind.
    return this.#stop !== undefined || log.readers.keepingUp
  }

  #ask(question: PermissionQuestion): Promise<PermissionOutcome> {
    if (this.#turnOver) return Promise.resolve({ outcome: 'cancelled' })
    this.#clock?.sign()
    return this.#desk.ask(question)
  }

  #append(event: SessionEvent, bytes?: number): LogEntry {
    return this.#context.session.log.append(event, this.id, bytes)
  }

  /** The first reason to stop counts; open permissions are answered before the agent hears of it. */
  #end(stop: Stop): void {
    if (this.#stop !== undefined || this.#turnOver) return
    this.#stop = stop
    this.#desk.close()
    this.#abort.abort(new SubagentError('CANCELLED', 'prompt', 'The run was stopped.', { by: 'request' }))
    for (const child of this.#context.session.children) child.run?.cancel()
    const { registered } = this.#context.session
    const grace = registered.settings.cancelMs ?? this.#context.surroundings.settings().cancelMs
    const timer = after(grace, () => this.#forced.resolve(undefined))
    void this.result.finally(() => timer[Symbol.dispose]())
  }

  async #settle(turned: Turned | undefined): Promise<void> {
    const { session, request, agent } = this.#context
    this.#clock?.[Symbol.dispose]()
    this.#desk.close()
    this.#turnOver = true
    if (!this.#abort.signal.aborted) this.#abort.abort()
    const stays = request.keep && turned !== undefined && agent.usable
    if (!request.keep) await this.#context.endChildren()
    if (!stays) await session.dismissAgent()
    const result = this.#conclude(turned)
    session.run = undefined
    this.#context.settled(result)
    this.#resolve(result)
  }

  #conclude(turned: Turned | undefined): SubagentResult {
    const { request, surroundings, checkSchema } = this.#context
    const text = outputText(this.#output)
    const outcome = turned !== undefined && 'outcome' in turned ? turned.outcome : undefined
    const schema = checkSchema?.(outcome?.structured, text)
    const verdict: Verdict = endingOf({ stop: this.#stop, turned, text, ...(schema && { schema }) })
    const facts = {
      status: verdict.status,
      ...(verdict.category !== undefined && { category: verdict.category }),
      ...(verdict.structured !== undefined && { structured: verdict.structured }),
      ...(outcome?.usage !== undefined && { usage: outcome.usage }),
      denied: [...this.#desk.denied, ...(outcome?.denied ?? [])],
      durationMs: surroundings.now() - this.#startedAt,
      ...(verdict.error !== undefined && { error: verdict.error.toJSON() }),
    }
    this.#lastSeq = this.#append({ type: 'run/settled', ...facts }).seq
    return {
      runId: this.id,
      sessionId: this.sessionId,
      ...(request.parentSessionId !== undefined && { parentSessionId: request.parentSessionId }),
      provider: this.provider,
      depth: request.depth,
      text,
      ...facts,
    }
  }
}
