/** The approval service: policy before people, one answer, and always a pair on the log (B4). */
import { describe, expect, test } from 'vitest'
import { Approvals } from '../../../src/agent/approvals.ts'
import type { Answerer } from '../../../src/agent/approvals.ts'
import type { ApprovalAsked, ApprovalDecided, ApprovalPolicy } from '../../../src/contract/events.ts'
import { runId } from '../../../src/contract/ids.ts'
import { advance, FRESH, IllegalOrder } from '../../../src/sessions/automaton.ts'
import { foldRegisters } from '../../../src/sessions/registers.ts'
import { entry, RUN, started } from '../../fixtures/entries.ts'

const QUESTION = { title: 'Write /etc/hosts', kind: 'edit', reason: 'outside of the workspace' } as const

interface Bench {
  readonly approvals: Approvals
  readonly log: (ApprovalAsked | ApprovalDecided)[]
}

const bench = (policy: ApprovalPolicy, ...answerers: readonly Answerer[]): Bench => {
  const log: (ApprovalAsked | ApprovalDecided)[] = []
  let ids = 0
  const newId = (): string => `ask${(ids += 1)}`
  const record = (event: ApprovalAsked | ApprovalDecided): void => void log.push(event)
  return { log, approvals: new Approvals({ policy: () => policy, answerers, newId, record }) }
}

const { signal } = new AbortController()

test('B4.1: under never every ask is rejected before anybody is asked, and leaves its pair with one id', async () => {
  const { approvals, log } = bench('never', () => {
    throw new Error('nobody may be asked')
  })
  expect(await approvals.ask(QUESTION, { signal, toolCallId: 'c' })).toBe('rejected')
  expect(log).toEqual([
    { type: 'approval/asked', id: 'ask1', ...QUESTION, toolCallId: 'c' },
    { type: 'approval/decided', id: 'ask1', decision: 'rejected', by: 'policy' },
  ])
})

test('B4.1: never holds for an aborted ask too', async () => {
  expect(await bench('never').approvals.ask(QUESTION, { signal: AbortSignal.abort() })).toBe('rejected')
})

describe('B4.2: otherwise', () => {
  test('the answerers are asked in order, until one has an answer', async () => {
    const asked: string[] = []
    const { approvals } = bench(
      'ask',
      () => void asked.push('first'),
      () => {
        asked.push('second')
        return 'allowed'
      },
      () => {
        asked.push('third')
        return 'rejected'
      },
    )
    expect(await approvals.ask(QUESTION, { signal })).toBe('allowed')
    expect(asked).toEqual(['first', 'second'])
  })

  test.each<[string, readonly Answerer[]]>([
    ['no answerer', []],
    ['only one that passes', [() => undefined]],
    ['one that throws', [() => Promise.reject(new Error('x')), () => 'allowed']],
    ['one that talks nonsense', [() => 'yes' as never, () => 'allowed']],
  ])('%s is unavailable, which fails closed', async (_, answerers) => {
    const { approvals, log } = bench('ask', ...answerers)
    expect(await approvals.ask(QUESTION, { signal })).toBe('unavailable')
    expect(log.at(-1)).toEqual({
      type: 'approval/decided',
      id: 'ask1',
      decision: 'unavailable',
      by: 'nobody',
    })
  })

  test('an aborted signal is cancelled, and nobody is asked', async () => {
    const { approvals, log } = bench('ask', () => 'allowed')
    expect(await approvals.ask(QUESTION, { signal: AbortSignal.abort() })).toBe('cancelled')
    expect(log.map(({ type }) => type)).toEqual(['approval/asked', 'approval/decided'])
  })

  test('an abort while somebody thinks is cancelled, and the late answer is dropped', async () => {
    const late = Promise.withResolvers<'allowed'>()
    const abort = new AbortController()
    const { approvals, log } = bench('ask', () => late.promise)
    const answer = approvals.ask(QUESTION, { signal: abort.signal })
    abort.abort()
    expect(await answer).toBe('cancelled')
    late.resolve('allowed')
    await late.promise
    expect(log.filter(({ type }) => type === 'approval/decided')).toEqual([
      { type: 'approval/decided', id: 'ask1', decision: 'cancelled', by: 'cancel' },
    ])
  })
})

test('an answer that cannot be recorded allows nothing', async () => {
  const approvals = new Approvals({
    policy: () => 'ask',
    answerers: [() => 'allowed'],
    newId: () => 'x',
    record: (event) => {
      if (event.type === 'approval/decided') throw new Error('disk full')
    },
  })
  expect(await approvals.ask(QUESTION, { signal })).toBe('unavailable')
})

describe('on the log', () => {
  const asked = { type: 'approval/asked', id: 'a', ...QUESTION } as const

  test('an approval may stand inside a run, and outside of any', () => {
    const open = advance(FRESH, entry(1, started, RUN))
    expect(advance(open, entry(2, asked, RUN)).openRun).toBe(RUN)
    expect(advance(FRESH, entry(1, asked)).seq).toBe(1)
    expect(() => advance(open, entry(2, asked, runId('other')))).toThrow(IllegalOrder)
  })

  test('B4.1, B3.5: the last approval/policy counts, and where it came from is known', () => {
    const policies = [
      { type: 'approval/policy', policy: 'never', source: 'delegation' },
      { type: 'approval/policy', policy: 'ask', source: 'request' },
    ] as const
    expect(foldRegisters(policies.map((event, index) => entry(index + 1, event)))).toMatchObject({
      approvalPolicy: 'ask',
      approvalSource: 'request',
    })
  })
})
