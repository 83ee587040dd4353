/** Tool calls of one step: side by side, checked, asked for, cancelled; whatever goes wrong is told to the model. */
import { describe, expect, test } from 'vitest'
import type { PreToolHook } from '../../../src/agent/hooks.ts'
import { PARALLEL_CALLS } from '../../../src/agent/tool-calls.ts'
import type { Tool } from '../../../src/agent/tools/tool.ts'
import { answer, call } from '../../fixtures/agent/scripted-model.ts'
import { echo, tool, turnRig } from '../../fixtures/agent/turn-rig.ts'
import type { Rig, RigOptions } from '../../fixtures/agent/turn-rig.ts'

const ran = async (options: RigOptions): Promise<Rig> => {
  const rig = turnRig(options)
  await rig.run()
  return rig
}

const hanging: Tool = tool('hang', () => new Promise<never>(() => {}))
const heeding: Tool = tool(
  'heed',
  (_, { signal }) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve({ text: 'stopped', isError: true }))
    }),
)

describe('what the model did wrong goes back to it', () => {
  test('malformed arguments, with what is wrong with them; people see them as they were', async () => {
    const rig = await ran({ answers: [answer(call('a', 'echo', '{"n": '))] })
    expect(rig.story()[2]).toMatch(
      /^call a failed: The arguments of echo are no valid JSON: .+ Call it again/u,
    )
    expect(rig.updates()[1]).toMatchObject({ sessionUpdate: 'tool_call', rawInput: '{"n": ' })
    expect(rig.asked(1).at(-2)).toMatchObject({ content: [{ type: 'tool-call', input: {} }] })
    expect(rig.asked(1).at(-1)).toMatchObject({ content: [{ output: { type: 'error-text' } }] })
  })

  test.each([
    ['[1]', 'The arguments of echo are JSON, but no object. Call it again with a JSON object.'],
    ['"x"', 'The arguments of echo are JSON, but no object. Call it again with a JSON object.'],
  ])('arguments that are no object: %s', async (raw, said) => {
    const rig = await ran({ answers: [answer(call('a', 'echo', raw))] })
    expect(rig.story()[2]).toBe(`call a failed: ${said}`)
  })

  test('arguments that do not fit the schema', async () => {
    const strict = tool('strict', () => Promise.resolve({ text: 'ok' }), {
      inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
    })
    const rig = await ran({ answers: [answer(call('a', 'strict', { n: 'x' }))], add: [strict] })
    expect(rig.story()[2]).toBe(
      "call a failed: The arguments of strict don't fit its schema: /n must be number. Correct them and call it again.",
    )
  })

  test('B7.1: an unknown name, with the known ones', async () => {
    const rig = await ran({ answers: [answer(call('a', 'ecko'))], add: [echo, hanging] })
    expect(rig.story()[2]).toBe('call a failed: There is no tool "ecko" here. The tools are: echo, hang.')
  })

  test('empty arguments are an empty object', async () => {
    const rig = await ran({ answers: [answer(call('a', 'echo', ''))] })
    expect(rig.story()).toContain('call a completed: echo {}')
  })

  test('a tool that throws', async () => {
    const broken = tool('broken', () => Promise.reject(new Error('no disk')))
    const rig = await ran({ answers: [answer(call('a', 'broken'))], add: [broken] })
    expect(rig.story()).toContain('call a failed: The tool broken failed: no disk')
  })
})

describe('side by side', () => {
  test(`B12.1: at most ${PARALLEL_CALLS} calls of a step run at once, and all of them run`, async () => {
    let running = 0
    let most = 0
    const busy = tool('busy', async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      return { text: 'ok' }
    })
    const calls = Array.from({ length: 23 }, (_, n) => call(`c${n}`, 'busy'))
    const rig = await ran({ answers: [answer(...calls)], add: [busy] })
    expect(most).toBe(10)
    expect(rig.story().filter((line) => line.includes(' completed'))).toHaveLength(23)
  })

  test('each result stands with its own call, whatever ends first', async () => {
    const gate = Promise.withResolvers<void>()
    const slow = tool('slow', () => gate.promise.then(() => ({ text: 'slow' })))
    const quick = tool('quick', () => {
      gate.resolve()
      return Promise.resolve({ text: 'quick' })
    })
    const rig = await ran({ answers: [answer(call('a', 'slow'), call('b', 'quick'))], add: [slow, quick] })
    expect(rig.asked(1).at(-1)).toMatchObject({
      content: [
        { toolCallId: 'a', toolName: 'slow', output: { value: 'slow' } },
        { toolCallId: 'b', toolName: 'quick', output: { value: 'quick' } },
      ],
    })
  })

  test('ids that a service counts anew in each answer are made unique', async () => {
    const rig = await ran({
      answers: [answer(call('c', 'echo'), call('c', 'echo')), answer(call('c', 'echo'))],
    })
    const started = rig.story().filter((line) => line.includes('pending'))
    expect(started).toEqual(['call c pending: echo', 'call c_2 pending: echo', 'call c_3 pending: echo'])
  })
})

describe('a cancel', () => {
  test('reaches a running tool, whose own last word is kept', async () => {
    const rig = turnRig({ answers: [answer(call('a', 'heed'))], add: [heeding] })
    const running = rig.run()
    await expect.poll(() => rig.story()).toContain('call a in_progress')
    rig.abort.abort()
    expect(await running).toMatchObject({ ended: 'cancelled' })
    expect(rig.story().at(-1)).toBe('call a failed: stopped')
  })

  test('does not wait for a tool that outlives it, and nothing of that tool comes after the end', async () => {
    let report: (() => void) | undefined
    const stubborn = tool('stubborn', (_, context) => {
      report = () => context.report({ title: 'still here' })
      return new Promise<never>(() => {})
    })
    const rig = turnRig({
      answers: [answer(call('a', 'stubborn'), call('b', 'stubborn'))],
      add: [stubborn],
      toolGraceMs: 10,
      parallelCalls: 1,
    })
    const running = rig.run()
    await expect.poll(() => rig.story()).toContain('call a in_progress')
    rig.abort.abort()
    expect(await running).toMatchObject({ ended: 'cancelled' })
    const before = rig.events.length
    report?.()
    expect(rig.events).toHaveLength(before)
    expect(rig.story().slice(-2)).toEqual([
      'call a failed: The run was cancelled, and stubborn did not stop in time; it may have done its work.',
      'call b failed: The run was cancelled before this call began; it was not run.',
    ])
  })
})

describe('B4.6: hooks see a call before it runs', () => {
  const withHook = (hook: PreToolHook, more: Partial<RigOptions> = {}): Promise<Rig> =>
    ran({ answers: [answer(call('a', 'echo', { n: 1 }))], hooks: [hook], ...more })

  test('one that allows, or has no opinion, lets it run', async () => {
    const rig = await ran({
      answers: [answer(call('a', 'echo'))],
      hooks: [() => undefined, () => ({ verdict: 'allow' })],
    })
    expect(rig.story()).toContain('call a completed: echo {}')
  })

  test('one that denies keeps it from running, also after another that allowed', async () => {
    const rig = await withHook(() => ({ verdict: 'deny', reason: 'not on Fridays' }), {
      hooks: [() => ({ verdict: 'allow' }), () => ({ verdict: 'deny', reason: 'not on Fridays' })],
    })
    expect(rig.story().slice(2, 3)).toEqual([
      'call a failed: A hook of this deployment denied the call: not on Fridays',
    ])
  })

  test.each<[string, PreToolHook]>([
    ['throws', () => Promise.reject(new Error('boom'))],
    ['talks nonsense', () => ({ verdict: 'maybe' }) as never],
  ])('one that %s fails closed', async (_, hook) => {
    const rig = await withHook(hook)
    expect(rig.story()[2]).toMatch(/^call a failed: A hook of this deployment .+ the call was not run/u)
  })

  test('its ask is an ask like any other: answered, and on the log', async () => {
    const rig = await withHook(() => ({ verdict: 'ask', reason: 'touches prod' }), {
      answerers: [() => 'allowed'],
    })
    const asks = rig.events.filter(({ type }) => type.startsWith('approval/'))
    expect(asks).toEqual([
      {
        type: 'approval/asked',
        id: expect.any(String),
        title: 'echo',
        kind: 'other',
        reason: 'touches prod',
        toolCallId: 'a',
      },
      { type: 'approval/decided', id: (asks[0] as { id?: string }).id, decision: 'allowed', by: 'answerer' },
    ])
    expect(rig.story()).toContain('call a completed: echo {"n":1}')
  })

  test('under never its ask is rejected, and the model is told', async () => {
    const rig = await withHook(() => ({ verdict: 'ask', reason: 'touches prod' }), {
      policy: 'never',
      answerers: [() => 'allowed'],
    })
    expect(rig.story()[2]).toBe(
      'call a failed: It needs an approval, and the approval was rejected. (touches prod)',
    )
  })
})

test('what a tool shows people beside its words stands in the update, the words in rawOutput', async () => {
  const diff = { type: 'diff' as const, path: '/work/a', oldText: 'a', newText: 'b' }
  const edit = tool('edit', () => Promise.resolve({ text: 'edited', content: [diff] }), {
    kind: 'edit',
    title: ({ path }) => `Edit ${path as string}`,
  })
  const rig = await ran({ answers: [answer(call('x', 'edit', { path: 'a' }))], add: [edit] })
  expect(rig.updates()[1]).toMatchObject({
    title: 'Edit a',
    kind: 'edit',
    name: 'edit',
    rawInput: { path: 'a' },
  })
  expect(rig.updates()[3]).toEqual({
    sessionUpdate: 'tool_call_update',
    toolCallId: 'x',
    status: 'completed',
    rawOutput: 'edited',
    content: [diff],
  })
})

test('a title that cannot be made from unchecked arguments is the tool name', async () => {
  const odd = tool('odd', () => Promise.resolve({ text: 'ok' }), {
    title: ({ path }) => (path as string).trim(),
  })
  const rig = await ran({ answers: [answer(call('x', 'odd'))], add: [odd] })
  expect(rig.story()).toContain('call x pending: odd')
})

test('what a tool says or asks after its own result is nothing to anybody', async () => {
  let late: (() => Promise<string>) | undefined
  const early = tool('early', (_, context) => {
    late = () => {
      context.report({ title: 'one more thing' })
      return context.ask({ title: 'May I?', kind: 'edit', reason: 'late' })
    }
    return Promise.resolve({ text: 'ok' })
  })
  const asks = tool('later', async () => ({ text: (await late?.()) ?? 'not asked' }))
  const rig = await ran({
    answers: [answer(call('a', 'early')), answer(call('b', 'later'))],
    add: [early, asks],
    answerers: [() => 'allowed'],
  })
  expect(rig.story()).toContain('call b completed: cancelled')
  expect(JSON.stringify(rig.events)).not.toMatch(/one more thing|May I/u)
})
