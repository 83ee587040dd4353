/** Merges the layers key by key: what each may say is decided by the key table alone. */
import type { LayerFile, LayerName, PartialConfig, WithheldKey } from './config.ts'
import { CONFIG_KEYS } from './keys.ts'
import { leavesOf } from './leaves.ts'
import type { Leaf } from './leaves.ts'
import { binds, widthOf } from './width.ts'

export interface Placed extends Leaf {
  readonly layer: 'default' | LayerName
}

type Placements = Map<string, Placed>

export interface Merged {
  readonly placed: Placements
  readonly withheld: readonly WithheldKey[]
  /** Layers of which something was left out. */
  readonly cut: ReadonlySet<LayerName>
}

/** From low to high: defaults, user, project, system. */
export const mergeLayers = (layers: readonly LayerFile[], trusted: boolean): Merged => {
  const placed: Placements = new Map(defaults().map((leaf) => [leaf.key, leaf]))
  const of = (layer: LayerName): LayerFile | undefined => layers.find((file) => file.layer === layer)
  const [user, project, system] = [of('user'), of('project'), of('system')]
  const cut = new Set<LayerName>()
  for (const leaf of leavesOf(user?.value ?? {})) put(placed, leaf, 'user')

  const base: Placements = new Map(placed)
  if (system !== undefined) impose(base, system.value)
  const withheld: WithheldKey[] = []
  for (const leaf of leavesOf(project?.value ?? {})) {
    const reason = trusted ? undefined : objection(leaf, base)
    if (reason === undefined) put(placed, leaf, 'project')
    else withheld.push({ file: project?.file ?? '', key: leaf.key, reason })
  }
  if (withheld.length > 0) cut.add('project')

  if (system !== undefined) for (const layer of impose(placed, system.value)) cut.add(layer)
  return { placed, withheld, cut }
}

const defaults = (): readonly Placed[] =>
  CONFIG_KEYS.filter((row) => row.initial !== undefined).map((row) => ({
    key: row.key,
    path: row.key.split('.'),
    row,
    value: row.initial,
    layer: 'default',
  }))

const rivalOf = ({ path, row }: Leaf): string | undefined =>
  row.rival === undefined ? undefined : [...path.slice(0, -1), row.rival].join('.')

const put = (placed: Placements, leaf: Leaf, layer: LayerName): void => {
  const rival = rivalOf(leaf)
  if (rival !== undefined) placed.delete(rival)
  placed.set(leaf.key, { ...leaf, layer })
}

/** Why an untrusted project may not say this; `base` is what holds without it. */
const objection = ({ key, row, value }: Leaf, base: Placements): string | undefined => {
  if (row.project === 'choose') return undefined
  if (row.project === 'trust') return row.because ?? 'it needs trust'
  const held = base.get(key)?.value ?? base.get(row.under ?? '')?.value ?? row.absent
  return row.width !== undefined && widthOf(row.width, value) <= widthOf(row.width, held)
    ? undefined
    : `it is wider than ${JSON.stringify(held)}`
}

/** Lays the system layer over the others; returns those that lost something to it. */
const impose = (placed: Placements, value: PartialConfig): readonly LayerName[] => {
  const lost: LayerName[] = []
  const system = new Map(leavesOf(value).map((leaf) => [leaf.key, leaf]))
  const drop = (key: string): void => {
    const layer = placed.get(key)?.layer
    if (layer !== undefined && layer !== 'default' && layer !== 'system') lost.push(layer)
    placed.delete(key)
  }
  for (const [key, lower] of placed) {
    const { row } = lower
    const held = system.get(key)
    if (lower.layer === 'default') continue
    if (held !== undefined) {
      if (row.width === undefined || widthOf(row.width, lower.value) > widthOf(row.width, held.value))
        drop(key)
      continue
    }
    const bound = system.get(row.frees ?? row.under ?? '')
    if (bound?.row.width === undefined || !binds(bound.row.width, bound.value)) continue
    const frees = row.frees !== undefined && lower.value !== false
    const wider =
      row.under !== undefined && widthOf(bound.row.width, lower.value) > widthOf(bound.row.width, bound.value)
    if (frees || wider) drop(key)
  }
  for (const leaf of system.values()) {
    const rival = rivalOf(leaf)
    if (rival !== undefined) drop(rival)
    const kept = placed.get(leaf.key)
    if (kept === undefined || kept.layer === 'default') placed.set(leaf.key, { ...leaf, layer: 'system' })
  }
  return lost
}

/** The keys of a request (dotted, as in configuration) whose values are wider than the system layer allows. */
export const beyondSystem = (
  system: PartialConfig,
  requested: Readonly<Record<string, unknown>>,
): readonly string[] =>
  leavesOf(system)
    .filter(({ key, row, value }) => {
      if (row.width === undefined || requested[key] === undefined) return false
      return widthOf(row.width, requested[key]) > widthOf(row.width, value)
    })
    .map((leaf) => leaf.key)
