import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { isRecord } from '../../../src/contract/json.ts'
import { configJsonSchema } from '../../../src/config/json-schema.ts'
import { configKeyTable } from '../../../src/config/key-table.ts'
import { CONFIG_KEYS } from '../../../src/config/keys.ts'
import { parseConfig } from '../../../src/config/parse.ts'

const doc = (name: string): string => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8')
const page = doc('configuration.md')

test('the shipped JSON schema is the one that the strict schema gives', () => {
  expect(doc('config.schema.json')).toBe(`${JSON.stringify(configJsonSchema(), null, 2)}\n`)
})

test('the page on configuration holds the table of keys', () => {
  expect(page).toContain(`\n\n${configKeyTable()}\n`)
})

test('every example on the page is valid configuration, by the strict schema and by the shipped one', () => {
  const validate = new Ajv2020({ strictTuples: false }).compile(configJsonSchema())
  const examples = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, text = '']) => text)
  expect(examples).toHaveLength(2)
  for (const text of examples) {
    expect(parseConfig('configuration.md', text)).toEqual(JSON.parse(text))
    expect(validate(JSON.parse(text))).toBe(true)
  }
})

test.for([
  { permission: 'maybe' },
  { permissionTimeoutMs: -1 },
  { subagent: { maxDepth: 1.5 } },
  { unknown: 1 },
  { providers: { a: { command: [] } } },
  { providers: { a: { command: ['a'], module: 'b' } } },
  { providers: { 'a.b': {} } },
  { tools: { t: { maxDepth: 'unbounded' } } },
  { mcpServers: [{ name: 'a' }] },
  { mcpServers: [{ type: 'stdio', name: 'a', command: 'b', args: [], env: [] }] },
])('the shipped schema and the strict one both refuse %j', (value) => {
  const validate = new Ajv2020({ strictTuples: false }).compile(configJsonSchema())
  expect(validate(value)).toBe(false)
  expect(() => parseConfig('f', JSON.stringify(value))).toThrow('Invalid configuration in f')
})

/** Dotted keys of a JSON schema's leaves. */
const keysOf = (node: unknown, path: readonly string[]): readonly string[] => {
  const key = path.join('.')
  if (!isRecord(node) || key === '$schema') return []
  if (node['type'] === 'array' && key === 'mcpServers') return ['mcpServers.*']
  if (isRecord(node['properties']))
    return Object.entries(node['properties']).flatMap(([name, next]) => keysOf(next, [...path, name]))
  if (node['type'] === 'object') return keysOf(node['additionalProperties'], [...path, '*'])
  return [key]
}

test('the key table and the strict schema hold the same keys', () => {
  expect(keysOf(configJsonSchema(), []).toSorted()).toEqual(CONFIG_KEYS.map(({ key }) => key).toSorted())
})
