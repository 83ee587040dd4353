import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonFault } from '../../../src/config/json-text.ts'
import { parseConfig } from '../../../src/config/parse.ts'
import { errorOf } from './house.ts'

const FILE = '/home/ada/.config/subgate/config.json'
const parse = (value: unknown): unknown => parseConfig(FILE, JSON.stringify(value))
const refusal = (value: unknown) => errorOf(() => parse(value)).toJSON()

test.for([
  [{ permision: 'ask' }, 'permision', 'permission'],
  [{ limits: { idelMs: 5 } }, 'limits.idelMs', 'idleMs'],
  [{ providers: { mine: { comand: ['a'] } } }, 'providers.mine.comand', 'command'],
  [{ providers: { mine: { graces: { eofms: 1 } } } }, 'providers.mine.graces.eofms', 'eofMs'],
  [{ tools: { t: { maxdepth: 1 } } }, 'tools.t.maxdepth', 'maxDepth'],
  [{ prices: { 'a/b': { input: 1, output: 1, cachedinput: 1 } } }, 'prices.a/b.cachedinput', 'cachedInput'],
] as const)('an unknown key is an error with file, key and suggestion: %j', ([value, key, suggestion]) => {
  expect(refusal(value)).toMatchObject({
    code: 'INVALID_CONFIG',
    phase: 'request',
    data: { file: FILE, key, suggestion },
    message: `Invalid configuration in ${FILE}: unknown key "${key}". Did you mean "${suggestion}"?`,
  })
})

test('an unknown key that resembles none is answered with the known ones', () => {
  expect(refusal({ concurrency: { wat: 1 } }).message).toBe(
    `Invalid configuration in ${FILE}: unknown key "concurrency.wat". Known keys here: total, queue.`,
  )
})

test.for([
  ['permissionTimeoutMs', { permissionTimeoutMs: -1 }],
  ['limits.idleMs', { limits: { idleMs: '10m' } }],
  ['concurrency.total', { concurrency: { total: 0 } }],
  ['concurrency.queue', { concurrency: { queue: 1.5 } }],
  ['subagent.maxDepth', { subagent: { maxDepth: -1 } }],
  ['sandbox', { sandbox: 'none' }],
  ['permission', { permission: 'yes' }],
  ['providers.mine.sandbox', { providers: { mine: { sandbox: 'read-only' } } }],
  ['providers.mine.command', { providers: { mine: { command: [] } } }],
  ['providers.mine.command', { providers: { mine: { command: [''] } } }],
  ['providers.mine.env.KEY', { providers: { mine: { env: { KEY: false } } } }],
  ['tools.t.maxDepth', { tools: { t: { maxDepth: 'unbounded' } } }],
  ['providers.my.agent', { providers: { 'my.agent': {} } }],
  ['prices.a/b', { prices: { 'a/b': 3 } }],
  ['prices.a/b.output', { prices: { 'a/b': { input: 1 } } }],
  ['prices.a/b.input', { prices: { 'a/b': { input: -1, output: 1 } } }],
  ['prices.claude', { prices: { claude: { input: 1, output: 1 } } }],
  ['mcpServers', { mcpServers: [server('a'), server('a')] }],
] as const)('a bad value of %s is an error that names the key', ([key, value]) => {
  expect(refusal(value)).toMatchObject({ code: 'INVALID_CONFIG', data: { file: FILE, key } })
})

function server(name: string): object {
  return { name, command: 'x', args: [], env: [] }
}

test('the message says what the key takes', () => {
  expect(refusal({ limits: { totalMs: -5 } }).message).toBe(
    `Invalid configuration in ${FILE}: "limits.totalMs": must be a number of at least 0. ` +
      'It takes milliseconds, 0 = none.',
  )
})

test.for([0, 250, 3_000_000_000])('C30: a permission time-out of %i is fine', (permissionTimeoutMs) => {
  expect(parse({ permissionTimeoutMs })).toEqual({ permissionTimeoutMs })
})

test.for(['-1', 'NaN', 'Infinity', '1e999', 'null', '"250"'])(
  'C30: a permission time-out of %s is a configuration error at load',
  (text) => {
    expect(errorOf(() => parseConfig(FILE, `{"permissionTimeoutMs": ${text}}`)).code).toBe('INVALID_CONFIG')
  },
)

test('B2.2: a depth of -0 is refused', () => {
  expect(errorOf(() => parseConfig(FILE, '{"subagent": {"maxDepth": -0}}')).code).toBe('INVALID_CONFIG')
})

test('a provider with both command and module is an error', () => {
  expect(refusal({ providers: { mine: { command: ['a'], module: 'b' } } })).toMatchObject({
    data: { key: 'providers.mine' },
    message: expect.stringContaining('has both "command" and "module"; keep one of them'),
  })
})

test.for([
  ['{\n  "model": x\n}', 2, 12, 'a value'],
  ['{\n  "model": "a",\n}', 3, 1, 'a name in double quotes'],
  ['{"model": "a"', 1, 14, '"," or the closing bracket'],
  ['', 1, 1, 'a value'],
  ['{"model" "a"}', 1, 10, '":"'],
  ['{} {}', 1, 4, 'the end of the file'],
  ["{'model': 1}", 1, 2, 'a name in double quotes or "}"'],
  ['{"a": [1,\n2}', 2, 2, '"," or the closing bracket'],
  ['// note\n{}', 1, 1, 'a value'],
] as const)('text that is no JSON is an error with line and column: %j', ([text, line, column, expected]) => {
  const error = errorOf(() => parseConfig(FILE, text))
  expect(error.code).toBe('INVALID_CONFIG')
  expect(error.message).toBe(
    `Invalid configuration in ${FILE}: line ${line}, column ${column}: this is no JSON; ` +
      `expected ${expected} there.`,
  )
})

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test('the JSON engine and the search for the fault agree on what is JSON', () => {
  const broken = fc
    .tuple(
      fc.json(),
      fc.nat(),
      fc.constantFrom('', ',', '"', '}', ']', '[', '{', ':', '-', '0', 'e', '\\', '\n'),
    )
    .map(([text, at, more]) => {
      const cut = at % (text.length + 1)
      return text.slice(0, cut) + more + text.slice(cut + (more === '' ? 1 : 0))
    })
  fc.assert(
    fc.property(fc.oneof(broken, fc.json(), fc.string()), (text) => {
      expect(jsonFault(text) === undefined).toBe(isJson(text))
    }),
    { numRuns: 3_000 },
  )
})

test('a long string that never ends is found out in linear time', () => {
  const half = 'ab\\n'.repeat(250_000)
  const text = `{"a": "${half}`
  expect(jsonFault(text)).toMatchObject({ line: 1, column: 7, expected: 'a value' })
  const deep = '['.repeat(500_000)
  expect(jsonFault(deep)).toMatchObject({ column: 500_001, expected: 'a value or "]"' })
})

test('law 14: no message quotes what stands in the file', () => {
  const texts = [
    '{"providers": {"a": {"env": {"KEY": "sk-planted" x}}}}',
    '{"providers": {"a": {"env": {"KEY": ["sk-planted"]}}}}',
    '{"providers": {"a": {"command": "sk-planted"}}}',
    '{"permission": "sk-planted"}',
    '{"mcpServers": [{"name": "a", "command": "b", "args": [], "env": {"KEY": "sk-planted"}}]}',
  ]
  for (const text of texts) {
    expect(JSON.stringify(errorOf(() => parseConfig(FILE, text)))).not.toContain('sk-planted')
  }
})

test('a key with control characters reaches no terminal as such', () => {
  expect(refusal({ '\u001b[2Jmodel': 'x' }).message).toContain('unknown key "\\u{1b}[2Jmodel"')
})

test('a byte order mark and "$schema" are no error', () => {
  expect(parseConfig(FILE, '\uFEFF{"$schema": "./config.schema.json", "model": "m"}')).toMatchObject({
    model: 'm',
  })
})
