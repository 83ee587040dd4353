/** Which sessions are old enough to be removed, and what an age may look like. */
import { describe, expect, test } from 'vitest'
import { inOrder, prunable } from '../../../../src/sessions/pruning.ts'
import { ruleOf } from '../../../../src/cli/sessions/prune-rule.ts'
import { ALIVE, listedOf, NOW, session, settled, started } from './stored.ts'
import type { Written } from './stored.ts'

const DAY = 86_400_000
const HOUR = 3_600_000

const tree = (id: string, days: number, more: Partial<Written> = {}): Written => ({
  id,
  events: [started('x'), settled()],
  at: NOW - days * DAY,
  ...more,
})

const gone = (rule: { olderThanMs?: number; keep?: number }, ...sessions: readonly Written[]): object => {
  const { trees, held } = prunable(sessions.map(listedOf), { olderThanMs: 0, keep: 0, ...rule }, NOW)
  return { ids: inOrder(trees), held }
}

describe('what goes', () => {
  test('trees in which nothing has changed for so long', () => {
    expect(gone({ olderThanMs: 2 * DAY }, tree('a', 1), tree('b', 2), tree('c', 3))).toEqual({
      ids: ['b', 'c'],
      held: 0,
    })
  })

  test('all but the newest; both rules must be met', () => {
    expect(gone({ keep: 1 }, tree('a', 1), tree('b', 2), tree('c', 3))).toEqual({ ids: ['b', 'c'], held: 0 })
    expect(gone({ keep: 1, olderThanMs: 3 * DAY }, tree('a', 1), tree('b', 2), tree('c', 3))).toEqual({
      ids: ['c'],
      held: 0,
    })
  })

  test('a tree as a whole, children before parents; a young child keeps its parent', () => {
    const child = (days: number): Written => tree('b', days, { header: { parentId: session('a') } })
    expect(gone({ olderThanMs: 5 * DAY }, tree('a', 9), child(8))).toEqual({ ids: ['b', 'a'], held: 0 })
    expect(gone({ olderThanMs: 5 * DAY }, tree('a', 9), child(1))).toEqual({ ids: [], held: 0 })
  })

  test('never what is open, also of a dead process, nor what a living process holds', () => {
    expect(
      gone(
        {},
        tree('a', 9, { events: [started('x')], owner: ALIVE }),
        tree('b', 9, { events: [started('x')] }),
        tree('c', 9, { owner: ALIVE }),
        tree('d', 9),
        tree('e', 9, { header: { parentId: session('c') } }),
      ),
    ).toEqual({ ids: ['d'], held: 3 })
  })
})

describe('the rule', () => {
  test.each([
    [{}, { olderThanMs: 30 * DAY, keep: 0 }],
    [{ keep: '5' }, { olderThanMs: 0, keep: 5 }],
    [
      { olderThan: '2w', keep: '5' },
      { olderThanMs: 14 * DAY, keep: 5 },
    ],
    [{ olderThan: '1.5d' }, { olderThanMs: 36 * HOUR, keep: 0 }],
    [{ olderThan: '12h' }, { olderThanMs: 12 * HOUR, keep: 0 }],
    [{ olderThan: '0' }, { olderThanMs: 0, keep: 0 }],
  ])('%j', (flags, rule) => {
    expect(ruleOf(flags)).toEqual(rule)
  })

  test.each([
    { olderThan: 'x' },
    { olderThan: '-1d' },
    { olderThan: '' },
    { keep: '-1' },
    { keep: '1e3' },
    { keep: '' },
  ])('%j is refused by the name of its flag', (flags) => {
    const field = 'keep' in flags ? '--keep' : '--older-than'
    expect(() => ruleOf(flags)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST', data: { field } }))
  })
})
