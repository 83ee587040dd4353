/** Reads the layers of configuration and merges them: user, project, and the system's above all. */
import { readFileSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { SubagentError } from '../contract/errors.ts'
import { checkWhole, withdraw } from './complete.ts'
import type {
  LayerFile,
  LayerName,
  LayerState,
  LoadedConfig,
  PartialConfig,
  ProviderConfig,
} from './config.ts'
import { assemble } from './leaves.ts'
import { mergeLayers } from './merge.ts'
import type { Merged } from './merge.ts'
import { configDir } from './paths.ts'
import { invalidConfig, parseConfig } from './parse.ts'

export interface LoadOptions {
  readonly cwd: string
  /** From `os.homedir()`. */
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly systemFile?: string
  /** Whether the user has trusted this project's file as it is now; absent = no. */
  readonly trusted?: (projectFile: string, content: string) => boolean
  /** Providers that need no command: the known agents and the built-in ones. */
  readonly knownAgents?: readonly string[]
  /** Told what is wrong with a file, which then doesn't count; absent: it is thrown. */
  readonly onFault?: (error: SubagentError) => void
}

export const SYSTEM_FILE = '/etc/subgate/config.json'
export const PROJECT_FILE: string = join('.subgate', 'config.json')

interface Source {
  readonly file: string
  readonly text: string
}

export const loadConfig = (options: LoadOptions): LoadedConfig => {
  const { cwd, home, env, systemFile = SYSTEM_FILE, knownAgents = [] } = options
  const userFile = join(configDir(home, env), 'config.json')
  const tried = attempts(options.onFault)
  const wrong = new Set<LayerName>()
  const layerOf = (layer: LayerName, source: () => Source | undefined): LayerFile | undefined =>
    tried(
      () => parsed(layer, source()),
      () => wrong.add(layer),
    )
  const source = tried(
    () => findProject(cwd, home, userFile),
    () => wrong.add('project'),
  )
  const trusted = source !== undefined && (options.trusted?.(source.file, source.text) ?? false)
  const layers = [
    layerOf('user', () => read(userFile)),
    layerOf('project', () => source),
    layerOf('system', () => read(systemFile)),
  ].filter((layer) => layer !== undefined)

  const merged = mergeLayers(layers, trusted)
  const orphans = withdraw(merged, layers, knownAgents)
  const config = assemble(merged.placed.values())
  tried(() => checkWhole(config, layers, knownAgents, orphans.names))

  const files = { user: userFile, project: source?.file ?? join(cwd, PROJECT_FILE), system: systemFile }
  return {
    config,
    layers: (['user', 'project', 'system'] as const).map((layer) => ({
      layer,
      file: files[layer],
      state: wrong.has(layer) ? 'invalid' : stateOf(layer, layers, merged),
    })),
    origins: Object.fromEntries([...merged.placed.values()].map(({ key, layer }) => [key, layer])),
    withheld: [...merged.withheld, ...orphans.withheld],
    ...(source !== undefined && { project: { file: source.file, trusted } }),
    system: layers.find(({ layer }) => layer === 'system')?.value ?? {},
  }
}

/** Runs a step; what is wrong is told where somebody listens, and the step then gives nothing. */
const attempts =
  (onFault: LoadOptions['onFault']) =>
  <T>(step: () => T, failed: () => void = () => {}): T | undefined => {
    try {
      return step()
    } catch (error) {
      if (onFault === undefined || !SubagentError.is(error)) throw error
      failed()
      onFault(error)
      return undefined
    }
  }

const stateOf = (layer: LayerName, layers: readonly LayerFile[], merged: Merged): LayerState =>
  merged.cut.has(layer) ? 'narrowed' : layers.some((file) => file.layer === layer) ? 'used' : 'absent'

const read = (file: string): Source | undefined => {
  try {
    return { file, text: readFileSync(file, 'utf8') }
  } catch (error) {
    const { code = 'EIO' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw invalidConfig(file, `it can't be read (${code}). Make it a readable file, or remove it.`)
  }
}

/** The nearest one from `cwd` upwards, below the home directory; the user's own file is no project's. */
const findProject = (cwd: string, home: string, userFile: string): Source | undefined => {
  const stops = new Set([resolve(home), real(home)])
  for (let dir = resolve(cwd); !stops.has(dir); dir = dirname(dir)) {
    const file = join(dir, PROJECT_FILE)
    const source = read(file)
    const found = source !== undefined && real(file) === real(userFile) ? undefined : source
    if (found !== undefined || dir === dirname(dir)) return found
  }
  return undefined
}

const real = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

const parsed = (layer: LayerName, source: Source | undefined): LayerFile | undefined =>
  source && { layer, file: source.file, value: anchored(parseConfig(source.file, source.text), source.file) }

/** A program or module that starts with `./` or `../` stands relative to the file that names it. */
const anchored = (value: PartialConfig, file: string): PartialConfig => {
  if (value.providers === undefined) return value
  const absolute = (path: string): string => (/^\.\.?\//.test(path) ? resolve(dirname(file), path) : path)
  const anchor = (provider: ProviderConfig): ProviderConfig => {
    const [program = '', ...args] = provider.command ?? []
    return {
      ...provider,
      ...(provider.command !== undefined && { command: [absolute(program), ...args] }),
      ...(provider.module !== undefined && { module: absolute(provider.module) }),
    }
  }
  const entries = Object.entries(value.providers).map(([name, provider]) => [name, anchor(provider)] as const)
  return { ...value, providers: Object.fromEntries(entries) }
}
