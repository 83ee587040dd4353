/** Limits of a child beside its parent's (law 11), and slow readers, whose time is no silence of the agent. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { RunLimits } from '../../../src/contract/request.ts'
import { inheritLimits, remainingLimits } from '../../../src/runtime/inherit-limits.ts'
import { HIGH_WATER_BYTES } from '../../../src/sessions/readers.ts'
import { say } from '../../fixtures/entries.ts'
import { house } from '../../fixtures/house.ts'
import { EVERY_ROW, puppet } from '../../fixtures/puppet.ts'
import { storeHouse } from '../../fixtures/store-file.ts'

const HOST = { idleMs: 600, totalMs: 0 }

test.each<[string, RunLimits, RunLimits | undefined, RunLimits]>([
  ['a root keeps its own', { idleMs: 5 }, undefined, { idleMs: 5 }],
  ['a parent that was asked for nothing hands nothing down', { idleMs: 0 }, {}, { idleMs: 0 }],
  ['the lower time counts', { idleMs: 9, totalMs: 2 }, { idleMs: 3, totalMs: 7 }, { idleMs: 3, totalMs: 2 }],
  ['0 is none, which is higher than any', { idleMs: 0 }, { idleMs: 3 }, { idleMs: 3 }],
  ['none of a parent lowers nothing', { totalMs: 4 }, { totalMs: 0 }, { totalMs: 4 }],
  ['the default of the host binds a child that asks for nothing', {}, { idleMs: 900 }, { idleMs: 600 }],
  ['counts are handed down', { maxTurns: 9 }, { maxTurns: 2, maxCostUsd: 1 }, { maxTurns: 2, maxCostUsd: 1 }],
])('law 11: of two limits %s', (_name, own, above, expected) => {
  expect(inheritLimits(own, above, HOST, EVERY_ROW)).toEqual(expected)
})

test('a count is not handed to a provider that has no row for it', () => {
  const above = { maxTurns: 2, maxTokens: 100 }
  expect(inheritLimits({}, above, HOST, { ...EVERY_ROW, maxTurns: 'none' })).toEqual({ maxTokens: 100 })
})

test('law 11: of a run in another process what is left of its total time counts, and its other limits as they are', () => {
  const limits = { startedAt: 1000, totalMs: 500, idleMs: 30, maxTurns: 2 }
  expect(remainingLimits(limits, 1400)).toEqual({ totalMs: 100, idleMs: 30, maxTurns: 2 })
  expect(remainingLimits(limits, 1500)).toEqual({ totalMs: 1, idleMs: 30, maxTurns: 2 })
  expect(remainingLimits(limits, 0)).toEqual({ totalMs: 500, idleMs: 30, maxTurns: 2 })
  expect(remainingLimits({ startedAt: 1000, totalMs: 0, maxTokens: 9 }, 5000)).toEqual({
    totalMs: 0,
    maxTokens: 9,
  })
})

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
})
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

test('law 11: a child that asks for no idle limit ends by the one that its grandparent was asked to keep to', async () => {
  await using home = house()
  const root = await home.start({ limits: { idleMs: 300, maxTurns: 3 } })
  const child = await home.start({ parent: { sessionId: root.sessionId } })
  const last = await home.start({ parent: { sessionId: child.sessionId }, limits: { idleMs: 0 } })
  expect(home.puppet.requests.at(-1)?.limits).toMatchObject({ idleMs: 300, maxTurns: 3 })
  await pass(299)
  expect(home.runtime.load.active).toBe(1)
  await pass(1)
  expect((await last.result).category).toBe('idle')
  root.cancel()
  await root.result
})

test('law 11: a child in another process keeps to the limits of the run that its token was given to', async () => {
  using place = storeHouse()
  const everything = { puppet: puppet({ capabilities: EVERY_ROW }) }
  await using one = house({ store: place.open('one'), ...everything })
  const root = await one.start({ limits: { totalMs: 9000, idleMs: 300, maxTurns: 3, maxCostUsd: 0.5 } })
  await pass(100)
  const ancestor = { session: root.sessionId, root: root.sessionId, depth: 0 }
  const lineage = { ancestor, sign: () => 'token' }
  const inner = puppet({ capabilities: EVERY_ROW })
  await using two = house({ store: place.open('two'), puppet: inner, lineage })
  const child = await two.start({ limits: { maxTurns: 9, idleMs: 0 } })
  expect(inner.requests.at(-1)?.limits).toEqual({
    totalMs: 8900,
    idleMs: 300,
    maxTurns: 3,
    maxCostUsd: 0.5,
  })
  child.cancel()
  await child.result
  root.cancel()
  await root.result
})

test('C31: while a reader is behind, the idle limit of the agent that waits for it stands still', async () => {
  const followed = Promise.withResolvers<void>()
  const own = puppet({
    play: async ({ turn, outcome }) => {
      await followed.promise
      const goOn = turn.emit({ type: 'session/update', update: say('much') }, HIGH_WATER_BYTES + 1)
      expect(goOn).toBe(false)
      await turn.drained()
      turn.emit({ type: 'session/update', update: say('more') }, 1)
      return outcome
    },
  })
  await using home = house({ puppet: own })
  const run = await home.start({ limits: { idleMs: 1000 } })
  const events = run.events()[Symbol.asyncIterator]()
  await events.next()
  followed.resolve()
  await pass(5000)
  expect(home.runtime.load.active).toBe(1)
  for (let event = await events.next(); ; event = await events.next()) {
    if (JSON.stringify(event.value).includes('more')) break
  }
  await pass(999)
  expect(home.runtime.load.active).toBe(1)
  await pass(1)
  expect((await run.result).category).toBe('idle')
  await events.return?.()
})
