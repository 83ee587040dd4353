/** A model that fails: asked again while that repeats nothing, else the end of the turn. */
import { describe, expect, test } from 'vitest'
import { SubagentError } from '../../../src/contract/errors.ts'
import { faultReader } from '../../../src/agent/model-faults.ts'
import type { FaultReader } from '../../../src/agent/model-faults.ts'
import { answer, call, finish, says, usage } from '../../fixtures/agent/scripted-model.ts'
import type { Part } from '../../fixtures/agent/scripted-model.ts'
import { turnRig } from '../../fixtures/agent/turn-rig.ts'

const busy: FaultReader = {
  read: (error) => ({
    kind: 'transient',
    error: new SubagentError('AGENT_BUSY', 'prompt', String(error), {}),
    ...(error === 'soon' && { delayMs: 7_000 }),
    ...(error === 'later' && { delayMs: 900_000 }),
  }),
}

const waits = (): { readonly slept: number[]; sleep(ms: number): Promise<void> } => {
  const slept: number[] = []
  return {
    slept,
    sleep: (ms) => {
      slept.push(ms)
      return Promise.resolve()
    },
  }
}

describe('a model that fails', () => {
  test('is asked again after a back-off that doubles, or after what the service asked for', async () => {
    const clock = waits()
    const rig = turnRig({
      answers: [{ fails: 'x' }, { fails: 'x' }, { fails: 'soon' }],
      faults: busy,
      clock,
    })
    expect(await rig.run()).toMatchObject({ ended: 'completed' })
    expect(clock.slept).toEqual([500, 1_000, 7_000])
    expect(rig.events.filter(({ type }) => type === 'notice')).toHaveLength(3)
  })

  test.each([
    ['too often', ['x', 'x', 'x', 'x'], 4],
    ['and wants to be left alone for too long', ['later'], 1],
  ])('ends the turn when it fails %s', async (_, failures, requests) => {
    const rig = turnRig({ answers: failures.map((fails) => ({ fails })), faults: busy, clock: waits() })
    await expect(rig.run()).rejects.toMatchObject({ code: 'AGENT_BUSY' })
    expect(rig.model.requests).toHaveLength(requests)
  })

  test('is not asked again once something of the step was said, and its open calls end', async () => {
    const clock = waits()
    const rig = turnRig({
      answers: [[call('a', 'echo'), { type: 'error', error: 'x' }]],
      faults: busy,
      clock,
    })
    await expect(rig.run()).rejects.toMatchObject({ code: 'AGENT_BUSY' })
    expect(clock.slept).toEqual([])
    expect(rig.story().at(-1)).toBe('call a failed: The turn ended before this call was run.')
  })

  test.each<[string, readonly Part[]]>([
    ['without a finish', says('half')],
    [
      'with a finish for which the service gave no reason',
      [
        ...says('half'),
        { type: 'finish', usage: usage(1, 1), finishReason: { unified: 'other', raw: undefined } },
      ],
    ],
    ['as interrupted', [...says('half'), finish('interrupted')]],
  ])('an answer that breaks off %s is an error, not an answer', async (_, parts) => {
    const rig = turnRig({ answers: [parts], faults: faultReader({ ref: 'scripted' }, () => 0) })
    await expect(rig.run()).rejects.toMatchObject({ code: 'MODEL_ERROR', phase: 'prompt' })
  })

  test('an answer that breaks off before its first word is asked for again', async () => {
    const rig = turnRig({
      answers: [[], answer(...says('whole'))],
      faults: faultReader({ ref: 'scripted' }, () => 0),
      clock: waits(),
    })
    expect(await rig.run()).toMatchObject({ ended: 'completed' })
    expect(rig.story()).toEqual(['user: go', 'text: whole'])
  })

  test('a cancel ends the wait for another attempt', async () => {
    const rig = turnRig({
      answers: [{ fails: 'x' }],
      faults: busy,
      retry: { attempts: 9, firstDelayMs: 600_000, longestDelayMs: 600_000 },
    })
    const running = rig.run()
    await expect.poll(() => rig.events.some(({ type }) => type === 'notice')).toBe(true)
    rig.abort.abort()
    expect(await running).toEqual({ ended: 'cancelled' })
  })
})
