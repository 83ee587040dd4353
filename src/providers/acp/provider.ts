/** The ACP provider: runs any command line that speaks the Agent Client Protocol. */
import which from 'which'
import { CAPABILITY_IDS } from '../../capabilities/catalog.ts'
import { commandKey } from '../../capabilities/remembered.ts'
import type { RememberedAnswers } from '../../capabilities/remembered.ts'
import { bounded } from '../../capabilities/rows.ts'
import type { CapabilityId, SubagentCapabilities } from '../../contract/capabilities.ts'
import type { Logger } from '../../contract/logger.ts'
import { present } from '../../contract/present.ts'
import type { ProviderSession, SetupScope, SubagentProvider } from '../../contract/provider.ts'
import type { ResolvedStartRequest } from '../../contract/request.ts'
import { childEnvironment } from '../../process/environment.ts'
import type { ChildEnvironment } from '../../process/environment.ts'
import type { Graces } from '../../process/graces.ts'
import type { Supervisor } from '../../process/supervisor.ts'
import type { AskMode, KnownAgent } from './agents.ts'
import { serve } from './client-methods.ts'
import { AcpConnection } from './connection.ts'
import { declaredRows, EVERYTHING, initializeParams, NEGOTIATED } from './handshake.ts'
import type { ClientMethods } from './handshake.ts'
import { openSession } from './open-session.ts'
import { AcpSession } from './session.ts'
import { Terminals } from './terminals.ts'

export interface AcpProviderOptions {
  readonly name: string
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
  readonly log: Logger
  /** The gateway's own environment. */
  readonly inherited: Readonly<Record<string, string | undefined>>
}

const NO_METHODS: ClientMethods = { read: false, write: false, terminal: false }

export class AcpProvider implements SubagentProvider {
  readonly name: string
  readonly negotiated: readonly CapabilityId[]
  readonly inheritsParentContext: boolean = false
  readonly #options: AcpProviderOptions
  readonly #declared: SubagentCapabilities
  readonly #methods: ClientMethods
  readonly #asks: AskMode | undefined

  constructor(options: AcpProviderOptions) {
    this.name = options.name
    this.#options = options
    this.#asks = options.known?.asks ?? (options.asks === true ? {} : undefined)
    this.#declared = options.gateway === true ? EVERYTHING : declaredRows(this.#asks !== undefined)
    this.negotiated = options.gateway === true ? CAPABILITY_IDS : [...NEGOTIATED, 'permissions']
    this.#methods = { ...NO_METHODS, ...options.methods }
  }

  /** Lowered by what the same program answered within the last day, so that a refusal needs no process. */
  get capabilities(): SubagentCapabilities {
    return bounded(this.#declared, this.#options.answers.recall(this.#key) ?? {})
  }

  async open(request: ResolvedStartRequest, setup: SetupScope): Promise<ProviderSession> {
    const { name, version, answers, log, known } = this.#options
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
        closeTerminals: () => terminals.close(),
      },
      this.#declared,
      request.origin.from === 'resume',
    )
    const handshake = await connection.initialize(initializeParams(version, this.#methods), setup.signal)
    session.shook(handshake)
    const rows = await openSession(
      { name, connection, handshake, request, asks: this.#asks, signal: setup.signal },
      this.#declared,
      session,
    )
    session.settle(rows)
    answers.remember(this.#key, pick(rows, this.negotiated))
    unwind.move()
    return session
  }

  #environment(request: ResolvedStartRequest, setup: SetupScope): ChildEnvironment {
    const { inherited, known, env } = this.#options
    const ask = request.permission === 'allow' ? {} : this.#asks?.env
    return childEnvironment({
      inherited,
      agentNames: known?.variables ?? [],
      given: { ...known?.env, ...ask, ...env },
      extra: setup.env,
    })
  }

  get #key(): string | undefined {
    const [command, ...args] = this.#options.command
    const program = which.sync(command, { nothrow: true, path: this.#options.inherited['PATH'] ?? '' })
    return program === null ? undefined : commandKey(program, args, '.')
  }
}

const pick = (rows: SubagentCapabilities, ids: readonly CapabilityId[]): Partial<SubagentCapabilities> =>
  Object.fromEntries(ids.map((id) => [id, rows[id]]))
