/** Loads a provider from a module that the configuration names (`providers.X.module`). */
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { LoadedConfig } from './config/config.ts'
import { refuseProcessKeys } from './config/module-keys.ts'
import { boundedDetail } from './contract/bounded.ts'
import { SubagentError } from './contract/errors.ts'
import { isRecord } from './contract/json.ts'
import type { SubagentProvider } from './contract/provider.ts'
import { isProvider } from './contract/provider-shape.ts'

/** Paths are relative to the configuration file; other words are packages, looked up from there. */
const locate = (module: string, directory: string): string =>
  module.startsWith('.') || module.startsWith('/')
    ? resolve(directory, module)
    : createRequire(join(directory, 'config.json')).resolve(module)

/** On one line, without the place in this program that asked for it. */
const wordsOf = (error: unknown): string =>
  boundedDetail(error instanceof Error ? error.message : String(error))
    .replaceAll(/\s+/gu, ' ')
    .replace(/ imported from \S+$/u, '')
    .replace(/\.$/u, '')

/** The module exports `provider` (or has it as its default), whose name is the configured one. */
export const loadProvider = async (
  name: string,
  module: string,
  loadedConfig: LoadedConfig,
): Promise<SubagentProvider> => {
  refuseProcessKeys(name, loadedConfig)
  const { origins, layers } = loadedConfig
  const key = `providers.${name}.module`
  const layer = layers.find((candidate) => candidate.layer === origins[key])
  const file = layer?.file ?? resolve('.')
  const refuse = (why: string, cause?: unknown): never => {
    throw new SubagentError(
      'INVALID_CONFIG',
      'resolve',
      `${file}: "${key}" is ${JSON.stringify(module)}, ${why}`,
      { file, key },
      { cause },
    )
  }
  const loaded: unknown = await Promise.try(
    () => import(pathToFileURL(locate(module, dirname(file))).href),
  ).catch((error: unknown) =>
    refuse(`which can't be loaded: ${wordsOf(error)}. Correct it, or the module.`, error),
  )
  const exported = isRecord(loaded) ? (loaded['provider'] ?? loaded['default']) : undefined
  if (exported === undefined)
    return refuse('which exports no `provider`. Export one made with defineProvider.')
  if (!isProvider(exported)) return refuse('whose `provider` is none. Make it with defineProvider.')
  if (exported.name === name) return exported
  return refuse(`whose provider is named "${exported.name}". Give both the same name.`)
}
