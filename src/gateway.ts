/** The composition root: configuration, providers, store and lineage become one runtime. */
import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { BuiltInState } from './built-in-state.ts'
import { rememberedAnswers } from './capabilities/remembered.ts'
import { matrix } from './capabilities/matrix.ts'
import type { MatrixRow } from './capabilities/matrix.ts'
import type { LoadedConfig, ProviderConfig } from './config/config.ts'
import { stateDir } from './config/paths.ts'
import type { ConfigDescription } from './config/show.ts'
import type { TrustStore } from './config/trust.ts'
import { SubagentError } from './contract/errors.ts'
import { silentLogger } from './contract/logger.ts'
import type { Logger } from './contract/logger.ts'
import { present } from './contract/present.ts'
import type { ProviderSettings, SubagentProvider } from './contract/provider.ts'
import type { PermissionPolicy, SubagentStartRequest } from './contract/request.ts'
import { builtInAgents } from './gateway-agents.ts'
import { openConfiguration } from './gateway-configuration.ts'
import type { Configuration, ConfigurationOptions } from './gateway-configuration.ts'
import type { GatewayPresets } from './gateway-presets.ts'
import { openLineage } from './gateway-lineage.ts'
import type { LineageClaims } from './lineage/token.ts'
import { isLive } from './process/ancestry.ts'
import { reapOrphans } from './process/reaper.ts'
import { listRecords } from './process/records.ts'
import { Supervisor } from './process/supervisor.ts'
import {
  GATEWAY_PROGRAM,
  KNOWN_AGENTS,
  aliasesOf,
  knownByProgram,
  programName,
  titleOf,
} from './providers/acp/agents.ts'
import type { KnownAgent } from './providers/acp/agents.ts'
import { discoverAgents } from './providers/acp/discover.ts'
import type { FoundAgent } from './providers/acp/discover.ts'
import { AcpProvider } from './providers/acp/provider.ts'
import type { AcpProviderOptions } from './providers/acp/provider.ts'
import { hostSettings } from './host-settings.ts'
import { loadProvider } from './provider-module.ts'
import { completeRoot } from './root-request.ts'
import type { HostSettings, RegisteredProvider } from './runtime/options.ts'
import { GatewayRuntime } from './runtime/subagent-runtime.ts'
import { memoryStore } from './sessions/memory-store.ts'
import { VERSION } from './version.ts'

export { openConfiguration } from './gateway-configuration.ts'
export type { BuiltInState } from './built-in-state.ts'
export type { PresetListing } from './gateway-presets.ts'
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
  /** Logs to stderr, from this level on, in place of `log`. */
  readonly logLevel?: 'debug' | 'info' | 'warn'
}

export class Gateway implements AsyncDisposable {
  readonly runtime: GatewayRuntime
  readonly loaded: LoadedConfig
  readonly trust: TrustStore
  readonly presets: GatewayPresets
  /** The run in another process that this process works for. */
  readonly ancestor: LineageClaims | undefined
  readonly #options: GatewayOptions
  readonly #configuration: Configuration
  readonly #supervisor: Supervisor
  readonly #env: Readonly<Record<string, string | undefined>>
  readonly #stateDir: string
  readonly #log: Logger
  readonly #store = memoryStore()
  #found: readonly FoundAgent[] | undefined
  #reaping: Promise<unknown> = Promise.resolve()

  private constructor(options: GatewayOptions) {
    this.#options = options
    this.#env = options.env ?? process.env
    this.#log = options.log ?? silentLogger
    const home = options.home ?? homedir()
    const cwd = options.cwd ?? process.cwd()
    this.#stateDir = stateDir(home, this.#env)
    this.#configuration = openConfiguration({ ...options, cwd, home, env: this.#env, log: this.#log })
    const [fault] = this.#configuration.faults
    if (fault !== undefined) throw fault
    this.loaded = this.#configuration.loaded
    this.trust = this.#configuration.trust
    this.presets = this.#configuration.presets
    const lineage = openLineage(this.#stateDir, this.#env)
    this.ancestor = lineage.ancestor
    this.#supervisor = new Supervisor({
      gatewayId: randomUUID(),
      stateDir: this.#stateDir,
      warn: (message) => this.#log.warn({}, message),
      ...present({ inheritedMarker: this.#env['SUBGATE_RUN'] }),
    })
    this.runtime = new GatewayRuntime({
      store: this.#store,
      settings: hostSettings(this.loaded.config, cwd, options),
      lineage,
      log: this.#log,
      presets: this.presets,
    })
  }

  /** Rejects with `INVALID_CONFIG` or `LINEAGE_INVALID`; then nothing was started. */
  static async create(options: GatewayOptions = {}): Promise<Gateway> {
    const { logLevel } = options
    const log =
      logLevel === undefined ? options.log : (await import('./telemetry/logger.ts')).stderrLogger(logLevel)
    const gateway = new Gateway({ ...options, ...present({ log }) })
    await gateway.#register()
    gateway.#reaping = reapOrphans(gateway.#stateDir).catch((error: unknown) => {
      gateway.#log.warn({ error }, 'orphans of an earlier gateway could not be ended')
    })
    return gateway
  }

  /** Every known agent, with where its program was found. */
  agents(): readonly FoundAgent[] {
    this.#found ??= discoverAgents(this.#env['PATH'] ?? '')
    return this.#found
  }

  /** The built-in agents, with what they start with or need. */
  async builtIn(): Promise<readonly BuiltInState[]> {
    const { builtInStates } = await import('./built-in-state.ts')
    return builtInStates(this.loaded.config.model, this.#env)
  }

  /**
   * A root's request with the explicit defaults of configuration, held against the system's file: what is wider
   * than that allows is `INVALID_REQUEST`, and so are variables for a provider that has no process.
   */
  async rootRequest(request: SubagentStartRequest): Promise<SubagentStartRequest> {
    const provider = this.runtime.providers.find(request.provider)?.provider
    const variables = Object.keys(this.#options.agentEnv ?? {})
    if (variables.length > 0 && provider !== undefined && !(provider instanceof AcpProvider)) {
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
    await this.#supervisor[Symbol.asyncDispose]()
    await this.#reaping
  }

  async #register(): Promise<void> {
    const { providers } = this.runtime
    for (const { provider, settings, aliases } of this.#options.providers ?? []) {
      providers.add(provider, settings, aliases)
    }
    const { command } = this.#options
    if (command !== undefined)
      providers.add(this.#commandProvider('acp', command, {}, titleOf(command)), this.#settings({}))
    for (const [name, config] of Object.entries(this.loaded.config.providers)) {
      try {
        const provider = await this.#configured(name, config)
        if (provider !== undefined) providers.add(provider, this.#settings(config), aliasesOf(name))
      } catch (error) {
        // A module that can't be had is told to whoever wants it; all else goes on.
        if (!SubagentError.is(error) || error.code !== 'INVALID_CONFIG') throw error
        providers.fail(name, error, aliasesOf(name))
      }
    }
    // Looking for agents takes time that a start by command line need not spend.
    providers.later(() => this.#registerFound())
  }

  #registerFound(): void {
    const { providers } = this.runtime
    const place = { config: this.loaded.config, env: this.#env, stateDir: this.#stateDir, store: this.#store }
    /** A name that configuration gives to another program stays with that. */
    const taken = (word: string): boolean => {
      const { command, module } = this.loaded.config.providers[word] ?? {}
      return command !== undefined || module !== undefined
    }
    const free = (aliases: readonly string[] = []): string[] => aliases.filter((alias) => !taken(alias))
    for (const { provider, settings, aliases } of builtInAgents(place))
      if (!taken(provider.name)) providers.add(provider, settings, free(aliases))
    for (const { agent, program } of this.agents()) {
      const config = this.loaded.config.providers[agent.name] ?? {}
      if (program === undefined || taken(agent.name)) continue
      const provider = this.#acp(agent.name, [program, ...agent.args], agent, config)
      providers.add(provider, this.#settings(config), free(agent.aliases))
    }
  }

  async #configured(name: string, config: ProviderConfig): Promise<SubagentProvider | undefined> {
    const { command, module } = config
    if (module !== undefined) return loadProvider(name, module, this.loaded)
    const [program, ...args] = command ?? []
    return program === undefined ? undefined : this.#commandProvider(name, [program, ...args], config)
  }

  #commandProvider(
    name: string,
    command: readonly [string, ...string[]],
    config: ProviderConfig,
    title?: string,
  ): AcpProvider {
    const known = KNOWN_AGENTS.find((agent) => agent.name === name) ?? knownByProgram(command)
    return this.#acp(name, command, known, config, title)
  }

  #acp(
    name: string,
    command: readonly [string, ...string[]],
    known: KnownAgent | undefined,
    config: ProviderConfig,
    title?: string,
  ): AcpProvider {
    const { asks, fs, terminal, graces } = config
    const options: AcpProviderOptions = {
      name,
      command,
      version: VERSION,
      supervisor: this.#supervisor,
      answers: rememberedAnswers(join(this.#stateDir, 'answers')),
      log: this.#log,
      inherited: this.#env,
      env: { ...config.env, ...this.#options.agentEnv },
      gateway: command.slice(0, 2).some((word) => programName(word) === GATEWAY_PROGRAM),
      methods: present({ read: fs?.read, write: fs?.write, terminal }) as NonNullable<
        AcpProviderOptions['methods']
      >,
      ...present({ known, asks, graces, title }),
    }
    return new AcpProvider(options)
  }

  #settings({ permission, concurrency, sandbox, graces }: ProviderConfig): ProviderSettings {
    const configured = permission ?? this.loaded.config.permission
    return present({ permission: configured, concurrency, sandbox, cancelMs: graces?.cancelMs })
  }
}
