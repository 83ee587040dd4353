/** The one table of endings, and the exit codes that follow from it. */
import { expect, test } from 'vitest'
import { ENDINGS, exitCodeOf, statusOfCategory } from '../../../src/contract/endings.ts'

test('B10.3: the table of statuses, categories and exit codes', () => {
  expect(ENDINGS.map(({ status, category, exit }) => [status, category, exit])).toEqual([
    ['completed', undefined, 0],
    ['empty', 'no_text', 9],
    ['truncated', 'max_tokens', 9],
    ['truncated', 'max_turns', 9],
    ['truncated', 'budget', 7],
    ['refused', 'refusal', 9],
    ['cancelled', 'signal', 130],
    ['cancelled', 'request', 10],
    ['timed_out', 'idle', 3],
    ['timed_out', 'total', 3],
    ['timed_out', 'startup', 3],
    ['failed', 'schema', 8],
    ['failed', 'auth', 11],
    ['failed', 'busy', 12],
    ['failed', 'provider', 1],
    ['failed', 'protocol', 1],
    ['failed', 'process', 1],
    ['failed', 'model', 1],
    ['interrupted', 'owner_lost', 1],
  ])
})

const denied = [{ title: 'Write', kind: 'edit', flag: '--permission allow' }] as const

test('B10.3: only completed is success, and a denial by policy makes it 5 unless denials are to be ignored', () => {
  expect(exitCodeOf({ status: 'completed', denied: [] })).toBe(0)
  expect(exitCodeOf({ status: 'completed', denied })).toBe(5)
  expect(exitCodeOf({ status: 'completed', denied }, 'continue')).toBe(0)
  expect(exitCodeOf({ status: 'empty', category: 'no_text', denied })).toBe(9)
  const codes = ENDINGS.filter(({ status }) => status !== 'completed').map(({ exit }) => exit)
  expect(codes).not.toContain(0)
})

test('a pair that the table lacks is an error all the same', () => {
  expect(exitCodeOf({ status: 'failed', denied: [] })).toBe(1)
})

test.each([
  ['idle', 'timed_out'],
  ['startup', 'timed_out'],
  ['request', 'cancelled'],
  ['auth', 'failed'],
  ['owner_lost', 'interrupted'],
] as const)('an error of category %s ends a run as %s', (category, status) => {
  expect(statusOfCategory(category)).toBe(status)
})
