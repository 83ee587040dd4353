/** Random models and tools through the loop: whatever they do, the updates come in a legal order. */
import type { LanguageModelV4FinishReason } from '@ai-sdk/provider'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ProviderEvent } from '../../src/contract/events.ts'
import { SubagentError } from '../../src/contract/errors.ts'
import { foldHistory } from '../../src/agent/history.ts'
import { advance, FRESH } from '../../src/sessions/automaton.ts'
import type { LifecycleState } from '../../src/sessions/automaton.ts'
import { entry, RUN, settled, started } from '../fixtures/entries.ts'
import { call, finish, says } from '../fixtures/agent/scripted-model.ts'
import type { Answer, Part } from '../fixtures/agent/scripted-model.ts'
import { tool, turnRig } from '../fixtures/agent/turn-rig.ts'
import type { Rig } from '../fixtures/agent/turn-rig.ts'

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const part: fc.Arbitrary<readonly Part[]> = fc.oneof(
  fc
    .record({ text: fc.constantFrom('', 'x'), id: fc.constantFrom('0', '1') })
    .map(({ text, id }) => says(text, id)),
  fc.constant<Part[]>([
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'hm' },
    { type: 'reasoning-end', id: 'r' },
  ]),
  fc
    .tuple(
      fc.constantFrom('1', '2'),
      fc.constantFrom('quick', 'slow', 'throws', 'asks', 'hangs', 'nosuch'),
      fc.constantFrom('{}', '{"a":', '3'),
    )
    .map(([id, name, input]) => [call(id, name, input)]),
)
const reason = fc.constantFrom<LanguageModelV4FinishReason['unified']>(
  'stop',
  'tool-calls',
  'length',
  'content-filter',
  'interrupted',
)
const model: fc.Arbitrary<Answer> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.array(part, { maxLength: 5 }), reason)
      .map(([parts, unified]) => [...parts.flat(), finish(unified)]),
  },
  { weight: 1, arbitrary: fc.array(part, { maxLength: 3 }).map((parts) => parts.flat()) },
  {
    weight: 1,
    arbitrary: fc.constantFrom({ fails: 'transient' }, { fails: 'fatal' }, { fails: 'overflow' }),
  },
)
const script = fc.record({
  answers: fc.array(model, { maxLength: 5 }),
  cancelAfter: fc.option(fc.nat(12), { nil: undefined }),
  limits: fc.record({
    maxTurns: fc.integer({ min: 1, max: 4 }),
    maxTokens: fc.integer({ min: 10, max: 100 }),
  }),
  parallelCalls: fc.integer({ min: 1, max: 3 }),
  policy: fc.constantFrom('ask' as const, 'never' as const),
})
type Script = typeof script extends fc.Arbitrary<infer T> ? T : never

const rigOf = ({ answers, cancelAfter, limits, parallelCalls, policy }: Script): Rig => {
  let seen = 0
  const events: ProviderEvent[] = []
  const rig = turnRig({
    answers,
    limits,
    parallelCalls,
    policy,
    toolGraceMs: 0,
    answerers: [() => 'allowed'],
    clock: { sleep: tick },
    faults: {
      read: (error) => {
        const fault = new SubagentError('MODEL_ERROR', 'prompt', String(error), {})
        if (error === 'overflow') return { kind: 'context_overflow' }
        return { kind: error === 'transient' ? 'transient' : 'fatal', error: fault }
      },
    },
    emit: (event) => {
      events.push(event)
      rig.events.push(event)
      seen += 1
      if (seen === cancelAfter) rig.abort.abort()
      return seen % 3 > 0
    },
    add: [
      tool('quick', () => Promise.resolve({ text: 'ok' })),
      tool('slow', async (_, context) => {
        await tick()
        context.report({ title: 'slowly' })
        await tick()
        context.report({ title: 'more slowly' })
        return { text: 'ok', isError: true }
      }),
      tool('throws', () => Promise.reject(new Error('no'))),
      tool('asks', async (_, context) => ({
        text: await context.ask({ title: 'May I?', kind: 'edit', reason: 'it writes' }),
      })),
      // Outlives every cancel; without one it ends.
      tool('hangs', async (_, context) => {
        for (let n = 0; n < 20; n += 1) await tick()
        if (context.signal.aborted) context.report({ title: 'after the end' })
        return { text: 'late' }
      }),
    ],
  })
  return rig
}

/** Each call: announced once, perhaps begun, ended once, and silent from then on. */
const checkCalls = (rig: Rig): void => {
  const states = new Map<string, string>()
  for (const update of rig.updates()) {
    const { sessionUpdate, toolCallId, status } = update as Partial<Record<string, string>>
    const id = String(toolCallId)
    if (sessionUpdate === 'tool_call') {
      expect(states.has(id)).toBe(false)
      states.set(id, 'pending')
    } else if (sessionUpdate === 'tool_call_update') {
      expect(['pending', 'in_progress']).toContain(states.get(id))
      states.set(id, status ?? states.get(id) ?? '')
    }
  }
  for (const state of states.values()) expect(['completed', 'failed']).toContain(state)
}

/** The runtime's automaton takes the events, and each approval has its pair. */
const checkLog = (rig: Rig): void => {
  let state: LifecycleState = FRESH
  const all = [started, ...rig.events, settled].map((event, index) => entry(index + 1, event, RUN))
  for (const each of all) state = advance(state, each)
  expect(state.openRun).toBeUndefined()
  const ids = (type: string): readonly string[] =>
    rig.events.flatMap((event) => (event.type === type && 'id' in event ? [event.id] : []))
  expect(ids('approval/decided').toSorted()).toEqual(ids('approval/asked').toSorted())
  expect(new Set(ids('approval/asked')).size).toBe(ids('approval/asked').length)
}

test('every tool call ends, nothing comes after the end, and the log folds to what the model was told', async () => {
  await fc.assert(
    fc.asyncProperty(script, async (shape) => {
      const rig = rigOf(shape)
      const outcome = await rig.run().catch((error: unknown) => error)
      const last = rig.events.length
      checkCalls(rig)
      checkLog(rig)
      if (outcome instanceof Error) expect(SubagentError.is(outcome)).toBe(true)
      else if (rig.abort.signal.aborted) {
        expect(outcome).not.toMatchObject({ category: 'max_turns' })
      }
      expect(rig.model.requests.length).toBeLessThanOrEqual(shape.limits.maxTurns * 4)
      const folded = foldHistory(rig.events.map((event, index) => entry(index + 1, event, RUN)))
      expect(folded.messages()).toEqual(rig.history.messages())
      for (let n = 0; n < 25; n += 1) await tick()
      expect(rig.events).toHaveLength(last)
    }),
    { numRuns: 150 },
  )
})
