/** The runtime: one way to start a run, whatever the provider and whoever asks (design.md §3). */
import type { PermissionId, SessionId } from '../contract/ids.ts'
import { present } from '../contract/present.ts'
import type { KeptAgents, ProviderSession } from '../contract/provider.ts'
import { parseStartRequest } from '../contract/request-schema.ts'
import type { SubagentStartRequest } from '../contract/request.ts'
import type { SubagentResult } from '../contract/result.ts'
import type { SubagentRun, SubagentRuntime, WatchedEvent, WatchOptions } from '../contract/run.ts'
import { keptAgents } from './agent-control.ts'
import { admit, secondGate } from './admit.ts'
import type { Admitted } from './admit.ts'
import { capture } from './capture.ts'
import { clientPortOf } from './client-port.ts'
import type { Captured } from './capture.ts'
import { delegationPort } from './delegates.ts'
import type { DelegatesHouse } from './delegates.ts'
import { logFault } from './ending.ts'
import { Idempotency } from './idempotency.ts'
import { Inboxes } from './inboxes.ts'
import { anyOf, driven } from './driven.ts'
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
import { agentFor } from './agent-for.ts'
import { cancelledStart } from './setup.ts'
import { Slots } from './slots.ts'
import type { Ticket } from './ticket.ts'
import { claimStored, closed, Starts } from './starts.ts'
import { eachOf, watchStretches } from './watch.ts'

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
  readonly #inboxes: Inboxes
  readonly #house: DelegatesHouse
  /** Nothing new begins. */
  readonly #closed = new AbortController()
  /** All has ended, and watchers have been told. */
  readonly #ended = new AbortController()
  #settings: HostSettings

  constructor(options: RuntimeOptions) {
    this.#settings = checkedSettings(options.settings)
    this.#surroundings = surroundingsOf(options, () => this.#settings)
    this.#observation = new Observation(options.observer, this.#surroundings)
    const { store, log, now } = this.#surroundings
    this.providers = new ProviderRegistry(log)
    this.lifecycle = new Lifecycle(log)
    this.#idempotency = new Idempotency(this.#surroundings)
    const perProvider = (name: string) => this.providers.find(name)?.settings.concurrency
    this.#slots = new Slots(() => ({ ...this.#settings.concurrency, perProvider }), store, now)
    const parts = { store, log, now, providers: this.providers, sessions: this.#sessions }
    const house = {
      ...parts,
      closed: this.#closed.signal,
      start: this.start.bind(this),
      hostDepth: () => this.#settings.maxDepth,
      slotReturned: (session: LiveSession) => this.#slots.whenReturned(this.#tickets.get(session)),
    }
    this.#inboxes = new Inboxes(house)
    this.#house = { ...house, inboxes: this.#inboxes }
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
        taken === undefined
          ? begin(...stopped)
          : taken.startFollowUp((own) => this.#inboxes.orLook(taken.id, options, begin(own, ...stopped)))
      return this.#starts.track(parent === undefined ? follow() : parent.startChild(follow))
    })
  }

  /** The kept agents of all sessions, as the user controls them (B11.1). */
  get agents(): KeptAgents {
    return keptAgents(undefined, this.#house)
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

  agent(id: SessionId): Pick<ProviderSession, 'capabilities' | 'offer' | 'choose'> | undefined {
    return this.#sessions.get(id)?.agent
  }

  /** Stops a subagent that the session's own agent runs, and those below it, alone. */
  cancelSubagent(sessionId: SessionId, childId: string): void {
    this.#sessions.get(sessionId)?.agent?.cancelSubagent?.(childId)
  }

  watch(options: WatchOptions = {}): AsyncIterable<WatchedEvent> {
    return eachOf(this.watchStretches(options))
  }

  watchStretches(options: WatchOptions = {}): AsyncIterable<Iterable<WatchedEvent>> {
    return watchStretches(this.#runs.source(this.#surroundings, this.#ended.signal), options)
  }

  async close(id: SessionId): Promise<void> {
    const session = this.#sessions.get(id)
    if (session !== undefined) await (session.closing ??= this.#close(session))
  }

  /** `closing` is set before any of this ends, so that whoever else closes it waits for the same end. */
  async #close(session: LiveSession): Promise<void> {
    session.run?.cancel()
    await this.#endChildren(session)
    await session.run?.result
    await session.dismissAgent()
    if (this.#sessions.get(session.id) === session) this.#forget(session)
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
    await this.#inboxes[Symbol.asyncDispose]()
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
    const signal = anyOf(this.#closed.signal, options.signal, ...stopped)
    using reservation = new DisposableStack()
    reservation.use(this.#starts.takeUp(checked, this.#sessions))
    const claim = reservation.use(await claimStored(checked, this.#surroundings.store))
    await using unwind = new AsyncDisposableStack()
    const parentTicket = parent?.live && this.#tickets.get(parent.live)
    const place = {
      provider: provider.name,
      ...present({ sessionId: request.sessionId, parentId: parent?.sessionId }),
    }
    const ticket = await this.#slots.acquire(place, parentTicket, { ...options, signal }).catch((error) => {
      throw signal.aborted ? cancelledStart(signal) : error
    })
    unwind.defer(() => this.#slots.release(ticket))
    if (signal.aborted) throw cancelledStart(signal)
    const observed = unwind.use(this.#observation.begin(request, provider.name, options))
    const admitted = { ...checked, request: observed.request }
    const delegation = delegationPort({ ...request, prompt: [] }, this.#house)
    const client = clientPortOf(options, admitted, this.#sessions, this.#surroundings)
    const lent = { delegation, signal, choices: options.choices, client }
    const { agent, setup } = await agentFor(admitted, lent, this.#surroundings).catch((error: unknown) => {
      this.#slots.heed(provider.name, error)
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
    return driven(run, options.signal, signal)
  }

  async #publish(admitted: Admitted, opened: Opened): Promise<LiveRun> {
    const { registered, request, resolved, parent } = admitted
    const { agent, setup, delegation, ticket, checkSchema, options, observed } = opened
    const log = publish({ ...admitted, agent, setup, chat: options.chat }, this.#surroundings)
    const session = resolved.live ?? new LiveSession(log, registered, parent?.live, this.#surroundings.log)
    const before = session.equip(agent, { ...request, prompt: [] }, setup.client)
    const run: LiveRun = new LiveRun({
      session,
      agent,
      request,
      delegation,
      answers: options.answers ?? parent?.live?.run?.answers ?? false,
      checkSchema,
      options,
      surroundings: this.#surroundings,
      // It has lent its slot to children, or waits to have it back.
      waits: () => ticket.state !== 'running',
      endChildren: () => this.#endChildren(session),
      atWork: () => this.#inboxes.atWork(session),
      slotReturned: () => this.#house.slotReturned(session),
      dropBelow: () => this.#inboxes.dropBelow(session),
      settled: (result) => {
        this.#settled(session, run, opened, result)
        if (request.keep) this.#inboxes.look(session.id)
      },
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
      log.drop()
      Object.assign(session, before)
      this.#runs.settle({ log, run })
      this.#tickets.delete(session)
      session.run = undefined
      if (resolved.live === undefined) this.#forget(session)
      throw logFault(error, registered.provider.name, 'session')
    }
    this.#inboxes.begun(session, options.together?.deliver)
    this.lifecycle.tell(startOf(run, this.#surroundings.now()))
    return run
  }

  #settled(session: LiveSession, run: LiveRun, { ticket, observed }: Opened, result: SubagentResult): void {
    observed[Symbol.dispose]()
    this.#slots.release(ticket)
    this.#tickets.delete(session)
    this.#runs.settle({ log: session.log, run })
    this.lifecycle.tell(endOf(run, result, this.#surroundings.now()))
    this.#slots.heed(run.provider, result.error)
    const { parent } = session
    if (session.agent === undefined) this.#forget(session)
    parent?.stir()
  }

  #forget(session: LiveSession): void {
    if (session.closing !== undefined) this.#inboxes.drop(session)
    session.parent?.children.delete(session)
    this.#sessions.delete(session.id)
    this.#runs.forget(session.log)
    this.#surroundings.store.release(session.id)
    this.#inboxes.forget(session.id)
    session.parent?.stir()
  }
}
