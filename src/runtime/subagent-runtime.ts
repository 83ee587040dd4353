/** The runtime: one way to start a run, whatever the provider and whoever asks (design.md §3). */
import type { PermissionId, SessionId } from '../contract/ids.ts'
import { present } from '../contract/present.ts'
import type { Delegation } from '../contract/provider.ts'
import { parseStartRequest } from '../contract/request-schema.ts'
import type { ResolvedStartRequest, SubagentStartRequest } from '../contract/request.ts'
import type { SubagentResult } from '../contract/result.ts'
import type { SubagentRun, SubagentRuntime, WatchedEvent, WatchOptions } from '../contract/run.ts'
import { admit, secondGate } from './admit.ts'
import type { Admitted } from './admit.ts'
import { capture } from './capture.ts'
import type { Captured } from './capture.ts'
import { delegationOf, deliverWhen, notOpen } from './delegation.ts'
import { logFault } from './ending.ts'
import { Idempotency } from './idempotency.ts'
import { endOf, Lifecycle, startOf } from './lifecycle.ts'
import { LiveRun } from './live-run.ts'
import { LiveRuns } from './live-runs.ts'
import { LiveSession } from './live-session.ts'
import { Observation } from './observation.ts'
import type { Opened } from './opened.ts'
import { checkedSettings, surroundingsOf } from './options.ts'
import type { HostSettings, InnerStartOptions, RuntimeOptions, Surroundings } from './options.ts'
import { publish } from './publish.ts'
import { ProviderRegistry } from './registry.ts'
import { schemaCheck } from './schema-check.ts'
import { cancelledStart, openAgent, sessionEnvironment, Setup } from './setup.ts'
import { retryAfter, Slots } from './slots.ts'
import type { Ticket } from './slots.ts'
import { claimStored, closed, Starts } from './starts.ts'
import { watchTree } from './watch.ts'

export class GatewayRuntime implements SubagentRuntime {
  readonly providers: ProviderRegistry
  readonly lifecycle: Lifecycle
  readonly #surroundings: Surroundings
  readonly #observation: Observation
  readonly #sessions = new Map<SessionId, LiveSession>()
  readonly #tickets = new Map<LiveSession, Ticket>()
  readonly #slots: Slots
  readonly #runs = new LiveRuns()
  readonly #idempotency: Idempotency
  readonly #starts = new Starts()
  /** Nothing new begins. */
  readonly #closed = new AbortController()
  /** All has ended, and watchers have been told. */
  readonly #ended = new AbortController()
  #settings: HostSettings

  constructor(options: RuntimeOptions) {
    this.#settings = checkedSettings(options.settings)
    this.#surroundings = surroundingsOf(options, () => this.#settings)
    this.#observation = new Observation(options.observer, this.#surroundings)
    const { log } = this.#surroundings
    this.providers = new ProviderRegistry(log)
    this.lifecycle = new Lifecycle(log)
    this.#idempotency = new Idempotency(this.#surroundings)
    const { store, now } = this.#surroundings
    const limits = () => ({
      ...this.#settings.concurrency,
      perProvider: (name: string) => this.providers.find(name)?.settings.concurrency,
    })
    this.#slots = new Slots(limits, store, now)
    for (const { provider, settings, aliases } of options.providers ?? []) {
      this.providers.add(provider, settings, aliases)
    }
  }

  /** Live host settings: a change counts from the next start on (B2.4). */
  get settings(): { get(): HostSettings; set(change: Partial<HostSettings>): void } {
    return {
      get: () => this.#settings,
      set: (change) => {
        this.#settings = checkedSettings({ ...this.#settings, ...change })
      },
    }
  }

  /** Active and queued starts, for `subgate ps` and tests. */
  get load(): { readonly active: number; readonly queued: number } {
    return { active: this.#slots.active, queued: this.#slots.queued }
  }

  async start(input: SubagentStartRequest, options: InnerStartOptions = {}): Promise<SubagentRun> {
    const request = parseStartRequest(input)
    const captured = capture(request, this.#sessions, this.#surroundings)
    if (this.#closed.signal.aborted) throw closed()
    const parent = captured.parent?.live
    const taken =
      request.session?.from === 'resume' ? this.#sessions.get(request.session.sessionId) : undefined
    return this.#idempotency.once(request, options, (shared) => {
      const begin = async (...stopped: AbortSignal[]): Promise<SubagentRun> =>
        this.#open(await this.#admit(request, captured, options.operatorMaxDepth), shared, stopped)
      const follow = (...stopped: AbortSignal[]): Promise<SubagentRun> =>
        taken === undefined ? begin(...stopped) : taken.startFollowUp((own) => begin(own, ...stopped))
      return this.#starts.track(parent === undefined ? follow() : parent.startChild(follow))
    })
  }

  /** All that a start would reject before it opens an agent; nothing happens. For a face that starts later. */
  async check(input: SubagentStartRequest): Promise<void> {
    const request = parseStartRequest(input)
    await this.#admit(request, capture(request, this.#sessions, this.#surroundings))
  }

  /** Whether a permission request still waits for an answer: one that policy decided never did. */
  awaits(sessionId: SessionId, id: PermissionId): boolean {
    return this.#sessions.get(sessionId)?.run?.awaits(id) ?? false
  }

  watch(options: WatchOptions = {}): AsyncIterable<WatchedEvent> {
    return watchTree(this.#runs.source(this.#surroundings.store, this.#ended.signal), options)
  }

  async close(id: SessionId): Promise<void> {
    const session = this.#sessions.get(id)
    if (session === undefined) return
    await (session.closing ??= this.#close(session))
  }

  /** `closing` is set before any of this ends, so that whoever else closes it waits for the same end. */
  async #close(session: LiveSession): Promise<void> {
    session.run?.cancel()
    await this.#endChildren(session)
    await session.run?.result
    await session.dismissAgent()
    this.#forget(session)
  }

  async #endChildren(session: LiveSession): Promise<void> {
    await session.stopStarts()
    await Promise.all([...session.children].map((child) => this.close(child.id)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort(closed())
    await this.#starts.ended()
    // From the top, as each ends its children first; then whatever has lost its parent.
    const roots = [...this.#sessions.values()].filter(({ parent }) => parent === undefined)
    await Promise.all(roots.map(({ id }) => this.close(id)))
    await Promise.all([...this.#sessions.keys()].map((id) => this.close(id)))
    this.#ended.abort()
  }

  #admit(request: SubagentStartRequest, captured: Captured, operator?: number): Promise<Admitted> {
    const house = { providers: this.providers, sessions: this.#sessions, surroundings: this.#surroundings }
    return admit(request, captured, house, operator)
  }

  /** `stopped` ends the start together with the run that delegates, or the session that is taken up. */
  async #open(
    checked: Admitted,
    options: InnerStartOptions,
    stopped: readonly AbortSignal[],
  ): Promise<SubagentRun> {
    const { registered, request, parent } = checked
    const { provider } = registered
    const checkSchema = request.outputSchema && (await schemaCheck(request.outputSchema))
    const signal = AbortSignal.any(
      [this.#closed.signal, options.signal, ...stopped].filter((each) => each !== undefined),
    )
    using reservation = new DisposableStack()
    reservation.use(this.#starts.takeUp(checked, this.#sessions))
    const claim = reservation.use(await claimStored(checked, this.#surroundings.store))
    await using unwind = new AsyncDisposableStack()
    const parentTicket = parent?.live && this.#tickets.get(parent.live)
    const place = {
      provider: provider.name,
      ...present({ sessionId: request.sessionId, parentId: parent?.sessionId }),
    }
    const waiting = { signal, onWait: options.onWait }
    const ticket = await this.#slots.acquire(place, parentTicket, waiting).catch((error: unknown) => {
      throw signal.aborted ? cancelledStart(signal) : error
    })
    unwind.defer(() => this.#slots.release(ticket))
    if (signal.aborted) throw cancelledStart(signal)

    const observed = unwind.use(this.#observation.begin(request, provider.name, options))
    const admitted = { ...checked, request: observed.request }
    const delegation = this.#delegation({ ...request, prompt: [] })
    const { agent, setup } = await this.#agentFor(admitted, delegation, signal).catch((error: unknown) => {
      this.#pause(provider.name, error)
      throw error
    })
    unwind.defer(async () => {
      if (admitted.resolved.live?.agent !== agent) await agent[Symbol.asyncDispose]()
    })
    secondGate(admitted, agent.capabilities, this.providers)
    if (signal.aborted) throw cancelledStart(signal)

    const opened = { agent, setup, delegation, ticket, checkSchema, options, observed }
    const run = await this.#publish(admitted, opened)
    unwind.move()
    claim?.keep()
    const cancel = (): void => run.cancel()
    options.signal?.addEventListener('abort', cancel, { once: true })
    if (signal.aborted) run.cancel()
    void run.drive().then(() => options.signal?.removeEventListener('abort', cancel))
    return run
  }

  /** The agent that still stands on a kept session, or one that is set up now. */
  async #agentFor(admitted: Admitted, delegation: Delegation, signal: AbortSignal) {
    const { registered, request, resolved, standing } = admitted
    const { lineage, log } = this.#surroundings
    const env = sessionEnvironment(request, lineage)
    const setup = (scope: AbortSignal): Setup => new Setup(scope, env, delegation, log)
    if (standing?.usable === true) return { agent: standing, setup: setup(signal) }
    // What has died is cleaned up before anything takes its place.
    await resolved.live?.dismissAgent()
    return openAgent(registered.provider, request, this.#settings.limits.startupMs, signal, setup)
  }

  async #publish(admitted: Admitted, opened: Opened): Promise<LiveRun> {
    const { registered, request, resolved, parent } = admitted
    const { agent, setup, delegation, ticket, checkSchema, options, observed } = opened
    const log = publish({ ...admitted, agent, setup }, this.#surroundings)
    const session = resolved.live ?? new LiveSession(log, registered, parent?.live, this.#surroundings.log)
    if (session.agent !== agent) session.opened = { ...request, prompt: [] }
    session.agent = agent
    const run: LiveRun = new LiveRun({
      session,
      agent,
      request,
      delegation,
      answers: options.answers ?? parent?.live?.run?.answers ?? false,
      checkSchema,
      together: options.together,
      surroundings: this.#surroundings,
      // It has lent its slot to children, or waits to have it back.
      waits: () => ticket.state !== 'running',
      endChildren: () => this.#endChildren(session),
      settled: (result) => this.#settled(session, run, opened, result),
    })
    session.run = run
    this.#sessions.set(session.id, session)
    this.#tickets.set(session, ticket)
    this.#runs.add({ log, run })
    observed.follow(log)
    try {
      run.publish()
      await log.flushed()
    } catch (error) {
      run.withdraw()
      this.#runs.settle({ log, run })
      this.#tickets.delete(session)
      session.run = undefined
      if (resolved.live === undefined) this.#forget(session)
      throw logFault(error, registered.provider.name, 'session')
    }
    this.lifecycle.tell(startOf(run, this.#surroundings.now()))
    return run
  }

  #settled(session: LiveSession, run: LiveRun, { ticket, observed }: Opened, result: SubagentResult): void {
    observed[Symbol.dispose]()
    this.#slots.release(ticket)
    this.#tickets.delete(session)
    this.#runs.settle({ log: session.log, run })
    session.parent?.run?.stir()
    this.lifecycle.tell(endOf(run, result, this.#surroundings.now()))
    this.#pause(run.provider, result.error)
    if (session.agent === undefined) this.#forget(session)
  }

  #forget(session: LiveSession): void {
    session.parent?.children.delete(session)
    this.#sessions.delete(session.id)
    this.#runs.forget(session.log)
    this.#surroundings.store.release(session.id)
  }

  /** A reported rate limit holds back the next starts, of all processes. */
  #pause(provider: string, error: unknown): void {
    const waitMs = retryAfter(error)
    if (waitMs !== undefined) this.#slots.pause(provider, this.#surroundings.now() + waitMs)
  }

  #delegation(request: ResolvedStartRequest): Delegation {
    return delegationOf({
      request,
      providers: this.providers,
      hostDepth: () => this.#settings.maxDepth,
      start: async (child, options) => {
        const parent = this.#sessions.get(request.sessionId)
        if (parent === undefined) throw notOpen(request.sessionId)
        const run = await this.start(child, options)
        return deliverWhen(run, () => {
          const ticket = this.#tickets.get(parent)
          return ticket === undefined ? Promise.resolve() : this.#slots.whenReturned(ticket)
        })
      },
    })
  }
}
