/** Keys that only the start of a process can honour: beside a module they would be accepted and ignored. */
import type { LoadedConfig } from './config.ts'
import { invalidConfig } from './parse.ts'

const PROCESS_KEYS = ['env', 'asks', 'fs', 'terminal', 'graces.eofMs', 'graces.termMs'] as const

/** Throws for the first such key of a provider that is a module. What is false asks for nothing. */
export const refuseProcessKeys = (name: string, { config, origins, layers }: LoadedConfig): void => {
  const { env, asks, fs, terminal, graces } = config.providers[name] ?? {}
  const said: { readonly [K in (typeof PROCESS_KEYS)[number]]: boolean } = {
    env: Object.keys(env ?? {}).length > 0,
    asks: asks === true,
    fs: fs?.read === true || fs?.write === true,
    terminal: terminal === true,
    'graces.eofMs': graces?.eofMs !== undefined,
    'graces.termMs': graces?.termMs !== undefined,
  }
  const wrong = PROCESS_KEYS.find((candidate) => said[candidate])
  if (wrong === undefined) return
  const key = `providers.${name}.${wrong}`
  const [, layer] =
    Object.entries(origins).find(([placed]) => placed === key || placed.startsWith(`${key}.`)) ?? []
  throw invalidConfig(
    layers.find((candidate) => candidate.layer === layer)?.file ?? '',
    `"${key}" stands beside a "module", which starts no process of Subgate's. Leave it out, or let the module have settings of its own.`,
    { key },
  )
}
