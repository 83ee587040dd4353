/** Configured keys that nothing acts on are said, never ignored without a word. */
import { expect, test } from 'vitest'
import { assemble } from '../../../src/config/leaves.ts'
import { inertKeys } from '../../../src/gateway-native.ts'
import type { ProviderConfig } from '../../../src/config/config.ts'

const keys = (providers: Readonly<Record<string, ProviderConfig>>): readonly string[] =>
  inertKeys({ ...assemble([]), providers })

test('a plain configuration has none', () => {
  expect(keys({ mine: { command: ['x'], warm: false } })).toEqual([])
})

test('warmth of a provider in a module is named', () => {
  expect(keys({ mine: { module: './x.js', warm: true } })).toEqual([
    "providers.mine.warm doesn't count: a module keeps its processes as it likes.",
  ])
})

test('agents with a process are kept warm', () => {
  const warm = { warm: true }
  expect(keys({ codex: warm, 'claude-code': warm, mine: { command: ['x'], ...warm } })).toEqual([])
})

test('Codex has no ACP methods to switch', () => {
  expect(keys({ codex: { asks: true, terminal: false, fs: { read: true } } })).toEqual([
    "providers.codex.asks doesn't count: this agent is driven by its own interface, which has no such thing.",
    "providers.codex.fs doesn't count: this agent is driven by its own interface, which has no such thing.",
    "providers.codex.terminal doesn't count: this agent is driven by its own interface, which has no such thing.",
  ])
})
