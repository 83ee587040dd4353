/** Configured keys that nothing acts on are said, never ignored without a word. */
import { expect, test } from 'vitest'
import { assemble } from '../../../src/config/leaves.ts'
import { inertKeys } from '../../../src/config/inert.ts'

const defaults = assemble([])

test('a plain configuration has none', () => {
  expect(inertKeys({ ...defaults, providers: { mine: { command: ['x'], warm: false } } })).toEqual([])
})

test('a warm provider is named', () => {
  const config = {
    ...defaults,
    providers: { mine: { command: ['x'], warm: true } },
    tools: { helper: { provider: 'mine' } },
  }
  expect(inertKeys(config)).toEqual([
    "providers.mine.warm doesn't count: each run starts a process of its own.",
  ])
})
