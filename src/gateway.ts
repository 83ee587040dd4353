/** The composition root: configuration, providers, store and lineage become one runtime. */
import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { matrix } from './capabilities/matrix.ts'
import type { MatrixRow } from './capabilities/matrix.ts'
import { loadConfig } from './config/layers.ts'
import type { LoadedConfig, ProviderConfig } from './config/config.ts'
import { dataDir, stateDir } from './config/paths.ts'
import { describeConfig, withheldLine } from './config/show.ts'
import type { ConfigDescription } from './config/show.ts'
import { openTrustStore } from './config/trust.ts'
import type { TrustStore } from './config/trust.ts'
import { SubagentError } from './contract/errors.ts'
import { silentLogger } from './contract/logger.ts'
import type { Logger } from './contract/logger.ts'
import { present } from './contract/present.ts'
import type { ProviderSettings, SubagentProvider } from './contract/provider.ts'
import type { PermissionPolicy, Preset, PresetSource, SubagentStartRequest } from './contract/request.ts'
import { builtInAgents } from './gateway-agents.ts'
import { inertKeys, processProvider } from './gateway-native.ts'
import type { CommandLine, ProcessProvider } from './gateway-native.ts'
import { openPresets } from './gateway-presets.ts'
import type { GatewayPresets } from './gateway-presets.ts'
import { resolveLineage } from './lineage/ancestor.ts'
import { loadKey } from './lineage/key.ts'
import { LINEAGE_VARIABLE, signLineage } from './lineage/token.ts'
import type { LineageClaims } from './lineage/token.ts'
import { ancestorsOf, isLive } from './process/ancestry.ts'
import { reapOrphans } from './process/reaper.ts'
import { listRecords } from './process/records.ts'
import { Supervisor } from './process/supervisor.ts'
import { KNOWN_AGENTS, aliasesOf } from './providers/acp/agents.ts'
import { discoverAgents } from './providers/acp/discover.ts'
import type { FoundAgent } from './providers/acp/discover.ts'
import { hostSettings } from './host-settings.ts'
import { loadProvider } from './provider-module.ts'
import { completeRoot } from './root-request.ts'
import type { HostSettings, RegisteredProvider } from './runtime/options.ts'
import { GatewayRuntime } from './runtime/subagent-runtime.ts'
import { memoryStore } from './sessions/memory-store.ts'

export type { PresetListing } from './gateway-presets.ts'
export { KNOWN_PROVIDER_NAMES } from './providers/acp/agents.ts'

export interface GatewayOptions {
  readonly cwd?: string
  /** The gateway's own environment; `process.env` when absent. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly home?: string
  /** A command line that is run as the provider `acp`. */
  readonly command?: readonly [string, ...string[]]
  /** Variables for every agent, as `--env` gives them. */
  readonly agentEnv?: Readonly<Record<string, string | true>>
  /** The face's default policy, where configuration names none. */
  readonly permission?: PermissionPolicy
  readonly settings?: Partial<HostSettings>
  readonly providers?: readonly RegisteredProvider[]
  /** Presets of code, which stand behind those of files; a source stands in place of all. */
  readonly presets?: PresetSource | readonly Preset[]
  readonly log?: Logger
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
  readonly #supervisor: Supervisor
  readonly #env: Readonly<Record<string, string | undefined>>
  readonly #stateDir: string
  readonly #log: Logger
  readonly #store = memoryStore()
  readonly #withProcess = new Set<ProcessProvider>()
  #found: readonly FoundAgent[] | undefined
  #reaping: Promise<unknown> = Promise.resolve()

  private constructor(options: GatewayOptions) {
    this.#options = options
    this.#env = options.env ?? process.env
    this.#log = options.log ?? silentLogger
    const home = options.home ?? homedir()
    const cwd = options.cwd ?? process.cwd()
    this.#stateDir = stateDir(home, this.#env)
    this.trust = openTrustStore(dataDir(home, this.#env))
    const { trust } = this
    this.presets = openPresets({ home, env: this.#env, trust, log: this.#log, given: options.presets })
    this.loaded = loadConfig({
      cwd,
      home,
      env: this.#env,
      knownAgents: [...KNOWN_AGENTS.map(({ name }) => name), 'spawn', 'fork'],
      trusted: (file, content) => this.trust.isTrusted(file, content),
    })
    this.ancestor = this.#resolveLineage()
    this.#supervisor = new Supervisor({
      gatewayId: randomUUID(),
      stateDir: this.#stateDir,
      warn: (message) => this.#log.warn({}, message),
      ...present({ inheritedMarker: this.#env['SUBGATE_RUN'] }),
    })
    this.runtime = new GatewayRuntime({
      store: this.#store,
      settings: hostSettings(this.loaded.config, cwd, options),
      lineage: {
        ...present({ ancestor: this.ancestor }),
        sign: (claims) => signLineage(claims, loadKey(this.#stateDir)),
      },
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

  get log(): Logger {
    return this.#log
  }

  /** What an untrusted project's file tried, one line a key. */
  get warnings(): readonly string[] {
    return this.loaded.withheld.map(withheldLine)
  }

  /** Configured keys that nothing here acts on, one line each. */
  get notes(): readonly string[] {
    return inertKeys(this.loaded.config)
  }

  /** Which files count, and each key with its value and layer; secrets are masked. */
  configuration(): { readonly document: ConfigDescription; readonly text: string } {
    return describeConfig(this.loaded)
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
    await Promise.all([...this.#withProcess].map(async (provider) => provider[Symbol.asyncDispose]?.()))
    await this.#supervisor[Symbol.asyncDispose]()
    await this.#reaping
  }

  async #register(): Promise<void> {
    const { providers } = this.runtime
    for (const { provider, settings, aliases } of this.#options.providers ?? []) {
      providers.add(provider, settings, aliases)
    }
    const { command } = this.#options
    if (command !== undefined) providers.add(this.#process('acp', command, {}), this.#settings({}))
    for (const [name, config] of Object.entries(this.loaded.config.providers)) {
      const provider = await this.#configured(name, config)
      if (provider !== undefined) providers.add(provider, this.#settings(config), aliasesOf(name))
    }
    // Looking for agents takes time that a start by command line need not spend.
    providers.later(() => this.#registerFound())
  }

  #registerFound(): void {
    const { providers } = this.runtime
    const place = { config: this.loaded.config, env: this.#env, stateDir: this.#stateDir, store: this.#store }
    for (const { provider, settings, aliases } of builtInAgents(place))
      providers.add(provider, settings, aliases)
    for (const { agent, program } of this.agents()) {
      const config = this.loaded.config.providers[agent.name] ?? {}
      if (program === undefined || config.command !== undefined || config.module !== undefined) continue
      const provider = this.#process(agent.name, [program, ...agent.args], config)
      providers.add(provider, this.#settings(config), agent.aliases)
    }
  }

  async #configured(name: string, config: ProviderConfig): Promise<SubagentProvider | undefined> {
    const { command, module } = config
    if (module !== undefined) return loadProvider(name, module, this.loaded)
    const [program, ...args] = command ?? []
    return program === undefined ? undefined : this.#process(name, [program, ...args], config)
  }

  #process(name: string, command: CommandLine, config: ProviderConfig): ProcessProvider {
    const provider = processProvider(name, command, config, {
      supervisor: this.#supervisor,
      stateDir: this.#stateDir,
      log: this.#log,
      inherited: this.#env,
      agentEnv: this.#options.agentEnv ?? {},
      ...present({ permission: this.loaded.config.permission }),
    })
    this.#withProcess.add(provider)
    return provider
  }

  #settings({ permission, concurrency, sandbox, graces }: ProviderConfig): ProviderSettings {
    const configured = permission ?? this.loaded.config.permission
    return present({ permission: configured, concurrency, sandbox, cancelMs: graces?.cancelMs })
  }

  #resolveLineage(): LineageClaims | undefined {
    return resolveLineage({
      token: this.#env[LINEAGE_VARIABLE],
      key: () => loadKey(this.#stateDir),
      records: () => listRecords(this.#stateDir),
      isLive,
      ancestors: () => ancestorsOf(process.pid),
    })
  }
}
