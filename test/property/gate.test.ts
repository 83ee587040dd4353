/** The gate's laws, over requests and capabilities of any kind (law 1, B1.3, B1.4). */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { gate, needed } from '../../src/capabilities/gate.ts'
import type { GateInput } from '../../src/capabilities/catalog.ts'
import type { CapabilityId, SubagentCapabilities, Support } from '../../src/contract/capabilities.ts'
import type { ContentBlock } from '../../src/contract/content.ts'

const IDS =
  'depthLimit persona toolFilter sandbox permissions outputSchema images audio resources additionalDirectories model effort mcpServers resume fork steer maxTurns maxTokens maxCostUsd'.split(
    ' ',
  ) as readonly CapabilityId[]

const support = fc.constantFrom<Support>('none', 'emulated', 'native')
const capabilities = fc.record(
  Object.fromEntries(IDS.map((id) => [id, support])),
) as unknown as fc.Arbitrary<SubagentCapabilities>
const all = (value: Support): SubagentCapabilities =>
  Object.fromEntries(IDS.map((id) => [id, value])) as { [Id in CapabilityId]: Support }

const block = fc.constantFrom<ContentBlock>(
  { type: 'text', text: 'x' },
  { type: 'image', data: 'AA==', mimeType: 'image/png' },
  { type: 'audio', data: 'AA==', mimeType: 'audio/wav' },
  { type: 'resource', resource: { uri: 'memo:1', text: '' } },
  { type: 'resource_link', uri: 'memo:1', name: 'memo' },
)

const request = fc.record(
  {
    prompt: fc.array(block, { minLength: 1, maxLength: 4 }),
    maxDepth: fc.nat(3),
    model: fc.constantFrom('', 'm-1'),
    effort: fc.constantFrom('', 'high'),
    sandbox: fc.constantFrom('read-only', 'danger-full-access'),
    permission: fc.constantFrom('deny', 'ask', 'allow-reads', 'allow'),
    outputSchema: fc.constantFrom({}, { type: 'object' }),
    additionalDirectories: fc.array(fc.constant('/tmp'), { maxLength: 1 }),
    mcpServers: fc.array(fc.constant({ name: 'a', command: 'b', args: [], env: [] }), { maxLength: 1 }),
    keep: fc.boolean(),
    session: fc.constantFrom(
      { from: 'new' },
      { from: 'resume', sessionId: 'ses_1' },
      { from: 'fork', sessionId: 'ses_1' },
    ),
    limits: fc.record(
      { maxTurns: fc.constant(1), maxTokens: fc.constant(1), maxCostUsd: fc.constant(0), idleMs: fc.nat(9) },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['prompt'] },
) as unknown as fc.Arbitrary<GateInput['request']>

const preset = fc.record(
  {
    name: fc.constant('p'),
    instructions: fc.record({ mode: fc.constantFrom('append', 'replace'), text: fc.constantFrom('', 'x') }),
    tools: fc.constantFrom({ allow: [] }, { deny: ['Bash'] }),
    model: fc.constant('m-2'),
  },
  { requiredKeys: ['name'] },
)

const input = fc.record(
  {
    request,
    preset,
    inheritedSandbox: fc.constantFrom('read-only', 'danger-full-access'),
    sandboxManaged: fc.boolean(),
  },
  { requiredKeys: ['request'] },
) as unknown as fc.Arbitrary<GateInput>

const missing = (rows: SubagentCapabilities, asked: GateInput): readonly CapabilityId[] =>
  gate({ name: 'p', capabilities: rows }, asked)?.data.missing ?? []

describe('the gate', () => {
  test('passes everything where everything is native, and what needs nothing everywhere', () => {
    fc.assert(
      fc.property(input, (asked) => {
        expect(missing(all('native'), asked)).toEqual([])
        expect(missing(all('none'), asked)).toEqual(needed(asked))
      }),
    )
  })

  test('more support never makes a passing request fail, nor a shorter list of what is missing longer', () => {
    fc.assert(
      fc.property(input, capabilities, fc.constantFrom(...IDS), (asked, rows, id) => {
        const before = missing(rows, asked)
        const after = missing({ ...rows, [id]: 'native' }, asked)
        expect(after).toEqual(before.filter((row) => row !== id))
      }),
    )
  })

  test('names everything that is missing at once', () => {
    fc.assert(
      fc.property(input, fc.subarray([...IDS]), (asked, absent) => {
        const rows = { ...all('native'), ...Object.fromEntries(absent.map((id) => [id, 'none'])) }
        const expected = needed(asked).filter((id) => absent.includes(id))
        expect(missing(rows as SubagentCapabilities, asked)).toEqual(expected)
      }),
    )
  })

  test('offers as alternatives exactly those who would pass', () => {
    fc.assert(
      fc.property(input, fc.array(capabilities, { maxLength: 4 }), (asked, others) => {
        const subjects = others.map((rows, index) => ({ name: `o${index}`, capabilities: rows }))
        const refusal = gate({ name: 'p', capabilities: all('none') }, asked, () => subjects)
        const passing = subjects.filter((other) => gate(other, asked) === undefined).map(({ name }) => name)
        if (refusal !== undefined) expect(refusal.data.alternatives).toEqual(passing)
      }),
    )
  })
})

const prompt = [{ type: 'text', text: 'x' }] as const

describe('B1.4: present means requested', () => {
  test.each<[string, Partial<GateInput['request']>, readonly CapabilityId[]]>([
    ['maxDepth: 0', { maxDepth: 0 }, ['depthLimit']],
    ["model: ''", { model: '' }, ['model']],
    ["effort: ''", { effort: '' }, ['effort']],
    ['outputSchema: {}', { outputSchema: {} }, ['outputSchema']],
    ['maxCostUsd: 0', { limits: { maxCostUsd: 0 } }, ['maxCostUsd']],
    ['sandbox: danger-full-access', { sandbox: 'danger-full-access' }, ['sandbox']],
    ['mcpServers: []', { mcpServers: [] }, []],
    ['additionalDirectories: []', { additionalDirectories: [] }, []],
    ['permission: allow', { permission: 'allow' }, []],
    ['limits: {}', { limits: {} }, []],
    ['keep: false', { keep: false }, []],
  ])('%s needs %j', (_, fields, rows) => {
    expect(missing(all('none'), { request: { prompt, ...fields } })).toEqual(rows)
  })

  test.each<[string, Omit<GateInput, 'request'>, readonly CapabilityId[]]>([
    [
      'empty instructions',
      { preset: { name: 'p', instructions: { mode: 'append', text: '' } } },
      ['persona'],
    ],
    ['an empty allow list', { preset: { name: 'p', tools: { allow: [] } } }, ['toolFilter']],
    ['a preset of nothing', { preset: { name: 'p' } }, []],
    ['an inherited danger-full-access', { inheritedSandbox: 'danger-full-access' }, []],
    ['an inherited read-only', { inheritedSandbox: 'read-only' }, ['sandbox']],
    ['the same where the operator confines', { inheritedSandbox: 'read-only', sandboxManaged: true }, []],
  ])('%s needs %j', (_, more, rows) => {
    expect(missing(all('none'), { request: { prompt }, ...more })).toEqual(rows)
  })
})
