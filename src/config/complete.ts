/** What only the merged whole can show: a provider without a program, a tool without a provider. */
import { closest } from '../contract/parse.ts'
import type { Config, LayerFile, WithheldKey } from './config.ts'
import type { Merged } from './merge.ts'
import { invalidConfig } from './parse.ts'

const launches = (name: string): readonly string[] => [
  `providers.${name}.command`,
  `providers.${name}.module`,
]

/** Takes out what is left of providers whose program was withheld. */
export const withdraw = (
  { placed, withheld }: Merged,
  layers: readonly LayerFile[],
  known: readonly string[],
): { readonly names: ReadonlySet<string>; readonly withheld: readonly WithheldKey[] } => {
  const file = layers.find(({ layer }) => layer === 'project')?.file ?? ''
  const names = new Set(
    providerNames(layers).filter(
      (name) =>
        !known.includes(name) &&
        !launches(name).some((key) => placed.has(key)) &&
        withheld.some(({ key }) => launches(name).includes(key)),
    ),
  )
  const gone: WithheldKey[] = []
  for (const { key, path, layer } of placed.values()) {
    if (path[0] !== 'providers' || !names.has(path[1] ?? '')) continue
    if (layer === 'project') gone.push({ file, key, reason: "the provider's program was left out" })
    placed.delete(key)
  }
  return { names, withheld: gone }
}

const providerNames = (layers: readonly LayerFile[]): readonly string[] => [
  ...new Set(layers.flatMap(({ value }) => Object.keys(value.providers ?? {}))),
]

/** Throws for the first thing that is missing. */
export const checkWhole = (
  config: Config,
  layers: readonly LayerFile[],
  known: readonly string[],
  withdrawn: ReadonlySet<string>,
): void => {
  const fileOf = (section: 'providers' | 'tools', name: string): string =>
    layers.findLast(({ value }) => Object.hasOwn(value[section] ?? {}, name))?.file ?? ''
  for (const name of providerNames(layers)) {
    if (known.includes(name) || withdrawn.has(name)) continue
    const provider = Object.hasOwn(config.providers, name) ? config.providers[name] : undefined
    if (provider?.command !== undefined || provider?.module !== undefined) continue
    const key = `providers.${name}`
    const suggestion = closest(name, known)
    const advice = suggestion === undefined ? '' : ` Or did you mean the agent "${suggestion}"?`
    throw invalidConfig(
      fileOf('providers', name),
      `"${key}" says no program. Give it a "command" or a "module".${advice}`,
      { key, ...(suggestion !== undefined && { suggestion }) },
    )
  }
  for (const name of new Set(layers.flatMap(({ value }) => Object.keys(value.tools ?? {})))) {
    if (Object.hasOwn(config.tools, name) && config.tools[name]?.provider !== undefined) continue
    const key = `tools.${name}.provider`
    throw invalidConfig(
      fileOf('tools', name),
      `"${key}" is missing. Name the provider that this tool uses.`,
      {
        key,
      },
    )
  }
}
