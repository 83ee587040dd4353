/** Properties of presets over random text: only our errors, and nothing wider from a project that isn't trusted. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SubagentError } from '../../../src/contract/errors.ts'
import type { Preset, SandboxMode } from '../../../src/contract/request.ts'
import { parsePreset } from '../../../src/presets/parse.ts'
import { ruled } from '../../../src/presets/project-rule.ts'
import { effectiveSandbox } from '../../../src/runtime/policy.ts'

const KEYS = [
  'name',
  'description',
  'tools',
  'disallowedTools',
  'model',
  'permissionMode',
  'instructions',
  'x',
]
const VALUES = [
  'a',
  '[a, b]',
  'plan',
  'bypassPermissions',
  'acceptEdits',
  'append',
  'inherit',
  '',
  '4',
  '{}',
  '*a',
  '!t x',
]
const word = fc.oneof(fc.constantFrom(...VALUES), fc.string({ maxLength: 12 }))
const line = fc.tuple(fc.constantFrom(...KEYS), word).map(([key, value]) => `${key}: ${value}`)
const likely = fc
  .tuple(fc.array(line, { maxLength: 5 }), fc.string())
  .map(([lines, body]) => ['---', ...lines, '---', body].join('\n'))
const wild = fc
  .array(
    fc.oneof(
      fc.constantFrom('---\n', ': ', '- ', '\n', '"', "'", '|', '>', '&a ', '*a', '!', '{', '[', '\t'),
      fc.string({ unit: 'binary', maxLength: 6 }),
    ),
  )
  .map((parts) => `---\n${parts.join('')}\n---\n`)
const text = fc.oneof(likely, wild, fc.string({ unit: 'binary' }))

const parsed = (source: string): Preset | undefined => {
  try {
    return parsePreset(source, '/p/x.md').preset
  } catch (error) {
    if (!SubagentError.is(error)) throw error
    expect(error.code).toBe('INVALID_CONFIG')
    expect(error.message).toContain('Invalid preset in /p/x.md')
    return undefined
  }
}

test('any text is a preset or INVALID_CONFIG, and both kinds occur', () => {
  let presets = 0
  fc.assert(
    fc.property(text, (source) => {
      if (parsed(source) !== undefined) presets += 1
    }),
    { numRuns: 2_000 },
  )
  expect(presets).toBeGreaterThan(20)
})

const ORDER: readonly SandboxMode[] = ['read-only', 'workspace-write', 'danger-full-access']
const mode = fc.option(fc.constantFrom(...ORDER), { nil: undefined })
const room = (sandbox: SandboxMode | undefined): number =>
  sandbox === undefined ? 3 : ORDER.indexOf(sandbox)
const presetOf = (sandbox: SandboxMode | undefined): Preset => ({
  name: 'p',
  ...(sandbox !== undefined && { sandbox }),
})

describe('law 11', () => {
  test('a preset of an untrusted project asks for nothing beyond workspace-write, and changes nothing else', () => {
    fc.assert(
      fc.property(text, (source) => {
        const preset = parsed(source)
        if (preset === undefined) return
        const { preset: counts, withheld } = ruled(preset)
        expect([undefined, 'read-only', 'workspace-write']).toContain(counts.sandbox)
        const { sandbox: _, ...rest } = preset
        expect(counts).toEqual(withheld.length === 0 ? preset : rest)
      }),
      { numRuns: 1_000 },
    )
  })

  test('no preset, trusted or not, gives more room than holds without it', () => {
    fc.assert(
      fc.property(mode, mode, mode, fc.boolean(), (sandbox, requested, inherited, trusted) => {
        fc.pre(room(requested) <= room(inherited) || requested === undefined || inherited === undefined)
        const preset = trusted ? presetOf(sandbox) : ruled(presetOf(sandbox)).preset
        const without = effectiveSandbox(requested, inherited)
        const withIt = effectiveSandbox(requested, inherited, preset.sandbox)
        expect(room(withIt)).toBeLessThanOrEqual(room(without))
        expect(room(withIt)).toBe(Math.min(room(without), room(preset.sandbox)))
      }),
    )
  })
})
