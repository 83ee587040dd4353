/** The JSON schema of a configuration file, `docs/config.schema.json`: made from the strict schema and the key table. */
import * as z from 'zod/mini'
import { isRecord } from '../contract/json.ts'
import { CONFIG_KEYS } from './keys.ts'
import { configSchema } from './schema.ts'

type Node = Record<string, unknown>

const INTEGER = { type: 'integer', minimum: 0 }

/** What refinements say, which the conversion can't see. */
const REFINED: Readonly<Record<string, Node>> = {
  'subagent.maxDepth': INTEGER,
  'tools.*.maxDepth': { anyOf: [INTEGER, { const: 'provider-managed' }] },
  'providers.*.command': {
    type: 'array',
    minItems: 1,
    prefixItems: [{ type: 'string', minLength: 1 }],
    items: { type: 'string' },
  },
}

export const configJsonSchema = (): object => {
  const schema = z.toJSONSchema(configSchema(), {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // The command form of an MCP server has no type at all.
      if (zodSchema instanceof z.ZodMiniUndefined) jsonSchema.not = {}
    },
  }) as Node
  for (const { key, says, takes, initial } of CONFIG_KEYS) {
    const node = nodeAt(schema, key.split('.'))
    Object.assign(node, REFINED[key], { description: `${says} Takes ${takes}.` })
    if (initial !== undefined) node['default'] = initial
  }
  const provider = nodeAt(schema, ['providers', '*'])
  provider['not'] = { required: ['command', 'module'] }
  const { $schema, ...rest } = schema
  return { $schema, title: 'Subgate configuration', ...rest }
}

/** The schema of a dotted key; `*` leads through a list's items or an object's further properties. */
const nodeAt = (schema: Node, path: readonly string[]): Node =>
  path.reduce((node, segment) => {
    const properties = node['properties']
    const next =
      segment === '*'
        ? (node['items'] ?? node['additionalProperties'])
        : isRecord(properties)
          ? properties[segment]
          : undefined
    if (!isRecord(next)) throw new Error(`The schema has no key ${path.join('.')}`)
    return next
  }, schema)
