/** The lifecycle automaton: which event may follow which, and that a refusal leaves the log as it was. */
import { describe, expect, test } from 'vitest'
import type { SessionEvent } from '../../../src/contract/events.ts'
import { permissionId, runId } from '../../../src/contract/ids.ts'
import type { RunId } from '../../../src/contract/ids.ts'
import { advance, FRESH, IllegalOrder } from '../../../src/sessions/automaton.ts'
import type { LifecycleState } from '../../../src/sessions/automaton.ts'
import { memoryStore } from '../../../src/sessions/memory-store.ts'
import { EMPTY_REGISTERS } from '../../../src/sessions/registers.ts'
import { SessionLog } from '../../../src/sessions/session-log.ts'
import { entry, header, RUN, saying, settled, started } from '../../fixtures/entries.ts'

const OTHER = runId('run_2')
const asked: SessionEvent = {
  type: 'permission/requested',
  id: permissionId('p1'),
  toolCall: { toolCallId: 't' },
  options: [],
  path: [],
}
const answered: SessionEvent = {
  type: 'permission/resolved',
  id: permissionId('p1'),
  outcome: { outcome: 'cancelled' },
  by: 'cancel',
}
const notice: SessionEvent = { type: 'notice', severity: 'info', title: 'x' }
const late: SessionEvent = { type: 'session/late_update', update: { sessionUpdate: 'x' } }
const native: SessionEvent = { type: 'session/native_id', nativeId: 'n' }

type Step = SessionEvent | readonly [SessionEvent, RunId | undefined]

/** Events within a run carry the first run's id unless said otherwise. */
const play = (...steps: readonly Step[]): LifecycleState => {
  let state = FRESH
  for (const step of steps) {
    const [event, run] = Array.isArray(step) ? step : [step as SessionEvent, RUN]
    state = advance(state, entry(state.seq + 1, event, run))
  }
  return state
}
const outside = (event: SessionEvent): Step => [event, undefined]

test.each<[string, readonly Step[]]>([
  [
    'setup events, a run, what came late, another run',
    [
      outside(native),
      started,
      saying('a'),
      settled,
      outside(late),
      outside(notice),
      [started, OTHER],
      [settled, OTHER],
    ],
  ],
  ['a permission asked and answered', [started, asked, answered, settled]],
  [
    'the same permission id in two runs',
    [started, asked, answered, settled, [started, OTHER], [asked, OTHER], [answered, OTHER]],
  ],
  [
    'what belongs to no run, between the events of one',
    [started, outside(late), outside(notice), outside(native), notice, settled],
  ],
])('law 4: %s is in order', (_what, steps) => {
  expect(play(...steps).seq).toBe(steps.length)
})

describe('law 4: out of order is', () => {
  test.each<[string, readonly Step[]]>([
    ['a run within a run', [started, [started, OTHER]]],
    ['a start that names no run', [outside(started)]],
    ['the end of a run that never started', [settled]],
    ['a second end', [started, settled, settled]],
    ["another run's end", [started, [settled, OTHER]]],
    ['an end that names no run', [started, outside(settled)]],
    ['an end while a permission is open', [started, asked, settled]],
    ['an update before the run', [saying('a')]],
    ['an update after the run', [started, settled, saying('a')]],
    ['an update that names no run', [started, outside(saying('a'))]],
    ["another run's update", [started, [saying('a'), OTHER]]],
    ['a permission outside of a run', [asked]],
    ['a permission asked for twice', [started, asked, asked]],
    ['an answer to nothing', [started, answered]],
    ['a second answer', [started, asked, answered, answered]],
    ["an answer in another run's name", [started, asked, [answered, OTHER]]],
    ["a notice in a settled run's name", [started, settled, notice]],
    ['a late update in the name of a run', [started, late]],
    ['a setup event in the name of a run', [native]],
  ])('%s', (_what, steps) => {
    const before = play(...steps.slice(0, -1))
    expect(() => play(...steps)).toThrow(IllegalOrder)
    expect(before.seq).toBe(steps.length - 1)
  })

  test.each([0, 2, 5])('seq %d as the first', (seq) => {
    expect(() => advance(FRESH, entry(seq, native))).toThrow(IllegalOrder)
  })
})

test('a refused event leaves log, registers and store as they were', () => {
  const store = memoryStore()
  const log = SessionLog.create(store, header('s'), EMPTY_REGISTERS, () => 0)
  log.append(started, RUN)
  const before = store.get(log.id)
  expect(() => log.append(started, OTHER)).toThrow('Event 2 (run/started) is out of order: a run is open.')
  expect(store.get(log.id)).toEqual(before)
  expect(log.lastSeq).toBe(1)
  expect(log.append(settled, RUN).seq).toBe(2)
})

test('law 3: an event that the store refuses leaves no gap behind', () => {
  const store = memoryStore()
  let broken = false
  const failing = {
    ...store,
    append: (...args: Parameters<typeof store.append>) => {
      if (broken) throw new Error('disk full')
      store.append(...args)
    },
    publish: (...args: Parameters<typeof store.publish>) => {
      if (broken) throw new Error('disk full')
      store.publish(...args)
    },
  }
  const log = SessionLog.create(failing, header('s'), EMPTY_REGISTERS, () => 0)
  log.append(native)
  broken = true
  expect(() => log.append(started, RUN)).toThrow('disk full')
  expect([log.published, store.get(log.id)]).toEqual([false, undefined])
  broken = false
  log.append(started, RUN)
  broken = true
  expect(() => log.append(settled, RUN)).toThrow('disk full')
  expect(log.registers.openRun).toBe(RUN)
  broken = false
  log.append(settled, RUN)
  expect(store.read(log.id, 0, 10).map(({ seq }) => seq)).toEqual([1, 2, 3])
})
