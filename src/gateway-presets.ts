/** The presets of this machine: files under the trust rule, those of the embedding code, and what each needs. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { needed } from './capabilities/gate.ts'
import { configDir } from './config/paths.ts'
import type { TrustStore } from './config/trust.ts'
import type { CapabilityId } from './contract/capabilities.ts'
import type { Logger } from './contract/logger.ts'
import type { Preset, PresetSource } from './contract/request.ts'
import type { ListedPreset, PresetCatalog } from './presets/source.ts'

export interface PresetsOptions {
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly trust: TrustStore
  readonly log: Logger
  /** Presets of code, or a source in place of all files. */
  readonly given: PresetSource | readonly Preset[] | undefined
}

export interface PresetListing extends ListedPreset {
  /** The capability rows that it asks a provider for. */
  readonly needs: readonly CapabilityId[]
}

export interface GatewayPresets extends PresetSource {
  /** All, the nearest first. */
  list(cwd: string): Promise<readonly PresetListing[]>
  /** What of this preset was left out, one line a key. */
  warnings(name: string, cwd: string): Promise<readonly string[]>
  /** The projects whose presets are seen from here, with the file that trust is given to. */
  projects(cwd: string): Promise<readonly string[]>
}

const withNeeds = (entry: ListedPreset): PresetListing => ({
  ...entry,
  needs: entry.preset === undefined ? [] : needed({ request: { prompt: [] }, preset: entry.preset }),
})

const isList = (given: PresetsOptions['given']): given is readonly Preset[] => Array.isArray(given)

/** The reader of files is loaded when the first preset is looked for. */
export const openPresets = ({ home, env, trust, log, given }: PresetsOptions): GatewayPresets => {
  if (given !== undefined && !isList(given)) return onlyGiven(given)
  let opened: Promise<PresetCatalog> | undefined
  const catalog = (): Promise<PresetCatalog> => {
    opened ??= import('./presets/source.ts').then(({ presetSource }) =>
      presetSource({
        home,
        configDir: configDir(home, env),
        trusted: (project) => trust.isTrusted(trustedFile(project), contentOf(trustedFile(project))),
        code: given ?? [],
        log,
      }),
    )
    return opened
  }
  return {
    find: async (name, cwd) => (await catalog()).find(name, cwd),
    names: async (cwd) => (await catalog()).names(cwd),
    list: async (cwd) => (await (await catalog()).list(cwd)).map(withNeeds),
    warnings: async (name, cwd) => {
      const { withheldPresetLine } = await import('./presets/source.ts')
      // A fault of it is told by the start itself, in its turn.
      const found = await (await catalog()).locate(name, cwd).catch(() => undefined)
      return (found?.withheld ?? []).map((key) => withheldPresetLine(found?.file, key))
    },
    projects: async (cwd) => (await (await catalog()).projects(cwd)).map(trustedFile),
  }
}

const onlyGiven = (source: PresetSource): GatewayPresets => ({
  find: (name, cwd) => source.find(name, cwd),
  names: (cwd) => source.names(cwd),
  list: async (cwd) => {
    const presets = await Promise.all((await source.names(cwd)).map((name) => source.find(name, cwd)))
    const found = presets.filter((preset) => preset !== undefined)
    return found.map((preset) =>
      withNeeds({ name: preset.name, level: 'code', preset, withheld: [], overridden: false }),
    )
  },
  warnings: async () => [],
  projects: async () => [],
})

/** Trust is given to a project by its configuration file, whether it has one or not. */
const trustedFile = (project: string): string => join(project, '.subgate', 'config.json')

const contentOf = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
