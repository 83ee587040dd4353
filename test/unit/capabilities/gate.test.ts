/** The gate: what of a request needs which row, how much of it, and the words of a refusal. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CAPABILITY_IDS, CATALOG } from '../../../src/capabilities/catalog.ts'
import type { GateInput } from '../../../src/capabilities/catalog.ts'
import { gate, needed } from '../../../src/capabilities/gate.ts'
import { bounded, claims } from '../../../src/capabilities/rows.ts'
import type { CapabilityId, Support } from '../../../src/contract/capabilities.ts'

const prompt = [{ type: 'text' as const, text: 'hi' }]
const asking = (request: Partial<GateInput['request']>): GateInput => ({ request: { prompt, ...request } })
const descriptor = { type: 'subagent/descriptor', version: 2, provider: 'p', mode: 'kept' } as const
const plain = asking({})
const server = { name: 'm', command: 'c', args: [], env: [] }
const all = claims(Object.fromEntries(CAPABILITY_IDS.map((id) => [id, 'native' as const])))

test('the rows are those of the catalogue, each with a title and how it is enforced', () => {
  expect(CAPABILITY_IDS).toEqual([
    'depthLimit',
    'persona',
    'toolFilter',
    'sandbox',
    'permissions',
    'outputSchema',
    'images',
    'audio',
    'resources',
    'additionalDirectories',
    'model',
    'effort',
    'mcpServers',
    'resume',
    'fork',
    'steer',
    'maxTurns',
    'maxTokens',
    'maxCostUsd',
  ])
  for (const { title, enforced } of Object.values(CATALOG)) expect([title, enforced]).not.toContain('')
})

/** What asks, the row it needs, the field it is named by, and whether `emulated` is enough. */
const TABLE: readonly [string, GateInput, CapabilityId, string, Support][] = [
  ['B1.4: maxDepth 0', asking({ maxDepth: 0 }), 'depthLimit', 'maxDepth', 'emulated'],
  [
    'B1.6: instructions that are appended',
    { ...plain, preset: { name: 'x', instructions: { mode: 'append', text: '' } } },
    'persona',
    'preset.instructions',
    'emulated',
  ],
  [
    'B6.1: instructions that replace',
    { ...plain, preset: { name: 'x', instructions: { mode: 'replace', text: 'a' } } },
    'persona',
    'preset.instructions',
    'native',
  ],
  [
    'B1.4: an empty historical persona',
    { ...plain, descriptor: { ...descriptor, persona: '' } },
    'persona',
    'descriptor.persona',
    'native',
  ],
  [
    'C27: a tool list that allows none',
    { ...plain, preset: { name: 'x', tools: { allow: [] } } },
    'toolFilter',
    'preset.tools',
    'emulated',
  ],
  [
    'B1.4: a historical tool filter',
    { ...plain, descriptor: { ...descriptor, toolFilter: { allow: [] } } },
    'toolFilter',
    'descriptor.toolFilter',
    'emulated',
  ],
  ['a sandbox', asking({ sandbox: 'danger-full-access' }), 'sandbox', 'sandbox', 'emulated'],
  [
    "law 11: the parent's override",
    { ...plain, inheritedSandbox: 'workspace-write' },
    'sandbox',
    'parent.sandbox',
    'emulated',
  ],
  ['B4.4: deny', asking({ permission: 'deny' }), 'permissions', 'permission', 'emulated'],
  ['B4.4: ask', asking({ permission: 'ask' }), 'permissions', 'permission', 'emulated'],
  ['B4.4: allow-reads', asking({ permission: 'allow-reads' }), 'permissions', 'permission', 'emulated'],
  [
    'a configured policy',
    { ...plain, configuredPermission: 'deny' },
    'permissions',
    'providers.*.permission',
    'emulated',
  ],
  ['B1.4: an empty schema', asking({ outputSchema: {} }), 'outputSchema', 'outputSchema', 'emulated'],
  [
    'an image',
    asking({ prompt: [...prompt, { type: 'image', data: '', mimeType: 'image/png' }] }),
    'images',
    'prompt.1',
    'emulated',
  ],
  [
    'audio',
    asking({ prompt: [{ type: 'audio', data: '', mimeType: 'audio/wav' }] }),
    'audio',
    'prompt.0',
    'emulated',
  ],
  [
    'a resource',
    asking({ prompt: [{ type: 'resource', resource: { uri: 'a:b', text: '' } }] }),
    'resources',
    'prompt.0',
    'emulated',
  ],
  [
    'a further directory',
    asking({ additionalDirectories: ['/a'] }),
    'additionalDirectories',
    'additionalDirectories',
    'emulated',
  ],
  ['a model', asking({ model: 'm' }), 'model', 'model', 'emulated'],
  [
    "B1.6: a preset's model",
    { ...plain, preset: { name: 'x', model: 'm' } },
    'model',
    'preset.model',
    'emulated',
  ],
  ['an effort', asking({ effort: 'high' }), 'effort', 'effort', 'emulated'],
  ['an MCP server', asking({ mcpServers: [server] }), 'mcpServers', 'mcpServers', 'emulated'],
  [
    'resume',
    asking({ session: { from: 'resume', sessionId: 's' as never } }),
    'resume',
    'session',
    'emulated',
  ],
  ['keep', asking({ keep: true }), 'resume', 'keep', 'emulated'],
  ['fork', asking({ session: { from: 'fork', sessionId: 's' as never } }), 'fork', 'session', 'emulated'],
  ['a turn limit', asking({ limits: { maxTurns: 1 } }), 'maxTurns', 'limits.maxTurns', 'emulated'],
  ['a token limit', asking({ limits: { maxTokens: 1 } }), 'maxTokens', 'limits.maxTokens', 'emulated'],
  [
    'B1.4: a budget of 0',
    asking({ limits: { maxCostUsd: 0 } }),
    'maxCostUsd',
    'limits.maxCostUsd',
    'emulated',
  ],
]

describe('asked for:', () => {
  test.each(TABLE)('%s needs its row, and no other', (_what, input, id, field, least) => {
    expect(needed(input)).toEqual([id])
    const refusal = gate({ name: 'p', capabilities: claims({ ...all, [id]: 'none' }) }, input)
    expect([refusal?.code, refusal?.phase]).toEqual(['UNSUPPORTED_CAPABILITY', 'gate'])
    expect(refusal?.data).toEqual({ provider: 'p', missing: [id], fields: [field], alternatives: [] })
    const emulating = gate({ name: 'p', capabilities: claims({ [id]: 'emulated' }) }, input)
    expect(emulating === undefined).toBe(least === 'emulated')
    expect(gate({ name: 'p', capabilities: claims({ [id]: 'native' }) }, input)).toBeUndefined()
  })
})

test.each<[string, GateInput]>([
  ['a bare prompt', plain],
  ['empty lists', asking({ mcpServers: [], additionalDirectories: [] })],
  ['B4.4: permission allow', asking({ permission: 'allow' })],
  ['keep: false and a new session', asking({ keep: false, session: { from: 'new' } })],
  ['limits that the gateway keeps itself', asking({ limits: { idleMs: 1, totalMs: 1 } })],
  ['a link to a resource', asking({ prompt: [{ type: 'resource_link', uri: 'a:b', name: 'b' }] })],
  ['law 11: an inherited danger-full-access', { ...plain, inheritedSandbox: 'danger-full-access' }],
  [
    'law 11: a sandbox that the deployment manages',
    { ...plain, inheritedSandbox: 'read-only', sandboxManaged: true },
  ],
  ['a preset with a name alone', { ...plain, preset: { name: 'x' } }],
  ['label, cwd, meta', asking({ label: 'x', cwd: '/', meta: {}, idempotencyKey: 'k' })],
])('%s asks for nothing', (_what, input) => {
  expect(needed(input)).toEqual([])
  expect(gate({ name: 'p', capabilities: claims() }, input)).toBeUndefined()
})

test('B1.3: all that is missing is named at once, with flags as typed and the providers that could', () => {
  const refusal = gate(
    { name: 'p', capabilities: claims() },
    asking({ maxDepth: 2, model: 'm', effort: 'low' }),
    () => [
      { name: 'p', capabilities: all },
      { name: 'half', capabilities: claims({ model: 'native' }) },
      { name: 'whole', capabilities: all },
    ],
  )
  expect(refusal?.data).toEqual({
    provider: 'p',
    missing: ['depthLimit', 'model', 'effort'],
    fields: ['maxDepth', 'model', 'effort'],
    alternatives: ['whole'],
  })
  expect(refusal?.message).toBe(
    '"maxDepth" (--max-depth), "model" (--model), "effort" (--effort) was asked for, but p can\'t honour it (depth limit, model, reasoning effort). Leave it out, or use a provider that can: whole.',
  )
})

test('without anybody who could, the refusal says so', () => {
  const refusal = gate({ name: 'p', capabilities: claims() }, asking({ model: 'm' }))
  expect(refusal?.message).toContain('Leave it out: no provider here can.')
})

const support = fc.constantFrom<Support>('none', 'emulated', 'native')
const rows = fc.record(Object.fromEntries(CAPABILITY_IDS.map((id) => [id, support])))
const inputs = fc.constantFrom(...TABLE.map(([, input]) => input))

test('more support never makes a request fail that passed before', () => {
  fc.assert(
    fc.property(rows, fc.constantFrom(...CAPABILITY_IDS), inputs, (capabilities, id, input) => {
      const before = gate({ name: 'p', capabilities: claims(capabilities) }, input)
      const after = gate({ name: 'p', capabilities: claims({ ...capabilities, [id]: 'native' }) }, input)
      return before !== undefined || after === undefined
    }),
  )
})

test('what a handshake answers never raises a declared row', () => {
  fc.assert(
    fc.property(rows, rows, inputs, (declared, answered, input) => {
      const lowered = bounded(claims(declared), answered)
      const refused = gate({ name: 'p', capabilities: claims(declared) }, input) !== undefined
      return !refused || gate({ name: 'p', capabilities: lowered }, input) !== undefined
    }),
  )
  expect(bounded(claims({ model: 'native' }), {}).model).toBe('native')
  expect(bounded(claims({ model: 'native' }), { model: 'emulated' }).model).toBe('emulated')
})
