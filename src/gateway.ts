/** The composition root: configuration, providers, store and lineage become one runtime. */
import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import type { BuiltInState } from './built-in-state.ts'
import { matrix } from './capabilities/matrix.ts'
import type { MatrixRow } from './capabilities/matrix.ts'
import type { LoadedConfig } from './config/config.ts'
import { stateDir } from './config/paths.ts'
import type { ConfigDescription } from './config/show.ts'
import type { TrustStore } from './config/trust.ts'
import { SubagentError } from './contract/errors.ts'
import type { SessionId } from './contract/ids.ts'
import { silentLogger } from './contract/logger.ts'
import type { Logger } from './contract/logger.ts'
import { present } from './contract/present.ts'
import type { PermissionPolicy, SubagentStartRequest } from './contract/request.ts'
import { signInMethods, terminalSignInOf } from './contract/sign-in.ts'
import { openConfiguration } from './gateway-configuration.ts'
import type { Configuration, ConfigurationOptions } from './gateway-configuration.ts'
import type { GatewayPresets } from './gateway-presets.ts'
import type { ProcessProvider } from './gateway-native.ts'
import { registerProviders } from './gateway-providers.ts'
import { signInCommands } from './gateway-sign-in.ts'
import type { SignInCommand } from './gateway-sign-in.ts'
import type { ProviderShop } from './gateway-providers.ts'
import { openLineage } from './gateway-lineage.ts'
import { openTelemetry } from './gateway-telemetry.ts'
import type { Telemetry } from './gateway-telemetry.ts'
import type { LineageClaims } from './lineage/token.ts'
import { isLive } from './process/ancestry.ts'
import { runInTerminal } from './process/interactive.ts'
import { listRecords } from './process/records.ts'
import { Supervisor } from './process/supervisor.ts'
import { discoverAgents } from './providers/acp/discover.ts'
import type { FoundAgent } from './providers/acp/discover.ts'
import { hostSettings } from './host-settings.ts'
import { Recovery } from './gateway-recovery.ts'
import { lazyStore, removeFrom, treeOf } from './gateway-store.ts'
import { signedInFirst } from './gateway-signed-in.ts'
import { LastAgent, usableAgents } from './gateway-usable.ts'
import type { UsableAgent } from './gateway-usable.ts'
import { completeRoot } from './root-request.ts'
import type { HostSettings, RegisteredProvider } from './runtime/options.ts'
import { GatewayRuntime } from './runtime/subagent-runtime.ts'
import { StoredRun } from './runtime/stored-run.ts'
import type { Store, StoredRun as StoredRunRow } from './sessions/store.ts'
import type { SubagentRun } from './contract/run.ts'

export { openConfiguration } from './gateway-configuration.ts'
export type { BuiltInState } from './built-in-state.ts'
export type { PresetListing } from './gateway-presets.ts'
export { foundNames } from './gateway-usable.ts'
export type { UsableAgent } from './gateway-usable.ts'
export { StoredRun } from './runtime/stored-run.ts'
export { KNOWN_PROVIDER_NAMES } from './providers/acp/agents.ts'

export interface GatewayOptions extends ConfigurationOptions {
  /** A command line that is run as the provider `acp`. */
  readonly command?: readonly [string, ...string[]]
  /** Variables for every agent, as `--env` gives them. */
  readonly agentEnv?: Readonly<Record<string, string | true>>
  /** The face's default policy, where configuration names none. */
  readonly permission?: PermissionPolicy
  readonly settings?: Partial<HostSettings>
  readonly providers?: readonly RegisteredProvider[]
  /** In place of the user's database. */
  readonly store?: Store
  /** Logs to stderr, from this level on, in place of `log`. */
  readonly logLevel?: 'debug' | 'info' | 'warn'
}

const NO_WAY = { typed: false, legacy: false }

export class Gateway implements AsyncDisposable {
  readonly runtime: GatewayRuntime
  readonly loaded: LoadedConfig
  readonly trust: TrustStore
  readonly presets: GatewayPresets
  readonly lastAgent: LastAgent
  /** The run in another process that this process works for. */
  readonly ancestor: LineageClaims | undefined
  readonly #options: GatewayOptions
  readonly #configuration: Configuration
  readonly #supervisor: Supervisor
  readonly #env: Readonly<Record<string, string | undefined>>
  readonly #stateDir: string
  readonly #log: Logger
  readonly #telemetry: Telemetry | undefined
  readonly #withProcess = new Set<ProcessProvider>()
  /** The user's sessions, of all processes; opened at first use. */
  readonly store: Store
  #found: readonly FoundAgent[] | undefined
  #reaping: Promise<unknown> = Promise.resolve()
  readonly #recovery: Recovery

  private constructor(options: GatewayOptions, telemetry: Telemetry | undefined) {
    this.#options = options
    this.#telemetry = telemetry
    this.#env = options.env ?? process.env
    this.#log = options.log ?? silentLogger
    const home = options.home ?? homedir()
    const cwd = options.cwd ?? process.cwd()
    this.#stateDir = stateDir(home, this.#env)
    this.lastAgent = new LastAgent(this.#stateDir)
    this.store = options.store ?? lazyStore(this.#stateDir, this.#log)
    this.#configuration = openConfiguration({ ...options, cwd, home, env: this.#env, log: this.#log })
    const [fault] = this.#configuration.faults
    if (fault !== undefined) throw fault
    this.loaded = this.#configuration.loaded
    this.trust = this.#configuration.trust
    this.presets = this.#configuration.presets
    const lineage = openLineage(this.#stateDir, this.#env)
    this.ancestor = lineage.ancestor
    this.#recovery = new Recovery({
      store: this.store,
      isForeign: options.store !== undefined,
      stateDir: this.#stateDir,
      retentionDays: this.loaded.config.retentionDays,
      log: this.#log,
    })
    this.#supervisor = new Supervisor({
      gatewayId: randomUUID(),
      stateDir: this.#stateDir,
      warn: (message) => this.#log.warn({}, message),
      ...present({ inheritedMarker: this.#env['SUBGATE_RUN'] }),
    })
    this.runtime = new GatewayRuntime({
      store: this.store,
      recovered: () => this.recovered,
      settings: hostSettings(this.loaded.config, cwd, options),
      lineage,
      log: this.#log,
      presets: this.presets,
      ...present({ observer: telemetry?.observer }),
    })
  }

  /** Rejects with `INVALID_CONFIG` or `LINEAGE_INVALID`; then nothing was started. */
  static async create(options: GatewayOptions = {}): Promise<Gateway> {
    const { logLevel } = options
    const log =
      logLevel === undefined ? options.log : (await import('./telemetry/logger.ts')).stderrLogger(logLevel)
    const telemetry = await openTelemetry(options.env ?? process.env, log ?? silentLogger)
    const gateway = new Gateway({ ...options, ...present({ log }) }, telemetry)
    await registerProviders(gateway.runtime.providers, gateway.#shop())
    gateway.#reaping = gateway.#recovery.begin()
    return gateway
  }

  /** Every known agent, with where its program was found. */
  agents(): readonly FoundAgent[] {
    this.#found ??= discoverAgents(this.#env['PATH'] ?? '')
    return this.#found
  }

  /** Each agent here that a person can sign in to, with the command for it. */
  signIns(): readonly SignInCommand[] {
    const { config } = this.loaded
    return signInCommands({ config, agents: this.agents(), path: this.#env['PATH'] })
  }

  /** Runs an agent's own sign-in in this process's terminal, and resolves with its exit code. */
  signIn({ command, names, given }: SignInCommand): Promise<number> {
    const cwd = this.#options.cwd ?? process.cwd()
    return runInTerminal({ command, cwd, names, given, inherited: this.#env })
  }

  /** The sign-ins that an editor is told of; none for an ad-hoc command, which would take our words for its own. */
  signInMethods(
    clientCapabilities: unknown,
    self: readonly [string, ...string[]],
  ): ReturnType<typeof signInMethods> {
    const ways = this.#options.command === undefined ? terminalSignInOf(clientCapabilities) : NO_WAY
    return signInMethods(this.signIns(), ways, self)
  }

  /** The built-in agents, with what they start with or need. */
  async builtIn(): Promise<readonly BuiltInState[]> {
    const { builtInStates } = await import('./built-in-state.ts')
    return builtInStates(this.loaded.config.model, this.#env)
  }

  /** Those that can start here without further words, by the names that people know; signed in or not to be seen first. */
  async usable(): Promise<readonly UsableAgent[]> {
    const { providers } = this.runtime
    const has = (name: string): boolean => providers.find(name) !== undefined
    const { config } = this.loaded
    const usable = usableAgents(config, this.agents(), await this.builtIn(), has)
    const home = this.#options.home ?? homedir()
    return signedInFirst(usable, { config, env: this.#env, home, platform: process.platform })
  }

  /** Takes stored sessions away, with all that they started; what is open stays, and isn't in the answer. */
  async remove(roots: readonly SessionId[]): Promise<readonly SessionId[]> {
    const ids = roots.flatMap((root) => treeOf(this.store, root).toReversed())
    return removeFrom(this.store, this.#stateDir, ids)
  }

  /**
   * A root's request with the explicit defaults of configuration, held against the system's file: what is wider
   * than that allows is `INVALID_REQUEST`, and so are variables for a provider that has no process.
   */
  async rootRequest(request: SubagentStartRequest): Promise<SubagentStartRequest> {
    const provider = this.runtime.providers.find(request.provider)?.provider
    const variables = Object.keys(this.#options.agentEnv ?? {})
    if (variables.length > 0 && provider !== undefined && !this.#withProcess.has(provider)) {
      throw new SubagentError(
        'INVALID_REQUEST',
        'request',
        `--env was given (${variables.join(', ')}), but ${provider.name} starts no process that could get it. Leave it out.`,
        { field: '--env' },
      )
    }
    const cwd = this.#options.cwd ?? process.cwd()
    return completeRoot(request, this.loaded, this.presets, cwd, provider?.name ?? request.provider)
  }

  /** Resolves once what dead gateways left has been ended and settled. */
  get recovered(): Promise<unknown> {
    return this.#reaping
  }

  get log(): Logger {
    return this.#log
  }

  /** What an untrusted project's file tried, one line a key. */
  get warnings(): readonly string[] {
    return this.#configuration.warnings
  }

  /** Configured keys that nothing here acts on, one line each. */
  get notes(): readonly string[] {
    return this.#configuration.notes
  }

  /** Which files count, and each key with its value and layer; secrets are masked. */
  configuration(): { readonly document: ConfigDescription; readonly text: string } {
    return this.#configuration.describe()
  }

  /** What each usable provider can be asked for. */
  matrix(): readonly MatrixRow[] {
    return matrix(this.runtime.providers.all().map(({ provider }) => provider))
  }

  /** A run that stands in the store, whoever runs or ran it. */
  readonly storedRun = (row: StoredRunRow): SubagentRun => new StoredRun(row, this.store, Date.now)

  /** Processes that run now, for people (law 5). */
  processes(): ReturnType<Supervisor['live']> {
    return this.#supervisor.live()
  }

  /** Kills what runs without a wait, for a process that ends at once; the watchdog finds what hid elsewhere. */
  abandon(): void {
    for (const { pid } of this.#supervisor.live()) {
      try {
        process.kill(-pid, 'SIGKILL')
      } catch {
        // Ended by itself meanwhile.
      }
    }
  }

  /** Agent processes of all gateways of this user that are on record and run. */
  recorded(): ReturnType<typeof listRecords> {
    return listRecords(this.#stateDir).filter((record) => isLive(record))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.runtime[Symbol.asyncDispose]()
    await Promise.all([...this.#withProcess].map(async (provider) => provider[Symbol.asyncDispose]?.()))
    await Promise.all([this.#supervisor[Symbol.asyncDispose](), this.#telemetry?.[Symbol.asyncDispose]()])
    await this.#reaping
    this.#recovery[Symbol.dispose]()
    this.store[Symbol.dispose]()
  }

  #shop(): ProviderShop {
    const { agentEnv, command, providers = [] } = this.#options
    return {
      given: providers,
      loaded: this.loaded,
      agents: () => this.agents(),
      supervisor: this.#supervisor,
      stateDir: this.#stateDir,
      store: this.store,
      lasts: this.#options.store === undefined,
      log: this.#log,
      env: this.#env,
      made: (provider) => void this.#withProcess.add(provider),
      ...present({ agentEnv, command }),
    }
  }
}
