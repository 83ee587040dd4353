/** The ACP provider: runs any command line that speaks the Agent Client Protocol. */
import which from 'which'
import { CAPABILITY_IDS } from '../../capabilities/catalog.ts'
import { commandKey } from '../../capabilities/remembered.ts'
import type { Answers, RememberedAnswers, RememberedOffers } from '../../capabilities/remembered.ts'
import { bounded } from '../../capabilities/rows.ts'
import type { CapabilityId, SubagentCapabilities } from '../../contract/capabilities.ts'
import type { Logger } from '../../contract/logger.ts'
import type { AgentOffer } from '../../contract/offer.ts'
import { present } from '../../contract/present.ts'
import type { ProviderSession, SetupScope, SubagentProvider } from '../../contract/provider.ts'
import type { ResolvedStartRequest } from '../../contract/request.ts'
import { childEnvironment } from '../../process/environment.ts'
import type { ChildEnvironment } from '../../process/environment.ts'
import type { Graces } from '../../process/graces.ts'
import type { Supervisor } from '../../process/supervisor.ts'
import { isToAsk } from './agents.ts'
import type { AskMode, KnownAgent } from './agents.ts'
import { serve } from './client-methods.ts'
import { AcpConnection } from './connection.ts'
import { answeredRows, declaredRows, EVERYTHING, initializeParams, NEGOTIATED } from './handshake.ts'
import type { Answered, ClientMethods, Handshake } from './handshake.ts'
import { Offered } from './offered.ts'
import { openSession } from './open-session.ts'
import { AcpSession } from './session.ts'
import { Terminals } from './terminals.ts'
import { refuseTransport, rememberedTransports, transportFacts } from './transports.ts'

export interface AcpProviderOptions {
  readonly name: string
  /** What messages call it; the name when absent. */
  readonly title?: string
  readonly command: readonly [string, ...string[]]
  /** What is known of this agent; decides variables, graces, quirks and how it is made to ask. */
  readonly known?: KnownAgent
  /** The operator states that the agent asks before it acts. */
  readonly asks?: boolean
  /** The command is itself a gateway, whose handshake decides every row. */
  readonly gateway?: boolean
  readonly methods?: Partial<ClientMethods>
  /** Variables from configuration and `--env`: a value, or true to pass by name. */
  readonly env?: Readonly<Record<string, string | true>>
  readonly graces?: Partial<Graces>
  readonly version: string
  readonly supervisor: Supervisor
  readonly answers: RememberedAnswers
  /** What its sessions offered, by the same key; absent: that is known while one is open alone. */
  readonly offers?: RememberedOffers
  readonly log: Logger
  /** The gateway's own environment. */
  readonly inherited: Readonly<Record<string, string | undefined>>
}

const NO_METHODS: ClientMethods = { read: false, write: false, terminal: false }

export class AcpProvider implements SubagentProvider {
  readonly name: string
  readonly title?: string
  readonly negotiated: readonly CapabilityId[]
  readonly inheritsParentContext: boolean = false
  readonly #options: AcpProviderOptions
  readonly #declared: SubagentCapabilities
  readonly #methods: ClientMethods
  readonly #asks: AskMode | undefined

  constructor(options: AcpProviderOptions) {
    this.name = options.name
    if (options.title !== undefined) this.title = options.title
    this.#options = options
    this.#asks = options.known?.asks ?? (options.asks === true ? {} : undefined)
    this.#declared = options.gateway === true ? EVERYTHING : declaredRows(this.#asks !== undefined)
    this.negotiated = options.gateway === true ? CAPABILITY_IDS : [...NEGOTIATED, 'permissions']
    this.#methods = { ...NO_METHODS, ...options.methods }
  }

  /** Lowered by what the same program answered within the last day, so that a refusal needs no process. */
  get capabilities(): SubagentCapabilities {
    return bounded(this.#declared, this.#recalled)
  }

  /** What can't be remembered, behind a launcher such as npx, is promised as far as it may turn out. */
  advertised(): SubagentCapabilities {
    const key = this.#key
    if (key === undefined) return this.capabilities
    const unknown = Object.fromEntries(this.negotiated.map((row) => [row, 'none' as const]))
    return bounded(this.#declared, { ...unknown, ...this.#options.answers.recall(key, Infinity) })
  }

  offer(): AgentOffer {
    return this.#options.offers?.recall(this.#key) ?? {}
  }

  async open(request: ResolvedStartRequest, setup: SetupScope): Promise<ProviderSession> {
    const { version, log, known, title: name = this.name } = this.#options
    const subject = { name: this.name, title: name }
    refuseTransport(subject, request.mcpServers, rememberedTransports(this.#recalled))
    await using unwind = new AsyncDisposableStack()
    const { env, withheld } = this.#environment(request, setup)
    log.debug({ agent: name, withheld }, 'variables that the agent does not get')
    const [command, ...args] = this.#options.command
    const owner = present({
      sessionId: request.sessionId,
      rootSessionId: request.rootSessionId,
      depth: request.depth,
      maxDepth: request.maxDepth,
    })
    const { supervisor, graces } = this.#options
    const spec = {
      command,
      args,
      cwd: request.cwd,
      env,
      withheld,
      given: [...Object.keys(this.#options.env ?? {}), ...Object.keys(setup.env)],
      owner,
      graces: { ...known?.graces, ...graces },
    }
    setup.signal.throwIfAborted()
    const process = await supervisor.spawn(spec)
    const terminals = new Terminals(supervisor, owner)
    unwind.defer(() => terminals.close())
    const context = {
      methods: this.#methods,
      roots: [request.cwd, ...request.additionalDirectories],
      env,
      terminals,
      requestPermission: (params: unknown) => session.requestPermission(params),
    }
    const connection = unwind.use(
      new AcpConnection(
        name,
        process,
        {
          request: (method, params) => serve(method, params, context),
          notification: (method, params, bytes) => {
            if (method === 'session/update') session.update(params, bytes)
            else log.debug({ agent: name, method }, 'notification ignored')
          },
        },
        log,
      ),
    )
    // Made before the first message is read, as the handlers above speak to it.
    const session: AcpSession = new AcpSession(
      {
        name,
        connection,
        setup,
        failureSign: known?.failureSign,
        offered: new Offered(name, (offer) => this.#options.offers?.remember(this.#key, offer)),
        closeTerminals: () => terminals.close(),
      },
      this.#declared,
      request.origin.from === 'resume',
    )
    const handshake = await connection.initialize(initializeParams(version, this.#methods), setup.signal)
    session.shook(handshake)
    const declared = this.#declaredTo(handshake)
    // Now, as the opening may refuse.
    this.#remember({ handshake, declared, rows: bounded(declared, handshake.rows), opened: false })
    const rows = await openSession(
      {
        subject,
        connection,
        handshake,
        request,
        asks: this.#asks,
        signal: setup.signal,
        choices: setup.choices ?? [],
      },
      declared,
      session,
    )
    session.settle(rows)
    this.#remember({ handshake, declared, rows, opened: session.nativeId !== undefined })
    unwind.move()
    return session
  }

  #environment(request: ResolvedStartRequest, setup: SetupScope): ChildEnvironment {
    const { inherited, known, env } = this.#options
    const ask = isToAsk(request) ? this.#asks?.env : {}
    return childEnvironment({
      inherited,
      agentNames: known?.variables ?? [],
      given: { ...known?.env, ...ask, ...env },
      extra: setup.env,
    })
  }

  /** A program that is called like a gateway and is none gets what any other agent gets. */
  #declaredTo(handshake: Handshake): SubagentCapabilities {
    return this.#options.gateway === true && !handshake.gateway
      ? declaredRows(this.#asks !== undefined)
      : this.#declared
  }

  #remember(answered: Omit<Answered, 'asks' | 'gateway'>): void {
    const ids = answeredRows({ ...answered, asks: this.#asks, gateway: this.#options.gateway === true })
    this.#options.answers.remember(this.#key, {
      ...this.#recalled,
      ...pick(answered.rows, ids),
      ...transportFacts(answered.handshake.mcp),
    })
  }

  get #recalled(): Answers {
    return this.#options.answers.recall(this.#key) ?? {}
  }

  /** An answer holds as long as what bounded it: another declaration is another key. */
  get #key(): string | undefined {
    const [command, ...args] = this.#options.command
    const { known, asks, gateway } = this.#options
    const program = which.sync(command, { nothrow: true, path: this.#options.inherited['PATH'] ?? '' })
    return program === null ? undefined : commandKey(program, args, '.', [known?.name, asks, gateway])
  }
}

const pick = (rows: SubagentCapabilities, ids: readonly CapabilityId[]): Partial<SubagentCapabilities> =>
  Object.fromEntries(ids.map((id) => [id, rows[id]]))
