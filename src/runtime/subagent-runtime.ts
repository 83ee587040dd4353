/** The runtime: one way to start a run, whatever the provider and whoever asks (design.md §3). */
import { gate } from '../capabilities/gate.ts'
import { SubagentError } from '../contract/errors.ts'
import type { SessionId } from '../contract/ids.ts'
import { silentLogger } from '../contract/logger.ts'
import { present } from '../contract/present.ts'
import type { SubagentCapabilities } from '../contract/capabilities.ts'
import type { Delegation, ProviderSession } from '../contract/provider.ts'
import { parseStartRequest } from '../contract/request-schema.ts'
import type { ResolvedStartRequest, SubagentStartRequest } from '../contract/request.ts'
import type { SubagentResult } from '../contract/result.ts'
import type {
  StartOptions,
  SubagentRun,
  SubagentRuntime,
  WatchedEvent,
  WatchOptions,
} from '../contract/run.ts'
import { LINEAGE_VARIABLE } from '../lineage/token.ts'
import { admit } from './admit.ts'
import type { Admitted } from './admit.ts'
import { capture } from './capture.ts'
import { delegationOf } from './delegation.ts'
import { Idempotency } from './idempotency.ts'
import { Lifecycle } from './lifecycle.ts'
import { LiveRun } from './live-run.ts'
import { LiveRuns } from './live-runs.ts'
import { LiveSession } from './live-session.ts'
import type { HostSettings, RuntimeOptions, Surroundings } from './options.ts'
import { publish } from './publish.ts'
import { ProviderRegistry } from './registry.ts'
import type { SchemaCheck } from './schema-check.ts'
import { schemaCheck } from './schema-check.ts'
import { cancelledStart, openAgent, Setup } from './setup.ts'
import { Slots } from './slots.ts'
import type { Ticket } from './slots.ts'
import { watchTree } from './watch.ts'

const randomId = (): string => crypto.randomUUID().replaceAll('-', '').slice(0, 20)

export class GatewayRuntime implements SubagentRuntime {
  readonly providers: ProviderRegistry
  readonly lifecycle: Lifecycle
  readonly #surroundings: Surroundings
  readonly #sessions = new Map<SessionId, LiveSession>()
  readonly #tickets = new Map<LiveSession, Ticket>()
  readonly #slots: Slots
  readonly #runs = new LiveRuns()
  readonly #idempotency = new Idempotency()
  readonly #starting = new Set<Promise<SubagentRun>>()
  readonly #closed = new AbortController()
  #settings: HostSettings

  constructor(options: RuntimeOptions) {
    const log = options.log ?? silentLogger
    this.#settings = options.settings
    this.#surroundings = {
      store: options.store,
      log,
      presets: options.presets,
      lineage: options.lineage,
      settings: () => this.#settings,
      now: options.now ?? Date.now,
      newId: options.newId ?? randomId,
    }
    this.providers = new ProviderRegistry(log)
    this.lifecycle = new Lifecycle(log)
    this.#slots = new Slots(() => ({
      ...this.#settings.concurrency,
      perProvider: (name) => this.providers.find(name)?.settings.concurrency,
    }))
    for (const { provider, settings, aliases } of options.providers ?? []) {
      this.providers.add(provider, settings, aliases)
    }
  }

  /** Live host settings: a change counts from the next start on (B2.4). */
  get settings(): { get(): HostSettings; set(change: Partial<HostSettings>): void } {
    return {
      get: () => this.#settings,
      set: (change) => {
        this.#settings = { ...this.#settings, ...change }
      },
    }
  }

  /** Active and queued starts, for `subgate ps` and tests. */
  get load(): { readonly active: number; readonly queued: number } {
    return { active: this.#slots.active, queued: this.#slots.queued }
  }

  async start(input: SubagentStartRequest, options: StartOptions = {}): Promise<SubagentRun> {
    const request = parseStartRequest(input)
    const captured = capture(request, this.#sessions, this.#surroundings.store, this.#surroundings.lineage)
    if (this.#closed.signal.aborted) throw closed()
    return this.#tracked(
      this.#idempotency.once(request, async () => {
        const { providers } = this
        const admitted = await admit(request, captured, {
          providers,
          sessions: this.#sessions,
          surroundings: this.#surroundings,
        })
        return this.#open(admitted, options)
      }),
    )
  }

  watch(options: WatchOptions = {}): AsyncIterable<WatchedEvent> {
    return watchTree(
      {
        store: this.#surroundings.store,
        runs: () => this.#runs.all(),
        onRun: (listener) => this.#runs.onRun(listener),
        closed: this.#closed.signal,
      },
      options,
    )
  }

  async close(id: SessionId): Promise<void> {
    const session = this.#sessions.get(id)
    if (session === undefined) return
    session.run?.cancel()
    await Promise.all([...session.children].map((child) => this.close(child.id)))
    await session.run?.result
    await session.dismissAgent()
    this.#forget(session)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort(closed())
    await Promise.allSettled(this.#starting)
    const roots = [...this.#sessions.values()].filter(({ parent }) => parent === undefined)
    await Promise.all(roots.map((session) => this.close(session.id)))
  }

  /** Closing waits for starts that are on their way. */
  #tracked(start: Promise<SubagentRun>): Promise<SubagentRun> {
    const starting = start.finally(() => this.#starting.delete(starting))
    this.#starting.add(starting)
    return starting
  }

  async #open(admitted: Admitted, options: StartOptions): Promise<SubagentRun> {
    const { registered, request, parent } = admitted
    const { provider } = registered
    const checkSchema = request.outputSchema && (await schemaCheck(request.outputSchema))
    const signal = AbortSignal.any([
      this.#closed.signal,
      ...(options.signal === undefined ? [] : [options.signal]),
    ])
    await using unwind = new AsyncDisposableStack()
    const parentTicket = parent?.live && this.#tickets.get(parent.live)
    const ticket = await this.#slots.acquire(provider.name, parentTicket, signal).catch((error: unknown) => {
      throw signal.aborted ? cancelledStart(signal) : error
    })
    unwind.defer(() => this.#slots.release(ticket))

    const delegation = this.#delegation(request)
    const { agent, setup } = await this.#agentFor(admitted, delegation, signal)
    unwind.defer(async () => {
      if (admitted.resolved.live?.agent !== agent) await agent[Symbol.asyncDispose]()
    })
    this.#secondGate(admitted, agent.capabilities)
    if (signal.aborted) throw cancelledStart(signal)

    const run = this.#publish(admitted, { agent, setup, delegation, ticket, checkSchema, options })
    unwind.move()
    const cancel = (): void => run.cancel()
    options.signal?.addEventListener('abort', cancel, { once: true })
    void run.drive().then(() => options.signal?.removeEventListener('abort', cancel))
    return run
  }

  /** The agent that still stands on a kept session, or one that is set up now. */
  async #agentFor({ registered, request, resolved }: Admitted, delegation: Delegation, signal: AbortSignal) {
    const env = this.#environment(request)
    const standing = resolved.live?.agent
    if (standing?.usable === true) return { agent: standing, setup: new Setup(signal, env, delegation) }
    const { startupMs } = this.#settings.limits
    return openAgent(
      registered.provider,
      request,
      startupMs,
      signal,
      (scope) => new Setup(scope, env, delegation),
    )
  }

  #publish(admitted: Admitted, opened: Opened): LiveRun {
    const { registered, request, resolved, parent } = admitted
    const { agent, setup, delegation, ticket, checkSchema, options } = opened
    const { store, now } = this.#surroundings
    const log = publish(
      { request, provider: registered.provider.name, resolved, parent, agent, setup },
      store,
      now,
    )
    const session = resolved.live ?? new LiveSession(log, registered, parent?.live)
    session.agent = agent
    const run: LiveRun = new LiveRun({
      session,
      agent,
      request,
      delegation,
      answers: options.answers ?? parent?.live?.run?.answers ?? false,
      checkSchema,
      surroundings: this.#surroundings,
      endChildren: async () => {
        await Promise.all([...session.children].map((child) => this.close(child.id)))
      },
      settled: (result) => this.#settled(session, run, ticket, result),
    })
    session.run = run
    this.#sessions.set(session.id, session)
    this.#tickets.set(session, ticket)
    this.#runs.add({ log, run })
    try {
      run.publish()
    } catch (error) {
      this.#runs.settle({ log, run })
      this.#tickets.delete(session)
      session.run = undefined
      if (resolved.live === undefined) this.#forget(session)
      throw error
    }
    this.lifecycle.tell({ type: 'subagent/start', ...this.#facts(run) })
    return run
  }

  #settled(session: LiveSession, run: LiveRun, ticket: Ticket, result: SubagentResult): void {
    this.#slots.release(ticket)
    this.#tickets.delete(session)
    this.#runs.settle({ log: session.log, run })
    const { status, category, durationMs, usage } = result
    this.lifecycle.tell({
      type: 'subagent/end',
      ...this.#facts(run),
      ...present({ status, category, durationMs, usage }),
    })
    if (session.agent === undefined) this.#forget(session)
  }

  #forget(session: LiveSession): void {
    session.parent?.children.delete(session)
    this.#sessions.delete(session.id)
  }

  #facts({ id, sessionId, parentSessionId, provider, depth }: LiveRun) {
    const at = this.#surroundings.now()
    return { runId: id, sessionId, provider, depth, at, ...present({ parentSessionId }) }
  }

  /** What the handshake revealed is held against the same request; nothing is published yet (law 1). */
  #secondGate({ registered, gateInput }: Admitted, capabilities: SubagentCapabilities): void {
    const { provider } = registered
    const others = () => this.providers.all().map((other) => other.provider)
    const refusal = gate({ name: provider.name, capabilities }, gateInput, others)
    if (refusal !== undefined) throw refusal
  }

  #delegation(request: ResolvedStartRequest): Delegation {
    return delegationOf({
      request,
      providers: this.providers,
      hostDepth: () => this.#settings.maxDepth,
      start: async (child, options) => {
        const run = await this.start(child, options)
        const parent = this.#sessions.get(request.sessionId)
        return deliverWhen(run, () => {
          const ticket = parent && this.#tickets.get(parent)
          return ticket === undefined ? Promise.resolve() : this.#slots.whenReturned(ticket)
        })
      },
    })
  }

  /** Depth goes with every process of the session (B2.7). */
  #environment({ rootSessionId, sessionId, depth, maxDepth }: ResolvedStartRequest): Record<string, string> {
    const token = this.#surroundings.lineage?.sign(
      present({ root: rootSessionId, session: sessionId, depth, maxDepth }),
    )
    return token === undefined ? {} : { [LINEAGE_VARIABLE]: token }
  }
}

interface Opened {
  readonly agent: ProviderSession
  readonly setup: Setup
  readonly delegation: Delegation
  readonly ticket: Ticket
  readonly checkSchema: SchemaCheck | undefined
  readonly options: StartOptions
}

/** The parent hears of the result when it holds its slot again. */
const deliverWhen = (run: SubagentRun, ready: () => Promise<void>): SubagentRun => {
  const result = run.result.then(async (value) => {
    await ready()
    return value
  })
  return new Proxy(run, {
    get: (target, key) => {
      if (key === 'result') return result
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

const closed = (): SubagentError =>
  new SubagentError('CLOSED', 'request', 'The runtime is closed. Create another one to start runs.', {})
