/** The loop of the built-in agent: model and tools in turn, with its limits, endings and steering. */
import { describe, expect, test } from 'vitest'
import { text } from '../../../src/contract/content.ts'
import { answer, call, finish, says, streamOf } from '../../fixtures/agent/scripted-model.ts'
import type { Part } from '../../fixtures/agent/scripted-model.ts'
import { echo, tool, turnRig } from '../../fixtures/agent/turn-rig.ts'

/** A stream that gives these parts and then neither ends nor heeds a cancel. */
const hanging = (parts: readonly Part[]) => (): ReadableStream<Part> =>
  new ReadableStream<Part>({ start: (to) => parts.forEach((part) => to.enqueue(part)) })

describe('a turn', () => {
  test('goes from the prompt over tools to the answer, all of it in updates', async () => {
    const rig = turnRig({
      answers: [answer(...says('Looking.'), call('a', 'echo', { n: 1 })), answer(...says('Found it.'))],
    })
    expect(await rig.run()).toEqual({ ended: 'completed', usage: { inputTokens: 20, outputTokens: 10 } })
    expect(rig.story()).toEqual([
      'user: go',
      'text: Looking.',
      'call a pending: echo',
      'call a in_progress',
      'call a completed: echo {"n":1}',
      'text: Found it.',
    ])
    expect(rig.asked(1)).toEqual([
      { role: 'system', content: 'You are a test.' },
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Looking.' },
          { type: 'tool-call', toolCallId: 'a', toolName: 'echo', input: { n: 1 } },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'a',
            toolName: 'echo',
            output: { type: 'text', value: 'echo {"n":1}' },
          },
        ],
      },
    ])
  })

  test('keeps what the package needs back verbatim, of text, thoughts and calls', async () => {
    const signature = { scripted: { signature: 'xyz' } }
    const item = { scripted: { itemId: 'i1' } }
    const rig = turnRig({
      answers: [
        [
          { type: 'reasoning-start', id: '0' },
          { type: 'reasoning-delta', id: '0', delta: 'Hm' },
          { type: 'reasoning-delta', id: '0', delta: '.' },
          { type: 'reasoning-end', id: '0', providerMetadata: signature },
          { type: 'reasoning-start', id: '1', providerMetadata: { scripted: { redacted: 'r' } } },
          { type: 'reasoning-end', id: '1' },
          { type: 'text-start', id: '0', providerMetadata: item },
          { type: 'text-delta', id: '0', delta: 'A' },
          { type: 'text-end', id: '0' },
          { type: 'tool-call', toolCallId: 'a', toolName: 'echo', input: '{}', providerMetadata: item },
          finish('tool-calls'),
        ],
      ],
    })
    await rig.run()
    expect(rig.asked(1)[2]).toEqual({
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm.', providerOptions: signature },
        { type: 'reasoning', text: '', providerOptions: { scripted: { redacted: 'r' } } },
        { type: 'text', text: 'A', providerOptions: item },
        { type: 'tool-call', toolCallId: 'a', toolName: 'echo', input: {}, providerOptions: item },
      ],
    })
  })

  test('B10.2: all text of one step has one message id, that of the next another', async () => {
    const rig = turnRig({
      answers: [answer(...says('a', '0'), ...says('b', '1'), call('x', 'echo')), answer(...says('c'))],
    })
    await rig.run()
    const ids = rig
      .updates()
      .flatMap((update) => (update.sessionUpdate === 'agent_message_chunk' ? [update['messageId']] : []))
    expect(ids).toEqual([ids[0], ids[0], ids[2]])
    expect(ids[2]).not.toBe(ids[0])
  })

  test('says what of the context is used, when the size of the context is known', async () => {
    const rig = turnRig({ answers: [], contextWindow: 1_000, costOf: () => 0.5 })
    expect(await rig.run()).toEqual({
      ended: 'completed',
      usage: { inputTokens: 10, outputTokens: 5, costUsd: 0.5 },
    })
    expect(rig.updates().at(-1)).toEqual({
      sessionUpdate: 'usage_update',
      used: 15,
      size: 1_000,
      cost: { amount: 0.5, currency: 'USD' },
    })
  })

  test('waits for the slowest reader between two parts', async () => {
    let drained = 0
    const rig = turnRig({
      answers: [],
      emit: () => false,
      drained: () => {
        drained += 1
        return Promise.resolve()
      },
    })
    await rig.run()
    expect(drained).toBeGreaterThan(0)
  })

  test('B2.6: runtime context is read at each request, and said again only when it has changed', async () => {
    const texts = ['one', 'one', 'two', '']
    const rig = turnRig({
      context: () => texts.shift() ?? '',
      answers: [answer(call('a', 'echo')), answer(call('b', 'echo')), answer(call('c', 'echo'))],
    })
    await rig.run()
    const said = rig.updates().flatMap((update) => {
      const { content, _meta } = update as { content?: { text?: string }; _meta?: { subgate?: object } }
      return _meta?.subgate !== undefined && 'context' in _meta.subgate ? [content?.text] : []
    })
    expect(said).toEqual([
      '<runtime-context>\none\n</runtime-context>',
      '<runtime-context>\ntwo\n</runtime-context>',
      '<runtime-context>\nWhat an earlier runtime context said no longer holds.\n</runtime-context>',
    ])
    expect(rig.asked(0).at(-1)?.role).toBe('user')
  })
})

describe('limits and endings', () => {
  test.each([
    ['length', { ended: 'truncated', category: 'max_tokens' }],
    ['content-filter', { ended: 'refused' }],
  ] as const)(
    'the reason %s to finish ends the turn, and no call of that answer is run',
    async (reason, ended) => {
      const rig = turnRig({ answers: [[...says('I'), call('a', 'echo'), finish(reason)]] })
      expect(await rig.run()).toMatchObject(ended)
      expect(rig.story().at(-1)).toBe('call a failed: The turn ended before this call was run.')
    },
  )

  test('maxTurns counts model steps: the tools of the last one run, another step is truncated', async () => {
    const forever = Array.from({ length: 5 }, (_, n) => answer(call(`c${n}`, 'echo')))
    const rig = turnRig({ answers: forever, limits: { maxTurns: 2 } })
    expect(await rig.run()).toMatchObject({ ended: 'truncated', category: 'max_turns' })
    expect(rig.model.requests).toHaveLength(2)
    expect(rig.story().at(-1)).toBe('call c1 completed: echo {}')
  })

  test('an answer in the last turn that the limit allows is complete', async () => {
    const rig = turnRig({ answers: [answer(...says('x'))], limits: { maxTurns: 1, maxTokens: 15 } })
    expect(await rig.run()).toMatchObject({ ended: 'completed' })
  })

  test('maxTokens counts input and output of all steps; what goes beyond is truncated', async () => {
    const rig = turnRig({
      answers: [answer(call('a', 'echo')), answer(call('b', 'echo'))],
      limits: { maxTokens: 20 },
    })
    expect(await rig.run()).toEqual({
      ended: 'truncated',
      category: 'max_tokens',
      usage: { inputTokens: 20, outputTokens: 10 },
    })
    expect(rig.story().at(-1)).toBe('call b failed: The turn ended before this call was run.')
  })

  test('nothing is asked of the model when the limit is zero', async () => {
    const rig = turnRig({ answers: [], limits: { maxTokens: 0 } })
    expect(await rig.run()).toEqual({ ended: 'truncated', category: 'max_tokens' })
    expect(rig.model.requests).toEqual([])
  })

  test('a context that has overflown is truncated by max_tokens', async () => {
    const rig = turnRig({
      answers: [{ fails: 'too long' }],
      faults: { read: () => ({ kind: 'context_overflow' }) },
    })
    expect(await rig.run()).toEqual({ ended: 'truncated', category: 'max_tokens' })
  })

  test('a cancel ends a turn whose model hangs and ignores the signal', async () => {
    const rig = turnRig({ answers: [hanging(says('So far'))] })
    const running = rig.run()
    await expect.poll(() => rig.story()).toContain('text: So far')
    rig.abort.abort()
    expect(await running).toEqual({ ended: 'cancelled' })
  })

  test('a cancel before the first request asks nothing of the model', async () => {
    const rig = turnRig({ answers: [] })
    rig.abort.abort()
    expect(await rig.run()).toEqual({ ended: 'cancelled' })
    expect(rig.model.requests).toEqual([])
  })
})

describe('steering', () => {
  test('text that comes while tools run enters before the next model step', async () => {
    const rig = turnRig({
      answers: [answer(call('a', 'nudge')), answer(...says('Right.'))],
      add: [
        tool('nudge', () => {
          expect(rig.inbox.steer([text('Turn left.')])).toBe(true)
          return Promise.resolve({ text: 'ok' })
        }),
      ],
    })
    await rig.run()
    expect(rig.asked(1).at(-1)).toEqual({ role: 'user', content: [{ type: 'text', text: 'Turn left.' }] })
  })

  test('text that comes while the model writes its last answer gives it another step', async () => {
    const rig = turnRig({
      answers: [
        () => {
          rig.inbox.steer([text('And also?')])
          return streamOf(answer(...says('First.')))
        },
        answer(...says('Second.')),
      ],
    })
    expect(await rig.run()).toMatchObject({ ended: 'completed' })
    expect(rig.story()).toEqual(['user: go', 'text: First.', 'user: And also?', 'text: Second.'])
  })

  test('is refused when no turn runs, so that no text is lost unseen', async () => {
    const rig = turnRig({ answers: [] })
    expect(rig.inbox.steer([text('early')])).toBe(false)
    await rig.run()
    expect(rig.inbox.steer([text('late')])).toBe(false)
    expect(rig.story()).toEqual(['user: go', 'text: done'])
  })
})

test('a setting that the model does not support is said once in a turn', async () => {
  const warned: Part = { type: 'stream-start', warnings: [{ type: 'unsupported', feature: 'reasoning' }] }
  const rig = turnRig({
    answers: [
      [warned, ...answer(call('a', 'echo'))],
      [warned, ...answer()],
    ],
    add: [echo],
  })
  await rig.run()
  expect(rig.events.filter(({ type }) => type === 'notice')).toEqual([
    { type: 'notice', severity: 'warning', title: "The model doesn't support reasoning" },
  ])
})
