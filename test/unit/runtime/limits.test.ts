/** Timers of a run on a fake clock: permission time-outs (C30), idle and total limits (C31). */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { PermissionOutcome } from '../../../src/contract/content.ts'
import { checkLog, house, text } from '../../fixtures/house.ts'
import type { House, HouseOptions } from '../../fixtures/house.ts'
import { puppet } from '../../fixtures/puppet.ts'
import type { PuppetTurn } from '../../fixtures/puppet.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
})
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const limits = (idleMs: number, totalMs = 0): HouseOptions => ({
  settings: { limits: { startupMs: 0, idleMs, totalMs } },
})

const begin = async (home: House, answers = false) => {
  const run = await home.start({}, { answers })
  return { run, turn: await home.puppet.turnOf(run.sessionId) }
}

/** Until one start waits; the clock stands still meanwhile. */
const queued = async (home: House): Promise<void> => {
  while (home.runtime.load.queued !== 1) await new Promise((resolve) => setImmediate(resolve))
}

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms)

const waiting = async (permissionTimeoutMs: number) => {
  const home = house({ settings: { permissionTimeoutMs } })
  const { run, turn } = await begin(home, true)
  let outcome: PermissionOutcome | undefined
  void turn.ask('t').then((answer) => {
    outcome = answer
    return outcome
  })
  return { home, run, turn, outcome: () => outcome }
}

describe('C30: an open permission', () => {
  test('is answered by policy after 250 ms where that is the limit, three times in a row', async () => {
    const { home, run, turn, outcome } = await waiting(250)
    await pass(249)
    expect(outcome()).toBeUndefined()
    await pass(1)
    expect(outcome()).toEqual({ outcome: 'selected', optionId: 'n' })
    for (const title of ['u', 'v']) {
      const next = turn.ask(title)
      await pass(250)
      expect(await next).toEqual({ outcome: 'selected', optionId: 'n' })
    }
    turn.say('done')
    turn.end()
    expect((await run.result).denied.map(({ title }) => title)).toEqual(['t', 'u', 'v'])
    await home[Symbol.asyncDispose]()
  })

  test.each([0, 3_000_000_000])('still waits after 2 s where the limit is %d', async (ms) => {
    const { home, outcome } = await waiting(ms)
    await pass(2000)
    expect(outcome()).toBeUndefined()
    await home[Symbol.asyncDispose]()
    expect(outcome()).toEqual({ outcome: 'cancelled' })
  })

  test('of 3,000,000,000 ms does end in time, although no timer of the platform is that long', async () => {
    const { home, outcome } = await waiting(3_000_000_000)
    await pass(2_999_999_999)
    expect(outcome()).toBeUndefined()
    await pass(1)
    expect(outcome()).toEqual({ outcome: 'selected', optionId: 'n' })
    await home[Symbol.asyncDispose]()
  })
})

const tool = (turn: PuppetTurn, status: 'in_progress' | 'completed'): boolean =>
  turn.turn.emit({
    type: 'session/update',
    update: { sessionUpdate: 'tool_call', toolCallId: 't', title: 'T', status },
  })

describe('C31: the limits', () => {
  test('E: chunks for ever end at the total limit, with all the text', async () => {
    await using home = house(limits(1000, 5000))
    const { run, turn } = await begin(home)
    let said = ''
    for (let at = 0; at < 5000; at += 200) {
      turn.say(`${at} `)
      said += `${at} `
      await pass(200)
    }
    const result = await run.result
    expect(result).toMatchObject({ status: 'timed_out', category: 'total', text: said, durationMs: 5000 })
    expect(result.error).toMatchObject({ code: 'TOTAL_TIMEOUT', data: { limitMs: 5000 } })
    checkLog(home.entries(run.sessionId), [result])
  })

  test('S: silence ends at the idle limit', async () => {
    await using home = house(limits(1000, 5000))
    const { run } = await begin(home)
    await pass(999)
    expect(home.runtime.load.active).toBe(1)
    await pass(1)
    const result = await run.result
    expect(result).toMatchObject({ status: 'timed_out', category: 'idle' })
    expect(result.error).toMatchObject({ code: 'IDLE_TIMEOUT', retryable: true, data: { limitMs: 1000 } })
  })

  test('T: a running tool pauses the idle limit', async () => {
    await using home = house(limits(1000))
    const { run, turn } = await begin(home)
    tool(turn, 'in_progress')
    await pass(3000)
    tool(turn, 'completed')
    await pass(900)
    turn.say('done')
    turn.end()
    expect((await run.result).status).toBe('completed')
  })

  test('an open permission pauses it, and its answer is a sign of life', async () => {
    await using home = house({ settings: { ...limits(1000).settings, permissionTimeoutMs: 3000 } })
    const { run, turn } = await begin(home, true)
    const answer = turn.ask('t')
    await pass(3000)
    await answer
    await pass(900)
    turn.say('done')
    turn.end()
    expect((await run.result).status).toBe('completed')
  })

  test('a child that runs, or waits for a slot, pauses it for its parent', async () => {
    await using home = house({
      settings: { ...limits(1000).settings, concurrency: { total: 1, queue: 5 } },
      providers: [{ provider: puppet({ name: 'other' }) }],
    })
    const { run, turn } = await begin(home)
    const stranger = home.start({ limits: { idleMs: 0 } })
    await queued(home)
    const child = turn.turn.delegation.start({
      provider: 'puppet',
      prompt: text('go'),
      limits: { idleMs: 0 },
    })
    const first = await stranger
    await queued(home)
    await pass(2500)
    first.cancel()
    const started = await child
    // No multiple of the limit: the end itself is the sign of life.
    await pass(2200)
    const played = await home.puppet.turnOf(started.sessionId)
    played.say('child')
    played.end()
    expect((await started.result).status).toBe('completed')
    await pass(900)
    turn.say('done')
    turn.end()
    expect(await run.result).toMatchObject({ status: 'completed', text: 'done' })
  })

  test('time in the queue counts against no limit', async () => {
    await using home = house({
      settings: { ...limits(1000, 1500).settings, concurrency: { total: 1, queue: 1 } },
    })
    const { run } = await begin(home)
    const waits = home.start()
    await queued(home)
    await pass(1000)
    await run.result
    const second = await waits
    await pass(999)
    expect(home.runtime.load.active).toBe(1)
    await pass(1)
    expect((await second.result).category).toBe('idle')
  })

  test('a limit of 0 is none, and one of the request goes before the host setting', async () => {
    await using home = house(limits(1000, 1000))
    const run = await home.start({ limits: { idleMs: 0, totalMs: 0 } })
    await pass(10_000_000)
    expect(home.runtime.load.active).toBe(1)
    run.cancel()
    expect((await run.result).status).toBe('cancelled')
  })
})

test('an agent that ignores its limit is ended after the grace, and the limit is still what is told', async () => {
  const deaf = puppet({ name: 'deaf', deaf: true })
  await using home = house({
    ...limits(1000),
    providers: [{ provider: deaf, settings: { cancelMs: 700 } }],
  })
  const run = await home.start({ provider: 'deaf' })
  await pass(1700)
  expect(await run.result).toMatchObject({ status: 'timed_out', category: 'idle', durationMs: 1700 })
})
