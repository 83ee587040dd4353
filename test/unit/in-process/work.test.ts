/** What comes of a built-in agent's work: its output, its children's ends, and structured output (B2, B10, B12, B13). */
import { expect, test } from 'vitest'
import { call, delegate, listening, toolResults, toolsIn } from '../../fixtures/in-process.ts'

test('B2.3, B2.6, B14: at the cap the tool stays, its call fails with the code, and no child is published', async () => {
  const { home, asked } = listening()
  await using _ = home
  const result = await home.play([delegate('subagent', 'say: no'), 'say: done'].join('\n'), { maxDepth: 0 })
  expect(toolsIn(asked, 0)).toContain('subagent')
  expect(toolResults(home.entries(result.sessionId))[0]).toMatch(
    /^failed: No subagent was started. DEPTH_EXCEEDED/u,
  )
  expect(home.ids).toEqual([result.sessionId])
})

test('B10.2, B14: neither a later thought nor a later tool call hides the answer', async () => {
  const { home } = listening()
  await using _ = home
  const prompt = ['say: the answer', call('glob', { pattern: '*' }), 'think: That was it.'].join('\n')
  expect(await home.play(prompt)).toMatchObject({ status: 'completed', text: 'the answer' })
})

test.each([
  [
    'failed',
    ['say: half', call('glob', { pattern: '*' }), 'fail 400: The model is gone.'],
    'The subagent failed',
  ],
  ['was cut off', ['length: half'], 'The subagent was cut off'],
  ['declined', ['refuse: half'], 'The subagent declined'],
])(
  'B12.2: a child that %s is an errored tool result with what happened and what it had said',
  async (...row) => {
    const [, script, words] = row
    const { home } = listening()
    await using _ = home
    const { sessionId: id } = await home.play(
      [delegate('subagent', script.join('\n')), 'say: done'].join('\n'),
    )
    const [result = ''] = toolResults(home.entries(id))
    expect(result).toMatch(/^failed: /u)
    expect(result).toContain(words)
    expect(result).toContain('half')
  },
)

test('B12.2: a child that is cancelled is an errored tool result, and its parent goes on', async () => {
  const { home } = listening()
  await using _ = home
  const run = await home.start([delegate('subagent', 'say: half\nhang:'), 'say: I go on.'].join('\n'))
  for await (const { run: child, event } of home.runtime.watch()) {
    const spoke = event.event.type === 'session/update' && JSON.stringify(event.event).includes('half"')
    if (child.parentSessionId === undefined || !spoke) continue
    if (JSON.stringify(event.event).includes('agent_message_chunk')) {
      child.cancel()
      break
    }
  }
  const { text, sessionId: id } = await run.result
  expect(text).toBe('I go on.')
  expect(toolResults(home.entries(id))[0]).toMatch(/^failed: The subagent was cancelled[^]*half/u)
})

test('B12.3, B14: a question to a person from a delegated child is answered at once, and nobody is asked', async () => {
  const { home } = listening()
  await using _ = home
  const run = await home.start(
    delegate('subagent', ['ask: May I?', 'say: I could not ask.'].join('\n')),
    {},
    true,
  )
  expect((await run.result).text).toContain('I could not ask.')
  const child = home.entries(home.ids[1])
  expect(toolResults(child)).toEqual([
    'failed: No. Go on without it, and say in your answer what you left undone.',
  ])
  const asked = child.flatMap(({ event }) => (event.type.startsWith('approval/') ? [event] : []))
  expect(asked.slice(1)).toMatchObject([
    { type: 'approval/asked', title: 'May I?', kind: 'other' },
    { type: 'approval/decided', decision: 'rejected', by: 'policy' },
  ])
  expect(child.map(({ event }) => event.type)).not.toContain('permission/requested')
})

const SCHEMA = { type: 'object', required: ['n'], properties: { n: { type: 'number' } } }

test('B13.1: arguments that do not fit are a tool error, the model tries again, and the second success is denied', async () => {
  const { home } = listening()
  await using _ = home
  const tries = [{ n: 'one' }, { n: 1 }, { n: 2 }].map((input) => call('submit_result', input))
  const result = await home.play([...tries, 'say: done'].join('\n'), { outputSchema: SCHEMA })
  expect(result).toMatchObject({ status: 'completed', structured: { n: 1 } })
  expect(toolResults(home.entries(result.sessionId)).map((said) => said.split(':')[0])).toEqual([
    'failed',
    'completed',
    'failed',
  ])
})

test('B13.1: a clean finish without a value is failed with SCHEMA_MISMATCH, in a child too', async () => {
  const { home } = listening()
  await using _ = home
  const parent = { sessionId: (await home.play('say: ready', { keep: true })).sessionId }
  const result = await home.play('say: It is 42.', { parent, outputSchema: SCHEMA })
  expect(result).toMatchObject({ status: 'failed', category: 'schema', error: { code: 'SCHEMA_MISMATCH' } })
})

test.each(['{"n": 42}', '42'])(
  'B13.1: the text %s is no value where the agent has a tool for it, however well it fits',
  async (said) => {
    const { home } = listening()
    await using _ = home
    const result = await home.play(`say: ${said}`, { outputSchema: {} })
    expect(result).toMatchObject({
      status: 'failed',
      category: 'schema',
      error: {
        code: 'SCHEMA_MISMATCH',
        message: "The answer doesn't fit the schema that was asked for: the agent gave no value.",
      },
    })
    expect([result.text, result.structured]).toEqual([said, undefined])
  },
)

test('B13.1: the tool belongs to its run alone', async () => {
  const { home, asked } = listening()
  await using _ = home
  const first = await home.play(call('submit_result', { n: 1 }), { outputSchema: SCHEMA, keep: true })
  await home.play('say: done', { session: { from: 'resume', sessionId: first.sessionId } })
  expect(toolsIn(asked, 0)).toContain('submit_result')
  expect(toolsIn(asked, asked.length - 1)).not.toContain('submit_result')
})
