/** What `subgate config show` prints: each key with its value and layer, secrets masked. */
import type { JsonValue } from '../contract/json.ts'
import type { LayerName, LayerState, LoadedConfig, WithheldKey } from './config.ts'
import { CONFIG_KEYS } from './keys.ts'
import { leavesOf } from './leaves.ts'
import { maskValue } from './mask.ts'
import { printable } from '../contract/printable.ts'

export interface ConfigDescription {
  readonly layers: readonly {
    readonly layer: LayerName
    readonly file: string
    readonly state: LayerState
  }[]
  /** Every key there is; a `*` stands for any name, where nothing of that kind is set. */
  readonly keys: readonly {
    readonly key: string
    /** Absent where the key is unset. */
    readonly value?: JsonValue
    readonly layer: 'default' | 'unset' | LayerName
  }[]
  readonly withheld: readonly WithheldKey[]
}

/** The document and the same as text. */
export const describeConfig = (
  loaded: LoadedConfig,
): { readonly document: ConfigDescription; readonly text: string } => {
  const document: ConfigDescription = {
    layers: loaded.layers,
    keys: keysOf(loaded),
    withheld: loaded.withheld,
  }
  return { document, text: textOf(document) }
}

/** In the order of the key table. */
const keysOf = ({ config, origins }: LoadedConfig): ConfigDescription['keys'] => {
  const leaves = leavesOf(config)
  return CONFIG_KEYS.flatMap((known): ConfigDescription['keys'] => {
    const set = leaves.filter(({ row }) => row === known)
    if (set.length === 0) return [{ key: known.key, layer: 'unset' }]
    return set.map(({ key, value }) => ({
      key,
      value: maskValue(known.key, value),
      layer: origins[key] ?? 'default',
    }))
  })
}

const shown = (value: JsonValue | undefined): string =>
  value === undefined ? '-' : typeof value === 'string' ? value : JSON.stringify(value)

const textOf = ({ layers, keys, withheld }: ConfigDescription): string => {
  const sections = [
    columns(layers.map(({ layer, state, file }) => [layer, state, file])),
    columns(keys.map(({ key, value, layer }) => [key, shown(value), layer])),
    withheld.map(withheldLine),
  ]
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n')
}

/** One line for a person; it names the key and never its value. */
export const withheldLine = ({ file, key, reason }: WithheldKey): string =>
  printable(`${key} in ${file} doesn't count: ${reason}. Trust the project with: subgate trust`)

const columns = (rows: readonly (readonly string[])[]): string[] => {
  const cells = rows.map((row) => row.map(printable))
  const widths = (cells[0] ?? []).map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)))
  return cells.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
