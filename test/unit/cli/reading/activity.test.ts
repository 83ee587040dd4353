/** What a session does now, and in which state it is. */
import { describe, expect, test } from 'vitest'
import { activityOf } from '../../../../src/cli/reading/activity.ts'
import { stateOf } from '../../../../src/cli/reading/state.ts'
import type { SessionEvent } from '../../../../src/contract/events.ts'
import { ALIVE, asks, listedOf, NOW, said, settled, started, tool, update } from './stored.ts'
import type { Written } from './stored.ts'

const after = (events: readonly SessionEvent[], openChildren = 0): object =>
  activityOf(
    events.map((event, index) => ({ seq: index + 1, at: NOW, event })),
    openChildren,
  )

describe('what an agent does', () => {
  test('is its running tool, else whether it writes or thinks', () => {
    expect(after([started()])).toEqual({ doing: 'thinking', needsYou: false })
    expect(after([started(), said('a')])).toEqual({ doing: 'writing', needsYou: false })
    expect(after([started(), said('a'), tool('t', { title: 'Run tests' })])).toEqual({
      doing: 'Run tests',
      needsYou: false,
    })
  })

  test('is a question that waits for a person before all else', () => {
    expect(after([started(), tool('t1', { title: 'x' }), asks('q', 'Write a.md')], 2)).toEqual({
      doing: 'waiting for you: Write a.md',
      needsYou: true,
    })
  })

  test('is waiting for its children when it has said something and runs no tool', () => {
    expect(after([started(), said('a')], 1)).toMatchObject({ doing: 'waiting for 1 child' })
    expect(after([started(), said('a')], 3)).toMatchObject({ doing: 'waiting for 3 children' })
    expect(after([started(), said('a'), tool('t', { title: 'Run tests' })], 3)).toMatchObject({
      doing: 'Run tests',
    })
    expect(after([started()], 3)).toMatchObject({ doing: 'thinking' })
  })

  test('comes with the tokens and the cost that it last told of', () => {
    const used = (tokens: number, amount: number): SessionEvent =>
      update({ sessionUpdate: 'usage_update', used: tokens, size: 9, cost: { amount, currency: 'USD' } })
    expect(after([started(), used(10, 0.5), said('a'), used(20, 0.75)])).toMatchObject({
      tokens: 20,
      costUsd: 0.75,
    })
  })
})

describe('the state of a session', () => {
  const descriptor: SessionEvent = { type: 'subagent/descriptor', version: 3, provider: 'p', mode: 'kept' }
  const state = (written: Omit<Written, 'id'>): string => stateOf(listedOf({ id: 'ses_1', ...written }))

  test.each([
    ['an open run of a living process', 'running', { events: [started()], owner: ALIVE }],
    ['one that waits for a person', 'needs_you', { events: [started(), asks('q', 'x')], owner: ALIVE }],
    ['an open run whose process is dead', 'lost', { events: [started(), asks('q', 'x')] }],
    [
      'a kept one that a process holds (B11.1)',
      'idle',
      { events: [descriptor, started(), settled()], owner: ALIVE },
    ],
    ['a kept one whose holder died (B11.1)', 'ready', { events: [descriptor, started(), settled()] }],
    ['a named one that nobody holds', 'ready', { header: { name: 'n' }, events: [started(), settled()] }],
    ['one without a run', 'ready', {}],
    ['a one-shot one', 'timed_out', { events: [started(), settled({ status: 'timed_out' })] }],
  ] as const)('%s is %s', (_, expected, written) => {
    expect(state(written)).toBe(expected)
  })
})
