/** The work of one run: drives the agent's turn, and settles exactly once (laws 4–6). Nothing of it outlives that. */
import type { ContentBlock, PermissionOutcome } from '../contract/content.ts'
import { SubagentError } from '../contract/errors.ts'
import type { ProviderEvent } from '../contract/events.ts'
import { permissionId } from '../contract/ids.ts'
import type { PermissionId } from '../contract/ids.ts'
import type { PermissionQuestion, Turn } from '../contract/provider.ts'
import type { ResolvedStartRequest } from '../contract/request.ts'
import type { SubagentResult } from '../contract/result.ts'
import { after } from '../contract/timer.ts'
import { Denials } from '../sessions/denials.ts'
import { ToolCalls } from '../sessions/tool-calls.ts'
import { advanceOutput, NO_OUTPUT, outputText } from '../sessions/output.ts'
import type { Output } from '../sessions/output.ts'
import { conclusionOf, resultOf, startedEvent, steerAgent, unappliedNotice } from './edges.ts'
import type { Conclusion } from './edges.ts'
import { asFault, endingOf, failedWith, logFault, OVER } from './ending.ts'
import type { Stop, Turned, Verdict } from './ending.ts'
import { settlementNotice } from './notice.ts'
import { checkedOutcome } from './outcome.ts'
import { PermissionDesk } from './permission-desk.ts'
import { clockLimits, RunClock } from './run-clock.ts'
import type { RunContext } from './run-context.ts'
import { RunJournal } from './run-journal.ts'
import { RunLetters } from './run-letters.ts'

export class RunWork {
  readonly journal: RunJournal
  readonly letters: RunLetters
  readonly #context: RunContext
  readonly #over: (result: SubagentResult) => void
  readonly #abort = new AbortController()
  readonly #forced = Promise.withResolvers<undefined>()
  readonly #stopped = Promise.withResolvers<void>()
  readonly #tools = new ToolCalls()
  readonly #denials = new Denials()
  readonly #desk: PermissionDesk
  readonly #startedAt: number
  readonly #faults: Disposable
  #clock: RunClock | undefined
  #grace: Disposable | undefined
  #output: Output = NO_OUTPUT
  #stop: Stop | undefined
  #turnOver = false

  /** `over` hears of the end, once it is committed. */
  constructor(context: RunContext, over: (result: SubagentResult) => void) {
    this.#context = context
    this.#over = over
    const { surroundings, session, request } = context
    this.#startedAt = surroundings.now()
    this.journal = new RunJournal({
      log: session.log,
      runId: request.runId,
      provider: this.#provider,
      logger: surroundings.log,
      onFault: (error) => this.#end({ kind: 'fault', error }),
    })
    this.letters = new RunLetters(context, this.journal)
    this.#desk = new PermissionDesk({
      policy: request.permission,
      answers: context.answers,
      timeoutMs: surroundings.settings().permissionTimeoutMs,
      path: session.path,
      tools: this.#tools,
      newId: () => permissionId(`perm_${surroundings.newId()}`),
      append: (event) => {
        this.stir()
        return this.journal.record(event)
      },
      denied: (denial) => this.#denials.add(denial),
      committed: async () => (await this.journal.flushed()) === undefined,
    })
    this.#faults = surroundings.store.onFault(session.id, (error) =>
      this.#end({ kind: 'fault', error: logFault(error, this.#provider) }),
    )
  }

  get request(): ResolvedStartRequest {
    return this.#context.request
  }

  get #provider(): string {
    return this.#context.session.registered.provider.name
  }

  /** Publishes: once `run/started` is committed, the run is observable. */
  publish(): void {
    const { request, session, agent, options } = this.#context
    const { together, toolCallId } = options
    const begun = { letters: together?.deliver, toolCallId }
    this.journal.start(startedEvent(request, session.registered, begun), together)
    const unapplied = unappliedNotice(request, agent, session.registered.provider)
    if (unapplied !== undefined) this.journal.record(unapplied)
  }

  /** It never was: its first event could not be committed. */
  withdraw(): void {
    this.#faults[Symbol.dispose]()
  }

  async drive(): Promise<void> {
    const { agent, request, surroundings } = this.#context
    const limits = clockLimits(request, surroundings.settings())
    this.#clock = new RunClock(
      limits,
      () => surroundings.now(),
      () => this.#waitsForOthers,
      (which) => this.#end({ kind: 'limit', which, limitMs: limits[`${which}Ms`] }),
    )
    const turned = await Promise.race([
      Promise.try(() => agent.prompt(request.prompt, this.#turn()))
        .then((outcome: unknown): Turned => ({ outcome: checkedOutcome(outcome, this.#provider) }))
        .catch((error: unknown): Turned => ({ fault: asFault(error, this.#provider) })),
      this.#forced.promise,
    ])
    await this.#settle(turned)
  }

  respond(id: PermissionId, outcome: PermissionOutcome): void {
    this.#desk.respond(id, outcome)
  }

  giveUp(id: PermissionId): void {
    this.#desk.giveUp(id)
  }

  awaits(id: PermissionId): boolean {
    return this.#desk.awaits(id)
  }

  async steer(content: readonly ContentBlock[]): Promise<void> {
    await steerAgent(this.#context.agent, content, this.#provider)
  }

  cancel(reason: 'signal' | 'request'): void {
    this.#end({ kind: 'cancel', by: reason })
  }

  /** Being stopped, or settled: it delegates no more. */
  get ending(): boolean {
    return this.#stop !== undefined || this.#turnOver
  }

  /** Something that this run waited for has happened. */
  stir(): void {
    this.#clock?.sign()
    this.letters.look()
  }

  get #waitsForOthers(): boolean {
    const { session } = this.#context
    if (this.#context.waits()) return true
    if (this.#tools.running > 0 || this.#desk.open > 0 || session.client?.asking === true) return true
    return [...session.children].some((child) => child.busy)
  }

  #turn(): Turn {
    const { request, delegation, session } = this.#context
    return {
      request,
      delegation,
      signal: this.#abort.signal,
      emit: (event, bytes) => this.#emit(event, bytes),
      drained: async () => {
        // Readers see what is committed.
        void session.log.flushed().catch(() => {})
        // A run that is being stopped waits for no reader.
        await this.#clock?.hold(Promise.race([session.log.readers.drained(), this.#stopped.promise]))
      },
      requestPermission: (question) => this.#ask(question),
      letters: this.letters,
    }
  }

  #emit(event: ProviderEvent, bytes?: number): boolean {
    if (this.#turnOver) {
      this.journal.late(event)
      return true
    }
    this.#clock?.sign()
    if (!this.journal.record(event, bytes)) return true
    this.#denials.heard(event)
    if (event.type === 'session/update') {
      this.#output = advanceOutput(this.#output, event.update)
      this.#tools.note(event.update)
    }
    // Once the run is being stopped its agent is read to the end, however far a reader is behind.
    return this.#stop !== undefined || this.#context.session.log.readers.keepingUp
  }

  #ask(question: PermissionQuestion): Promise<PermissionOutcome> {
    if (this.#turnOver) return Promise.resolve({ outcome: 'cancelled' })
    this.#clock?.sign()
    return this.#desk.ask(question)
  }

  /** The first reason to stop counts; open permissions are answered before the agent hears of it. */
  #end(stop: Stop): void {
    if (this.#stop !== undefined || this.#turnOver) return
    this.#stop = stop
    this.#desk.close()
    this.#abort.abort(new SubagentError('CANCELLED', 'prompt', 'The run was stopped.', { by: 'request' }))
    this.#stopped.resolve()
    const { session } = this.#context
    void session.stopStarts()
    session.cancelBelow()
    this.#context.dropBelow()
    const grace = session.registered.settings.cancelMs ?? this.#context.surroundings.settings().cancelMs
    this.#grace = after(grace, () => this.#forced.resolve(undefined))
  }

  async #settle(turned: Turned | undefined): Promise<void> {
    const { session, request, agent } = this.#context
    this.#clock?.[Symbol.dispose]()
    this.#clock = undefined
    this.#grace?.[Symbol.dispose]()
    this.#desk.close()
    this.#turnOver = true
    this.letters[Symbol.dispose]()
    this.#stopped.resolve()
    if (!this.#abort.signal.aborted) this.#abort.abort(OVER)
    // What was said is on its way while the agent ends.
    void this.journal.flushed()
    const closing = session.closing !== undefined
    const stays = request.keep && !closing && turned !== undefined && agent.usable
    let ending = turned
    try {
      // Also those that a kept session leaves when its own agent goes.
      if (!stays) await this.#context.endChildren().then(() => session.dismissAgent())
    } catch (error) {
      ending = { fault: asFault(error, this.#provider) }
    }
    const result = await this.#durable(this.#concluded(ending))
    this.#faults[Symbol.dispose]()
    session.run = undefined
    this.#over(result)
    this.#context.settled(result)
  }

  /** Nobody hears of an end that isn't committed; one that never will be is a failure of its own. */
  async #durable(result: SubagentResult): Promise<SubagentResult> {
    const fault = await this.journal.flushed()
    if (fault === undefined || result.status === 'failed') return result
    const { request } = this.#context
    const said = conclusionOf(failedWith(fault), undefined, result.denied, result.durationMs)
    return resultOf(request, this.#provider, result.text, said)
  }

  /** Whatever goes wrong while the end is worked out, there is one. */
  #concluded(turned: Turned | undefined): SubagentResult {
    try {
      return this.#conclude(turned)
    } catch (error) {
      return this.#conclude({ fault: asFault(error, this.#provider) })
    }
  }

  #conclude(turned: Turned | undefined): SubagentResult {
    const { request, surroundings, checkSchema } = this.#context
    const text = outputText(this.#output)
    const outcome = turned !== undefined && 'outcome' in turned ? turned.outcome : undefined
    const schema =
      outcome && checkSchema?.(outcome.structured, outcome.structuredOnly === true ? undefined : text)
    const verdict: Verdict = endingOf({ stop: this.#stop, turned, text, ...(schema && { schema }) })
    const { list: denied } = this.#denials
    const conclude = (said: Verdict): Conclusion =>
      conclusionOf(said, outcome, denied, surroundings.now() - this.#startedAt)
    const conclusion = conclude(verdict)
    const notice = settlementNotice(
      this.#context.session.log,
      request.runId,
      conclusion,
      text,
      surroundings.now(),
    )
    const settled = { type: 'run/settled', ...conclusion } as const
    const fault = this.journal.settle(settled, () => this.#desk.close(), notice)
    const said = fault === undefined ? conclusion : conclude(failedWith(fault))
    return resultOf(request, this.#provider, text, said)
  }
}
