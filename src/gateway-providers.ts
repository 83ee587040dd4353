/** Which providers a gateway has: those of code, of a command line and of configuration, then what is found here. */
import type { LoadedConfig, ProviderConfig } from './config/config.ts'
import { SubagentError } from './contract/errors.ts'
import type { Logger } from './contract/logger.ts'
import { present } from './contract/present.ts'
import type { ProviderSettings, SubagentProvider } from './contract/provider.ts'
import { builtInAgents } from './gateway-agents.ts'
import { processProvider } from './gateway-native.ts'
import type { CommandLine, ProcessProvider } from './gateway-native.ts'
import type { Supervisor } from './process/supervisor.ts'
import { aliasesOf, titleOf } from './providers/acp/agents.ts'
import type { FoundAgent } from './providers/acp/discover.ts'
import { loadProvider } from './provider-module.ts'
import type { RegisteredProvider } from './runtime/options.ts'
import type { ProviderRegistry } from './runtime/registry.ts'
import type { Store } from './sessions/store.ts'

/** What providers are made of. */
export interface ProviderShop {
  readonly given: readonly RegisteredProvider[]
  /** A command line that is run as the provider `acp`. */
  readonly command?: CommandLine
  readonly loaded: LoadedConfig
  readonly agents: () => readonly FoundAgent[]
  readonly supervisor: Supervisor
  readonly stateDir: string
  readonly store: Store
  /** The store outlives this process. */
  readonly lasts: boolean
  readonly log: Logger
  readonly env: Readonly<Record<string, string | undefined>>
  readonly agentEnv?: Readonly<Record<string, string | true>>
  /** Hears of each provider with a process of its own: it is disposed with the gateway. */
  readonly made: (provider: ProcessProvider) => void
}

/** Rejects with what is wrong with a provider that code gave; one of configuration is told to whoever wants it. */
export const registerProviders = async (providers: ProviderRegistry, shop: ProviderShop): Promise<void> => {
  for (const { provider, settings, aliases } of shop.given) providers.add(provider, settings, aliases)
  const { command } = shop
  if (command !== undefined)
    providers.add(withProcess(shop, 'acp', command, {}, titleOf(command)), settingsOf(shop, {}))
  for (const [name, config] of Object.entries(shop.loaded.config.providers)) {
    try {
      const provider = await configured(shop, name, config)
      if (provider !== undefined) providers.add(provider, settingsOf(shop, config), aliasesOf(name))
    } catch (error) {
      // A module that can't be had is told to whoever wants it; all else goes on.
      if (!SubagentError.is(error) || error.code !== 'INVALID_CONFIG') throw error
      providers.fail(name, error, aliasesOf(name))
    }
  }
  // Looking for agents takes time that a start by command line need not spend.
  providers.later(() => registerFound(providers, shop))
}

const registerFound = (providers: ProviderRegistry, shop: ProviderShop): void => {
  const { loaded, env, stateDir, store, lasts } = shop
  const { config } = loaded
  /** A name that configuration gives to another program stays with that. */
  const taken = (word: string): boolean => {
    const { command, module } = config.providers[word] ?? {}
    return command !== undefined || module !== undefined
  }
  const free = (aliases: readonly string[] = []): string[] => aliases.filter((alias) => !taken(alias))
  for (const { provider, settings, aliases } of builtInAgents({ config, env, stateDir, store, lasts }))
    if (!taken(provider.name)) providers.add(provider, settings, free(aliases))
  for (const { agent, program } of shop.agents()) {
    const own = config.providers[agent.name] ?? {}
    if (program === undefined || taken(agent.name)) continue
    const provider = withProcess(shop, agent.name, [program, ...agent.args], own)
    providers.add(provider, settingsOf(shop, own), free(agent.aliases))
  }
}

const configured = async (
  shop: ProviderShop,
  name: string,
  config: ProviderConfig,
): Promise<SubagentProvider | undefined> => {
  const { command, module } = config
  if (module !== undefined) return loadProvider(name, module, shop.loaded)
  const [program, ...args] = command ?? []
  return program === undefined ? undefined : withProcess(shop, name, [program, ...args], config)
}

/** A provider with a process of its own. */
const withProcess = (
  { supervisor, stateDir, log, env, agentEnv = {}, loaded, made }: ProviderShop,
  name: string,
  command: CommandLine,
  config: ProviderConfig,
  title?: string,
): ProcessProvider => {
  const place = {
    supervisor,
    stateDir,
    log,
    inherited: env,
    agentEnv,
    ...present({ permission: loaded.config.permission, title }),
  }
  const provider = processProvider(name, command, config, place)
  made(provider)
  return provider
}

const settingsOf = (
  { loaded }: ProviderShop,
  { permission, concurrency, sandbox, graces }: ProviderConfig,
): ProviderSettings => {
  const chosen = permission ?? loaded.config.permission
  return present({ permission: chosen, concurrency, sandbox, cancelMs: graces?.cancelMs })
}
