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

test('a warm provider that has a process for each run is named', () => {
  expect(keys({ mine: { command: ['x'], warm: true } })).toEqual([
    "providers.mine.warm doesn't count: each run starts a process of its own.",
  ])
})

test('a warm Codex is kept warm, and has no ACP methods to switch', () => {
  expect(keys({ codex: { warm: true } })).toEqual([])
  expect(keys({ codex: { asks: true, terminal: false, fs: { read: true } } })).toEqual([
    "providers.codex.asks doesn't count: this agent is driven by its own interface, which has no such thing.",
    "providers.codex.fs doesn't count: this agent is driven by its own interface, which has no such thing.",
    "providers.codex.terminal doesn't count: this agent is driven by its own interface, which has no such thing.",
  ])
})
