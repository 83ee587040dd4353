/** The flags of `run`, as values of a request. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { environmentFlags, formatOf, requestFromFlags } from '../../../src/cli/run/arguments.ts'
import type { RunFlags } from '../../../src/cli/run/arguments.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'subgate-arguments-'))
})
afterEach(() => {
  rmSync(dir, { recursive: true, force: true })
})

const request = (flags: RunFlags) => requestFromFlags(flags, dir)
const refused = (message: RegExp) =>
  expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringMatching(message) })

test('without flags only the directory is asked for', () => {
  expect(request({})).toEqual({ cwd: dir })
})

test('every flag becomes its field', () => {
  expect(
    request({
      cwd: 'sub dir',
      addDir: ['one', '/two'],
      timeout: '90',
      idleTimeout: '1.5h',
      maxDepth: '2',
      maxTurns: '3',
      maxTokens: '4000',
      maxCost: '0.50',
      effort: 'high',
      mcpConfig: '[]',
      model: 'm',
      sandbox: 'read-only',
      permission: 'deny',
      label: 'L',
    }),
  ).toEqual({
    cwd: join(dir, 'sub dir'),
    additionalDirectories: [join(dir, 'one'), '/two'],
    limits: { totalMs: 90_000, idleMs: 5_400_000, maxTurns: 3, maxTokens: 4000, maxCostUsd: 0.5 },
    maxDepth: 2,
    effort: 'high',
    mcpServers: [],
    model: 'm',
    sandbox: 'read-only',
    permission: 'deny',
    label: 'L',
  })
})

test.each([
  ['reviewer', 'reviewer'],
  ['', ''],
  ['./reviewer.md', 'DIR/reviewer.md'],
  ['reviewer.md', 'DIR/reviewer.md'],
  ['agents/reviewer', 'DIR/agents/reviewer'],
  ['/etc/reviewer.md', '/etc/reviewer.md'],
])('--agent %j is the preset %j: a path stands from where it was typed', (agent, preset) => {
  expect(request({ agent, cwd: 'elsewhere' }).preset).toBe(preset.replace('DIR', dir))
})

test('an empty value is asked for as it is (law 1)', () => {
  expect(request({ model: '', maxDepth: '0', timeout: '0' })).toEqual({
    cwd: dir,
    model: '',
    maxDepth: 0,
    limits: { totalMs: 0 },
  })
})

test.each([
  ['90', 90_000],
  ['90s', 90_000],
  ['10m', 600_000],
  ['1h', 3_600_000],
  ['0', 0],
  ['0.5', 500],
])('--timeout %s is %d ms', (timeout, totalMs) => {
  expect(request({ timeout }).limits).toEqual({ totalMs })
})

test.each(['', '-1', '1d', 'soon', '1e3', 'NaN', 'Infinity', '10 m'])(
  '--idle-timeout "%s" is refused by its name',
  (idleTimeout) => {
    expect(() => request({ idleTimeout })).toThrow(refused(/--idle-timeout/u))
  },
)

test.each(['-1', '-0', '1.5', '1e3', '0x1', '"2"', 'two', '', '9007199254740993'])(
  'C25: --max-depth %j is refused',
  (maxDepth) => {
    expect(() => request({ maxDepth })).toThrow(
      refused(/^--max-depth is ".*", but it must be a whole number of at least 0\.$/u),
    )
  },
)

test.each(['0', '-1', '1.5', '1e3', 'two', '', '9007199254740993'])(
  '--max-turns and --max-tokens %j are refused by their names',
  (given) => {
    expect(() => request({ maxTurns: given })).toThrow(
      refused(/^--max-turns is ".*", but it must be a whole number of at least 1\.$/u),
    )
    expect(() => request({ maxTokens: given })).toThrow(refused(/^--max-tokens is /u))
  },
)

test.each([
  ['0', 0],
  ['0.5', 0.5],
  ['12', 12],
])('--max-cost %s is %d dollars, also under the name that Claude Code has for it', (given, maxCostUsd) => {
  expect(request({ maxCost: given }).limits).toEqual({ maxCostUsd })
  expect(request({ maxBudgetUsd: given }).limits).toEqual({ maxCostUsd })
})

test.each(['', '-1', '$5', '1e3', '.5', '1,5', 'NaN'])('--max-cost %j is refused by its name', (maxCost) => {
  expect(() => request({ maxCost })).toThrow(
    refused(/^--max-cost is ".*", but it must be an amount in US dollars, such as 0\.50\.$/u),
  )
})

test('--max-cost and --max-budget-usd are refused together', () => {
  expect(() => request({ maxCost: '1', maxBudgetUsd: '1' })).toThrow(
    'Both --max-cost and --max-budget-usd were given. Leave one out.',
  )
})

describe('--env', () => {
  test('a name passes a variable on, NAME=value sets it, also to nothing or to more than one line', () => {
    expect(environmentFlags(['A', 'B=1', 'C=', 'D=x=y\nz'])).toEqual({ A: true, B: '1', C: '', D: 'x=y\nz' })
  })

  test.each(['', '=secret-1', '1A=secret-1', 'A-B=secret-1', 'A B'])(
    '"%s" is refused without its value',
    (flag) => {
      expect(() => environmentFlags([flag])).toThrow(refused(/^--env takes NAME or NAME=value/u))
      expect(() => environmentFlags([flag])).not.toThrow(/secret-1/u)
    },
  )
})

describe('a schema', () => {
  const SCHEMA = { type: 'object', required: ['n'] }

  test('is given as JSON under both names', () => {
    const text = `  ${JSON.stringify(SCHEMA)}`
    expect(request({ jsonSchema: text }).outputSchema).toEqual(SCHEMA)
    expect(request({ outputSchema: text }).outputSchema).toEqual(SCHEMA)
  })

  test('is read from a file, relative to where the command is typed', () => {
    writeFileSync(join(dir, 'schema.json'), JSON.stringify(SCHEMA))
    expect(request({ jsonSchema: 'schema.json', cwd: '/' }).outputSchema).toEqual(SCHEMA)
  })

  test.each([
    [
      'nowhere.json',
      /^--json-schema names the file nowhere\.json, which can't be read \(ENOENT\)\. Give a file, or JSON\.$/u,
    ],
    ['{"type":', /^--json-schema holds no valid JSON\.$/u],
    ['text.json', /^--json-schema names text\.json, which holds no valid JSON\.$/u],
    ['list.json', /^--json-schema must be a JSON object\.$/u],
  ])('"%s" is refused', (jsonSchema, message) => {
    writeFileSync(join(dir, 'text.json'), 'not json')
    writeFileSync(join(dir, 'list.json'), '[1]')
    expect(() => request({ jsonSchema })).toThrow(refused(message))
  })
})

test('--json is --output-format json; without either it is text', () => {
  expect(formatOf({})).toBe('text')
  expect(formatOf({ outputFormat: 'quiet' })).toBe('quiet')
  expect(formatOf({ json: true })).toBe('json')
  expect(formatOf({ json: true, outputFormat: 'json' })).toBe('json')
})

test.each(['text', 'stream-json', 'quiet'] as const)(
  '--json and --output-format %s are refused',
  (outputFormat) => {
    expect(() => formatOf({ json: true, outputFormat })).toThrow(
      `Both --json and --output-format ${outputFormat} were given. Leave one out.`,
    )
  },
)

test('--json-schema and --output-schema are refused together', () => {
  expect(() => requestFromFlags({ jsonSchema: '{}', outputSchema: '{}' }, '/work')).toThrow(
    'Both --json-schema and --output-schema were given. Leave one out.',
  )
})
