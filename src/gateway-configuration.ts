/** The configuration as it counts in one place, with the trust and the presets that belong to it; nothing is started. */
import { homedir } from 'node:os'
import { loadConfig } from './config/layers.ts'
import type { LoadedConfig } from './config/config.ts'
import { dataDir } from './config/paths.ts'
import { describeConfig, withheldLine } from './config/show.ts'
import type { ConfigDescription } from './config/show.ts'
import { openTrustStore } from './config/trust.ts'
import type { TrustStore } from './config/trust.ts'
import type { SubagentError } from './contract/errors.ts'
import { silentLogger } from './contract/logger.ts'
import type { Logger } from './contract/logger.ts'
import type { Preset, PresetSource } from './contract/request.ts'
import { inertKeys } from './gateway-native.ts'
import { openPresets } from './gateway-presets.ts'
import type { GatewayPresets } from './gateway-presets.ts'
import { KNOWN_AGENTS } from './providers/acp/agents.ts'

export interface ConfigurationOptions {
  readonly cwd?: string
  /** The gateway's own environment; `process.env` when absent. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly home?: string
  /** Presets of code, which stand behind those of files; a source stands in place of all. */
  readonly presets?: PresetSource | readonly Preset[]
  readonly log?: Logger
}

export interface Configuration {
  readonly loaded: LoadedConfig
  readonly trust: TrustStore
  readonly presets: GatewayPresets
  /** What is wrong with its files. None of a wrong file counts. */
  readonly faults: readonly SubagentError[]
  /** What an untrusted project's file tried, one line a key. */
  readonly warnings: readonly string[]
  /** Configured keys that nothing here acts on, one line each. */
  readonly notes: readonly string[]
  /** Which files count, and each key with its value and layer; secrets are masked. */
  describe(): { readonly document: ConfigDescription; readonly text: string }
}

/** For commands that must work beside a wrong file, such as the one that takes trust back. */
export const openConfiguration = (options: ConfigurationOptions): Configuration => {
  const { cwd = process.cwd(), env = process.env, home = homedir(), log = silentLogger } = options
  const trust = openTrustStore(dataDir(home, env))
  const faults: SubagentError[] = []
  const loaded = loadConfig({
    cwd,
    home,
    env,
    knownAgents: [...KNOWN_AGENTS.map(({ name }) => name), 'spawn', 'fork'],
    trusted: (file, content) => trust.isTrusted(file, content),
    onFault: (error) => void faults.push(error),
  })
  return {
    loaded,
    trust,
    presets: openPresets({ home, env, trust, log, given: options.presets }),
    faults,
    warnings: loaded.withheld.map(withheldLine),
    notes: inertKeys(loaded.config),
    describe: () => describeConfig(loaded),
  }
}
