/** Takes configuration apart into single keys, the unit that layers and trust decide about, and back. */
import type { McpServer } from '../contract/content.ts'
import { isRecord } from '../contract/json.ts'
import type { Config, PartialConfig } from './config.ts'
import { CONFIG_KEYS } from './keys.ts'
import type { ConfigKey } from './keys.ts'

export interface Leaf {
  readonly key: string
  readonly path: readonly string[]
  readonly row: ConfigKey
  readonly value: unknown
}

/** In the order of the key table. */
export const leavesOf = (value: PartialConfig): readonly Leaf[] =>
  CONFIG_KEYS.flatMap((row) => descend(value, row.key.split('.'), [], row))

const descend = (
  value: unknown,
  pattern: readonly string[],
  path: readonly string[],
  row: ConfigKey,
): readonly Leaf[] => {
  const [segment, ...rest] = pattern
  if (segment === undefined) return [{ key: path.join('.'), path, row, value }]
  if (Array.isArray(value))
    return (value as McpServer[]).map((server) => {
      const named = [...path, server.name]
      return { key: named.join('.'), path: named, row, value: server }
    })
  if (!isRecord(value)) return []
  const names = segment === '*' ? Object.keys(value) : Object.hasOwn(value, segment) ? [segment] : []
  return names.flatMap((name) => descend(value[name], rest, [...path, name], row))
}

type Node = Record<string, unknown>

/** The whole again, from leaves that hold all that has a default. */
export const assemble = (leaves: Iterable<Leaf>): Config => {
  const servers: unknown[] = []
  const root: Node = { mcpServers: servers, providers: {}, tools: {} }
  for (const { path, value } of leaves) {
    if (path[0] === 'mcpServers') servers.push(value)
    else place(root, path, value)
  }
  return root as unknown as Config
}

const place = (root: Node, path: readonly string[], value: unknown): void => {
  let node = root
  for (const segment of path.slice(0, -1)) {
    if (!Object.hasOwn(node, segment)) node[segment] = {}
    node = node[segment] as Node
  }
  node[path.at(-1) ?? ''] = value
}
