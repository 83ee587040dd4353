/** The rehearsal model: it plays a script from where the conversation stands, and else says what it saw. */
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { describe, expect, test } from 'vitest'
import { isTransient, modelFault, retryDelay } from '../../../../src/agent/models/fault.ts'
import { rehearsalModel } from '../../../../src/agent/models/rehearsal.ts'
import { READ, hear, user } from '../../../fixtures/models/rig.ts'
import type { Heard } from '../../../fixtures/models/rig.ts'

const play = (
  prompt: LanguageModelV4Prompt,
  more: Partial<LanguageModelV4CallOptions> = {},
): Promise<Heard> => hear(rehearsalModel(), { prompt, ...more })

const called = (...ids: readonly string[]): LanguageModelV4Prompt => [
  {
    role: 'assistant',
    content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'read', input: {} })),
  },
  {
    role: 'tool',
    content: ids.map((toolCallId) => ({
      type: 'tool-result',
      toolCallId,
      toolName: 'read',
      output: { type: 'text', value: `text of ${toolCallId}` },
    })),
  },
]

const CONTEXT = user('<runtime-context>\nSandbox: read-only.\n</runtime-context>')
const SCRIPT = user('say: first\ncall read: {}\nalso call read: {"path": "b"}\nsay: second\ncall read: {}')

describe('a script', () => {
  test('is said word by word, thoughts apart', async () => {
    const heard = await play([user('think: let me see\nsay: three words here')])
    expect(heard).toMatchObject({
      pieces: ['three', ' words', ' here'],
      thoughts: 'let me see',
      calls: [],
      finish: 'stop',
    })
  })

  test('calls several tools at once, under ids of their own', async () => {
    const heard = await play([SCRIPT])
    expect(heard).toMatchObject({
      pieces: ['first'],
      calls: [
        { id: 'call_1', tool: 'read', input: '{}' },
        { id: 'call_2', tool: 'read', input: '{"path": "b"}' },
      ],
      finish: 'tool-calls',
    })
  })

  test('goes on after the results, and then answers with the last ones', async () => {
    const second = await play([SCRIPT, ...called('call_1', 'call_2')])
    expect(second).toMatchObject({ pieces: ['second'], calls: [{ id: 'call_3' }], finish: 'tool-calls' })
    const third = await play([SCRIPT, ...called('call_1', 'call_2'), ...called('call_3')])
    expect(third.pieces.join('')).toBe('text of call_3')
    expect(third.finish).toBe('stop')
  })

  test('goes on after a step of which only a part was called', async () => {
    expect((await play([SCRIPT, ...called('call_1')])).pieces).toEqual(['second'])
  })

  test.each([
    ['in a message of its own', [SCRIPT, CONTEXT]],
    ['after the results', [SCRIPT, ...called('call_1', 'call_2'), CONTEXT]],
    ['beside the prompt', [{ role: 'user', content: [...CONTEXT.content, ...SCRIPT.content] }]],
  ] as [string, LanguageModelV4Prompt][])('is not lost to runtime context %s', async (_, prompt) => {
    const { calls } = await play(prompt)
    expect(calls.length).toBeGreaterThan(0)
  })

  test('of a follow-up begins anew, with ids that go on', async () => {
    const heard = await play([SCRIPT, ...called('call_1', 'call_2'), user('call read: {}')])
    expect(heard.calls).toEqual([{ id: 'call_3', tool: 'read', input: '{}' }])
  })

  test('ends for length, and refuses', async () => {
    expect(await play([user('length: so far')])).toMatchObject({ pieces: ['so', ' far'], finish: 'length' })
    expect(await play([user('refuse: no')])).toMatchObject({ pieces: ['no'], finish: 'content-filter' })
  })

  test('says no more than its limit of tokens', async () => {
    const heard = await play([user('say: four four four four')], { maxOutputTokens: 2 })
    expect(heard).toMatchObject({ pieces: ['four'], finish: 'length' })
    expect(heard.usage?.outputTokens.total).toBe(1)
  })

  test('hangs until it is cancelled, with what it said before', async () => {
    const cancel = new AbortController()
    const heard = play([user('say: half\nhang:')], { abortSignal: cancel.signal })
    setTimeout(() => cancel.abort(new Error('enough')), 20)
    expect(await heard).toMatchObject({ pieces: ['half'], error: { message: 'enough' } })
  })

  test('says nothing when it was cancelled before', async () => {
    const heard = await play([user('say: half')], { abortSignal: AbortSignal.abort(new Error('enough')) })
    expect(heard).toMatchObject({ pieces: [], error: { message: 'enough' } })
  })

  test('that is wrong is an error that names the line', async () => {
    const { error } = await play([user('say: a\nsai: b')])
    expect(modelFault(error, { ref: 'rehearsal' })).toMatchObject({
      code: 'INVALID_REQUEST',
      phase: 'prompt',
    })
    expect((error as Error).message).toContain('line 2')
  })
})

describe('a failure', () => {
  test('is read as one of a service, with its Retry-After', async () => {
    const { error, pieces } = await play([user('say: never said\nfail 429 after 2s: slow down')])
    expect(pieces).toEqual([])
    expect(modelFault(error, { ref: 'rehearsal' })).toMatchObject({
      code: 'AGENT_BUSY',
      data: { retryAfterMs: 2_000 },
      message:
        'The model rehearsal is rate limited or overloaded (HTTP 429). Try again later. It said: slow down',
    })
    expect(retryDelay(1, error, () => 0)).toBe(2_000)
  })

  test.each([
    ['fail 401:', 'AUTH_REQUIRED'],
    ['fail 500:', 'MODEL_ERROR'],
    ['fail 529:', 'AGENT_BUSY'],
  ])('%j is %s', async (script, code) => {
    expect(modelFault((await play([user(script)])).error, { ref: 'rehearsal' })).toMatchObject({ code })
  })

  test('can be a context that overflows', async () => {
    const { error } = await play([user('fail 400: prompt is too long')])
    expect(modelFault(error, { ref: 'rehearsal' })).toBe('context_overflow')
  })

  test('happens as often as it says, and again when the step is played again', async () => {
    const model = rehearsalModel()
    const prompt = [user('fail 500 2 times:\nfail 529 once:\nsay: up')]
    const statuses: unknown[] = []
    for (let n = 0; n < 8; n += 1) {
      const { error, pieces } = await hear(model, { prompt })
      statuses.push((error as { statusCode?: number } | undefined)?.statusCode ?? pieces.join(''))
    }
    expect(statuses).toEqual([500, 500, 529, 'up', 500, 500, 529, 'up'])
    expect(isTransient((await hear(model, { prompt })).error)).toBe(true)
  })
})

describe('a prompt that is no script', () => {
  test('is answered with what the model saw', async () => {
    const heard = await play(
      [
        { role: 'system', content: '# Role\nBe brief.\n\n<style>\nplain\n</style>' },
        user('Earlier question'),
        { role: 'assistant', content: [{ type: 'text', text: 'Earlier answer' }] },
        CONTEXT,
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What now?' },
            { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
          ],
        },
        ...called('call_1'),
      ],
      { tools: [READ], providerOptions: rehearsalModel().effortOptions?.('high') ?? {} },
    )
    expect(heard.pieces.join('')).toBe(
      [
        'prompt: What now?',
        'files: image/png (3 bytes)',
        'earlier: Earlier question',
        'system: Role, style',
        'context: <runtime-context>',
        'Sandbox: read-only.',
        '</runtime-context>',
        'tools: read',
        'effort: high',
        'result of read: text of call_1',
      ].join('\n'),
    )
  })

  test('names the sections that the system message says it has', async () => {
    const providerOptions = { subgate: { sections: ['persona', 'tools:read'] } }
    const heard = await play([{ role: 'system', content: 'Plain text.', providerOptions }, user('Hi')])
    expect(heard.pieces.join('')).toBe('prompt: Hi\nsystem: persona, tools:read')
  })
})

test('the same request gets the same answer, with usage from its lengths', async () => {
  const prompt: LanguageModelV4Prompt = [{ role: 'system', content: 'abcd' }, user('say: eight letters')]
  const [one, two] = [await play(prompt), await play(prompt)]
  expect(one).toEqual(two)
  expect(one.usage).toEqual({
    inputTokens: { total: 6, noCache: 6, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 4, text: 4, reasoning: 0 },
  })
})

test('an answer in one piece holds what the streamed one says', async () => {
  const options = { prompt: [user('think: hm\nsay: two words\ncall read: {}')] }
  expect(await rehearsalModel().language.doGenerate(options)).toMatchObject({
    content: [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'two words' },
      { type: 'tool-call', toolName: 'read', input: '{}' },
    ],
    finishReason: { unified: 'tool-calls' },
  })
})
