/** The ACP provider: runs any command line that speaks the Agent Client Protocol. */
import { CAPABILITY_IDS } from '../../capabilities/catalog.ts'
import { bounded } from '../../capabilities/rows.ts'
import type { CapabilityId, SubagentCapabilities } from '../../contract/capabilities.ts'
import { SubagentError } from '../../contract/errors.ts'
import type { AgentOffer } from '../../contract/offer.ts'
import { present } from '../../contract/present.ts'
import { ownerOf } from '../../contract/process-record.ts'
import type { ProviderSession, SetupScope, SubagentProvider } from '../../contract/provider.ts'
import type { ResolvedStartRequest } from '../../contract/request.ts'
import { childEnvironment } from '../../process/environment.ts'
import type { ChildEnvironment } from '../../process/environment.ts'
import { onLinux } from '../../process/process-table.ts'
import { WarmPool } from '../../process/warm-pool.ts'
import type { AcpAgent } from './agent.ts'
import { isToAsk } from './agents.ts'
import type { AskMode } from './agents.ts'
import { answeredRows, declaredRows, EVERYTHING, initializeParams, NEGOTIATED } from './handshake.ts'
import type { Answered, Handshake } from './handshake.ts'
import { launch } from './launch.ts'
import { methodsFor } from './offered-methods.ts'
import type { ClientMethods } from './offered-methods.ts'
import type { AcpProviderOptions } from './provider-options.ts'
import { ownSeat, sharedSeat } from './seat.ts'
import type { Seat } from './seat.ts'
import { Recalled } from './recalled.ts'
import type { Seating } from './seating.ts'
import type { AcpSession } from './session.ts'
import { closes, shareKey } from './sharing.ts'
import { refuseTransport, rememberedTransports, transportFacts } from './transports.ts'

export class AcpProvider implements SubagentProvider, AsyncDisposable {
  readonly name: string
  readonly title?: string
  readonly negotiated: readonly CapabilityId[]
  readonly inheritsParentContext: boolean = false
  readonly #options: AcpProviderOptions
  readonly #declared: SubagentCapabilities
  readonly #asks: AskMode | undefined
  readonly #recalled: Recalled
  readonly #pool: WarmPool<AcpAgent>
  /** Whether its processes close sessions, as the last one said. */
  #closes: boolean | undefined

  constructor(options: AcpProviderOptions) {
    this.name = options.name
    if (options.title !== undefined) this.title = options.title
    this.#options = options
    this.#recalled = new Recalled(options)
    this.#asks = options.known?.asks ?? (options.asks === true ? {} : undefined)
    this.#declared = options.gateway === true ? EVERYTHING : declaredRows(this.#asks !== undefined)
    this.negotiated = options.gateway === true ? CAPABILITY_IDS : [...NEGOTIATED, 'permissions']
    const { supervisor, warm = true, idleMs } = options
    this.#pool = new WarmPool({
      warm,
      host: ({ process }, owners) => supervisor.host(process.pid, owners),
      isClean: (agent) => agent.clean,
      ...present({ idleMs }),
    })
  }

  /** Lowered by what the same program answered within the last day, so that a refusal needs no process. */
  get capabilities(): SubagentCapabilities {
    return bounded(this.#declared, this.#recalled.answers)
  }

  /** What can't be remembered, behind a launcher such as npx, is promised as far as it may turn out. */
  advertised(): SubagentCapabilities {
    if (this.#recalled.key === undefined) return this.capabilities
    const unknown = Object.fromEntries(this.negotiated.map((row) => [row, 'none' as const]))
    return bounded(this.#declared, { ...unknown, ...this.#recalled.everAnswered })
  }

  offer(): AgentOffer {
    return this.#recalled.offer
  }

  async open(request: ResolvedStartRequest, setup: SetupScope): Promise<ProviderSession> {
    const title = this.title ?? this.name
    refuseTransport(
      { name: this.name, title },
      request.mcpServers,
      rememberedTransports(this.#recalled.answers),
    )
    const shared = this.#environment(request, {})
    const methods = this.#methodsFor(request, setup)
    const key = this.#shares ? shareKey(request, shared.env, methods) : undefined
    if (key === undefined) return this.#openAlone(request, setup)
    // At most one crash away from a fresh start: only one that was kept may have died unseen.
    const first = await this.#attempt(key, request, setup, shared)
    const last = first instanceof Error ? await this.#attempt(key, request, setup, shared) : first
    if (last instanceof Error) throw last
    return last ?? this.#openAlone(request, setup)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]()
  }

  /** A process of its own, which ends with the session. */
  async #openAlone(request: ResolvedStartRequest, setup: SetupScope): Promise<ProviderSession> {
    await using unwind = new AsyncDisposableStack()
    const environment = this.#environment(request, setup.env)
    const seating = import('./seating.ts')
    const agent = await this.#launch(request, environment, setup, false)
    unwind.defer(async () => void (await agent.stop()))
    // Before the first message is asked for, as it hears them all.
    const { seated } = await seating
    const session = unwind.use(seated(this.#seating(ownSeat(agent), request, setup, environment.env)))
    const handshake = await agent.initialize(
      initializeParams(this.#options.version, this.#methodsFor(request, setup)),
      setup.signal,
    )
    await this.#settle(session, agent, handshake, request, setup, {})
    unwind.move()
    return session
  }

  /**
   * A session in a process that others share. Undefined: this agent turns out not to close sessions. An error: a
   * process that was there before is gone.
   */
  async #attempt(
    key: string,
    request: ResolvedStartRequest,
    setup: SetupScope,
    environment: ChildEnvironment,
  ): Promise<ProviderSession | SubagentError | undefined> {
    await using unwind = new AsyncDisposableStack()
    const { version } = this.#options
    const seating = import('./seating.ts')
    const lease = await this.#pool.lease(key, ownerOf(request), async () => {
      const agent = await this.#launch(request, environment, setup, true)
      try {
        await agent.initialize(initializeParams(version, this.#methodsFor(request, setup)), setup.signal)
        return agent
      } catch (error) {
        await agent.stop()
        throw error
      }
    })
    const { host: agent } = lease
    const { handshake } = agent.connection
    if (handshake === undefined || !closes(handshake)) {
      lease.retire()
      await lease.release()
      if (handshake !== undefined) this.#closes = false
      return undefined
    }
    const env = { ...environment.env, ...setup.env }
    const { seated } = await seating
    const session = unwind.use(seated(this.#seating(sharedSeat(lease), request, setup, env)))
    setup.signal.throwIfAborted()
    try {
      await this.#settle(session, agent, handshake, request, setup, setup.env)
    } catch (error) {
      if (lease.reused && SubagentError.is(error) && error.code === 'AGENT_EXITED') return error
      throw error
    }
    unwind.move()
    return session
  }

  #launch(
    request: ResolvedStartRequest,
    environment: ChildEnvironment,
    setup: SetupScope,
    shared: boolean,
  ): Promise<AcpAgent> {
    const { supervisor, known, log, command, title: name = this.name } = this.#options
    const given = [...Object.keys(this.#options.env ?? {}), ...Object.keys(setup.env)]
    const graces = { ...known?.graces, ...this.#options.graces }
    setup.signal.throwIfAborted()
    return launch({ name, command, supervisor, log, request, environment, given, graces, shared })
  }

  #seating(
    seat: Seat,
    request: ResolvedStartRequest,
    setup: SetupScope,
    env: Readonly<Record<string, string>>,
  ): Seating {
    const { known, supervisor, title: name = this.name } = this.#options
    return {
      name,
      seat,
      request,
      setup,
      env,
      supervisor,
      methods: this.#methodsFor(request, setup),
      declared: this.#declared,
      failureSign: known?.failureSign,
      rememberOffer: (offer) => this.#recalled.rememberOffer(offer),
    }
  }

  /** The agent's session is opened, as far as what it has goes; `lineage` is what its process doesn't know. */
  async #settle(
    session: AcpSession,
    { connection }: AcpAgent,
    handshake: Handshake,
    request: ResolvedStartRequest,
    { signal, choices = [] }: SetupScope,
    lineage: Readonly<Record<string, string>>,
  ): Promise<void> {
    session.shook(handshake)
    const declared = this.#declaredTo(handshake)
    // Now, as the opening may refuse.
    this.#remember({ handshake, declared, rows: bounded(declared, handshake.rows), opened: false })
    const subject = { name: this.name, title: this.title ?? this.name }
    const opening = { subject, connection, handshake, request, asks: this.#asks, signal, lineage, choices }
    const { openSession } = await import('./seating.ts')
    const rows = await openSession(opening, declared, session)
    session.settle(rows)
    this.#remember({ handshake, declared, rows, opened: session.nativeId !== undefined })
  }

  #methodsFor({ sandbox }: ResolvedStartRequest, { client }: SetupScope): ClientMethods {
    const { known, methods } = this.#options
    return methodsFor({ ...known?.methods, ...methods }, client?.offer, sandbox)
  }

  /** Whether a delegated session shares its process with others of its parent. */
  get #shares(): boolean {
    const { warm = true, gateway } = this.#options
    // Another gateway reads once for whom it works; elsewhere than on Linux what it runs couldn't be told whose it is.
    if (!warm || gateway === true || !onLinux) return false
    return this.#closes ?? this.#recalled.answers['session.close'] === 'native'
  }

  #environment(request: ResolvedStartRequest, extra: Readonly<Record<string, string>>): ChildEnvironment {
    const { inherited, known, env } = this.#options
    const ask = isToAsk(request) ? this.#asks?.env : {}
    return childEnvironment({
      inherited,
      agentNames: known?.variables ?? [],
      given: { ...known?.env, ...ask, ...env },
      extra,
    })
  }

  /** A program that is called like a gateway and is none gets what any other agent gets. */
  #declaredTo(handshake: Handshake): SubagentCapabilities {
    return this.#options.gateway === true && !handshake.gateway
      ? declaredRows(this.#asks !== undefined)
      : this.#declared
  }

  #remember(answered: Omit<Answered, 'asks' | 'gateway'>): void {
    const close = closes(answered.handshake)
    this.#closes = close
    const ids = answeredRows({ ...answered, asks: this.#asks, gateway: this.#options.gateway === true })
    this.#recalled.remember({
      ...pick(answered.rows, ids),
      ...transportFacts(answered.handshake.mcp),
      'session.close': close ? 'native' : 'none',
    })
  }
}

const pick = (rows: SubagentCapabilities, ids: readonly CapabilityId[]): Partial<SubagentCapabilities> =>
  Object.fromEntries(ids.map((id) => [id, rows[id]]))
