/** The nearest known word: near enough to be a slip, and nothing else. */
import { expect, test } from 'vitest'
import { closest } from '../../../src/contract/parse.ts'

const known = ['claude-code', 'codex', 'gemini', 'opencode']

test.each([
  ['codx', 'codex'],
  ['CODEX', 'codex'],
  ['claud-code', 'claude-code'],
  ['gemmini', 'gemini'],
])('%s is meant as %s', (word, meant) => {
  expect(closest(word, known)).toBe(meant)
})

test.each(['fix', 'cargo', 'x', 'geometry'])('%s is nobody', (word) => {
  expect(closest(word, known)).toBeUndefined()
})

test('of nothing known nothing is near', () => {
  expect(closest('a', [])).toBeUndefined()
})
