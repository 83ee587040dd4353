/** The four wire formats of model services, against a server on loopback. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isTransient, modelFault, retryDelay } from '../../../src/agent/models/fault.ts'
import { loadModel } from '../../../src/agent/models/model.ts'
import type { AgentModel } from '../../../src/agent/models/model.ts'
import { READ, hear, user } from '../../fixtures/models/rig.ts'
import { startModelServer } from '../../fixtures/models/server.ts'
import type { ModelServer } from '../../fixtures/models/server.ts'

const KEY = 'planted-key-5f0c2e7b9a'
const WRONG = 'planted-wrong-key-81d3'
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const SERVICES = [
  { ref: 'anthropic/claude-opus-4-8', key: 'ANTHROPIC_API_KEY', url: 'ANTHROPIC_BASE_URL' },
  { ref: 'openai/gpt-5.4', key: 'OPENAI_API_KEY', url: 'OPENAI_BASE_URL' },
  { ref: 'google/gemini-3-pro', key: 'GEMINI_API_KEY', url: 'GOOGLE_GEMINI_BASE_URL' },
  { ref: 'openai-compatible/gemma3', key: 'OPENAI_COMPATIBLE_API_KEY', url: 'OPENAI_COMPATIBLE_BASE_URL' },
] as const

let server: ModelServer

beforeAll(async () => {
  server = await startModelServer(KEY)
})
afterAll(() => server[Symbol.asyncDispose]())

/** Everything an error shows, to people and in logs. */
const shown = (error: unknown): string =>
  error instanceof Error
    ? [JSON.stringify(error), error.message, error.stack, String(error.cause)].join(' ')
    : ''

describe.each(SERVICES)('$ref', ({ ref, key, url }) => {
  const load = (value: string = KEY): Promise<AgentModel> =>
    // An address without a path gets the service's own.
    loadModel(ref, { env: { [key]: value, [url]: server.url } })

  const failing = async (plan: ModelServer['plan']): Promise<{ fault: unknown; error: unknown }> => {
    server.plan = plan
    const model = await load()
    const { error, finish } = await hear(model, { prompt: [user('Secret prompt text')] })
    expect(finish).toBeUndefined()
    const fault = modelFault(error, model)
    expect(shown(fault)).not.toContain(KEY)
    expect(shown(fault)).not.toContain('Secret prompt text')
    return { fault, error }
  }

  test('streams an answer in pieces and counts its tokens', async () => {
    server.plan = { answer: { words: ['Hello ', 'from ', 'here'] } }
    const heard = await hear(await load(), {
      prompt: [{ role: 'system', content: 'Be brief.' }, user('Hi')],
    })
    expect(heard).toMatchObject({ pieces: ['Hello ', 'from ', 'here'], finish: 'stop' })
    expect(heard.usage?.inputTokens.total).toBe(11)
    expect(heard.usage?.outputTokens.total).toBe(7)
    expect(JSON.stringify(server.requests.at(-1))).toContain('Be brief.')
  })

  test('calls a tool, and takes its result back', async () => {
    server.plan = { answer: { words: ['Let me see.'], calls: [{ name: 'read', input: { path: 'a.txt' } }] } }
    const model = await load()
    const heard = await hear(model, { prompt: [user('Read it')], tools: [READ] })
    expect(heard.finish).toBe('tool-calls')
    const [call] = heard.calls
    expect({ tool: call?.tool, input: JSON.parse(call?.input ?? '') as unknown }).toEqual({
      tool: 'read',
      input: { path: 'a.txt' },
    })
    const toolCallId = call?.id ?? ''
    server.plan = { answer: { words: ['It is empty.'] } }
    const next = await hear(model, {
      prompt: [
        user('Read it'),
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId, toolName: 'read', input: { path: 'a.txt' } }],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId,
              toolName: 'read',
              output: { type: 'text', value: 'in-the-file' },
            },
          ],
        },
      ],
      tools: [READ],
    })
    expect(next.pieces).toEqual(['It is empty.'])
    expect(JSON.stringify(server.requests.at(-1))).toContain('in-the-file')
  })

  test('sends an image that the model can see', async () => {
    server.plan = { answer: { words: ['A dot.'] } }
    const model = await load()
    expect(model.content.images).toBe(true)
    const heard = await hear(model, {
      prompt: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'file', mediaType: 'image/png', data: { type: 'data', data: PIXEL } },
          ],
        },
      ],
    })
    expect(heard.pieces).toEqual(['A dot.'])
    expect(JSON.stringify(server.requests.at(-1))).toContain(PIXEL)
  })

  test('a rate limit is AGENT_BUSY with the seconds that the service asks for', async () => {
    const { fault, error } = await failing({
      fail: 429,
      type: 'rate_limit_error',
      message: `slow down, ${KEY}`,
      headers: { 'retry-after': '7' },
    })
    expect(fault).toMatchObject({ code: 'AGENT_BUSY', category: 'busy', data: { retryAfterMs: 7_000 } })
    expect((fault as Error).message).toContain(`slow down, [${key}]`)
    expect(retryDelay(1, error, () => 0)).toBe(7_000)
  })

  test('an overloaded service is AGENT_BUSY and worth another try', async () => {
    const { fault, error } = await failing({ fail: 529, type: 'overloaded_error' })
    expect(fault).toMatchObject({ code: 'AGENT_BUSY', data: {} })
    expect(retryDelay(1, error, () => 0)).toBe(250)
  })

  test('a server error is MODEL_ERROR with its status, and worth another try', async () => {
    const { fault, error } = await failing({ fail: 500, type: 'api_error', message: `at ${KEY}` })
    expect(fault).toMatchObject({ code: 'MODEL_ERROR', category: 'model', data: { agentCode: 500 } })
    expect(isTransient(error)).toBe(true)
  })

  test.each(['end', 'connection'] as const)(
    'an answer cut by the end of its %s is MODEL_ERROR',
    async (cut) => {
      const { fault, error } = await failing({ cut })
      expect(fault).toMatchObject({ code: 'MODEL_ERROR' })
      expect(isTransient(error)).toBe(true)
    },
  )

  test.each(['page', 'events'] as const)('garbage (%s) is MODEL_ERROR', async (garbage) => {
    const { fault } = await failing({ garbage })
    expect(fault).toMatchObject({ code: 'MODEL_ERROR' })
  })

  test('a request that the service refuses is MODEL_ERROR and not tried again', async () => {
    const { fault, error } = await failing({
      fail: 400,
      type: 'invalid_request_error',
      message: 'no such tool',
    })
    expect(fault).toMatchObject({ code: 'MODEL_ERROR', data: { agentCode: 400 } })
    expect((fault as Error).message).toContain('no such tool')
    expect(isTransient(error)).toBe(false)
  })

  test('a wrong key is AUTH_REQUIRED, names its variable and shows no key', async () => {
    const model = await load(WRONG)
    const { error } = await hear(model, { prompt: [user('Hi')] })
    const fault = modelFault(error, model)
    expect(fault).toMatchObject({ code: 'AUTH_REQUIRED' })
    expect((fault as Error).message).toContain(key)
    expect(shown(fault)).not.toContain(WRONG)
    expect(isTransient(error)).toBe(false)
  })

  test('a cancel ends the request', async () => {
    server.plan = { hang: true }
    const cancel = new AbortController()
    const heard = hear(await load(), { prompt: [user('Hi')], abortSignal: cancel.signal })
    setTimeout(() => cancel.abort(), 50)
    expect((await heard).error).toMatchObject({ name: 'AbortError' })
  })

  test('a service that nobody runs is MODEL_ERROR', async () => {
    const gone = await startModelServer(KEY)
    const env = { [key]: KEY, [url]: gone.url }
    await gone[Symbol.asyncDispose]()
    const model = await loadModel(ref, { env })
    const { error } = await hear(model, { prompt: [user('Hi')] })
    expect(modelFault(error, model)).toMatchObject({ code: 'MODEL_ERROR' })
    expect(isTransient(error)).toBe(true)
  })
})

test.each([
  { ...SERVICES[0], type: 'overloaded_error', code: 'AGENT_BUSY' },
  { ...SERVICES[1], type: 'server_error', code: 'MODEL_ERROR' },
])('an error of type $type within the answer of $ref is $code', async ({ ref, key, url, type, code }) => {
  server.plan = { error: { type, message: 'later, please' } }
  const model = await loadModel(ref, { env: { [key]: KEY, [url]: server.url } })
  const { error } = await hear(model, { prompt: [user('Hi')] })
  expect(modelFault(error, model)).toMatchObject({ code })
  expect(isTransient(error)).toBe(true)
})

test.each([
  { at: 0, type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
  { at: 1, type: 'context_length_exceeded', message: 'too much' },
  {
    at: 2,
    type: 'INVALID_ARGUMENT',
    message: 'The input token count (2) exceeds the maximum number of tokens allowed (1).',
  },
  { at: 3, type: 'exceed_context_size_error', message: 'too much' },
] as const)('a context that overflows is told as itself: $type', async ({ at, type, message }) => {
  const { ref, key, url } = SERVICES[at]
  server.plan = { fail: 400, type, message }
  const model = await loadModel(ref, { env: { [key]: KEY, [url]: server.url } })
  const { error } = await hear(model, { prompt: [user('Hi')] })
  expect(modelFault(error, model)).toBe('context_overflow')
})

test.each(SERVICES)(
  'what is meant for a model of ours alone does not reach $ref',
  async ({ ref, key, url }) => {
    server.plan = { answer: { words: ['ok'] } }
    const model = await loadModel(ref, { env: { [key]: KEY, [url]: server.url } })
    const system = { role: 'system', content: 'Be brief.' } as const
    await hear(model, { prompt: [system, user('Hi')] })
    const providerOptions = { subgate: { sections: ['a-named-section'] } }
    const { finish } = await hear(model, { prompt: [{ ...system, providerOptions }, user('Hi')] })
    const [plain, named] = server.requests.slice(-2)
    expect({ finish, named }).toEqual({ finish: 'stop', named: plain })
  },
)

test('OpenAI keeps no copy of the conversation, and Anthropic caches its beginning', async () => {
  server.plan = { answer: { words: ['ok'] } }
  const bodies: unknown[] = []
  for (const { ref, key, url } of SERVICES.slice(0, 2)) {
    await hear(await loadModel(ref, { env: { [key]: KEY, [url]: server.url } }), { prompt: [user('Hi')] })
    bodies.push(server.requests.at(-1))
  }
  expect(bodies).toMatchObject([{ cache_control: { type: 'ephemeral' } }, { store: false }])
})

test.each([
  { at: 0, effort: 'high', sent: { output_config: { effort: 'high' } } },
  { at: 1, effort: 'low', sent: { reasoning: { effort: 'low' } } },
  { at: 2, effort: 'low', sent: { generationConfig: { thinkingConfig: { thinkingLevel: 'low' } } } },
] as const)('an effort reaches the service: $sent', async ({ at, effort, sent }) => {
  const { ref, key, url } = SERVICES[at]
  server.plan = { answer: { words: ['ok'] } }
  const model = await loadModel(ref, { env: { [key]: KEY, [url]: server.url } })
  expect(model.effort).toBe(true)
  const providerOptions = model.effortOptions?.(effort) ?? {}
  await hear(model, { prompt: [user('Hi')], providerOptions })
  expect(server.requests.at(-1)).toMatchObject(sent)
})

test.each([
  {
    ref: 'openrouter/anthropic/claude-opus-4-8',
    key: 'OPENROUTER_API_KEY',
    url: 'OPENROUTER_BASE_URL',
    effort: 'high',
    sent: {
      model: 'anthropic/claude-opus-4-8',
      reasoning: { effort: 'high' },
      provider: { require_parameters: true },
    },
  },
  {
    ref: 'deepseek/deepseek-v4-pro',
    key: 'DEEPSEEK_API_KEY',
    url: 'DEEPSEEK_BASE_URL',
    effort: 'max',
    sent: { model: 'deepseek-v4-pro', thinking: { type: 'enabled' }, reasoning_effort: 'max' },
  },
])('$ref is asked with its effort in its own words', async ({ ref, key, url, effort, sent }) => {
  server.plan = { answer: { words: ['ok'] } }
  const model = await loadModel(ref, { env: { [key]: KEY, [url]: `${server.url}/v1` } })
  const providerOptions = model.effortOptions?.(effort) ?? {}
  const { finish } = await hear(model, { prompt: [user('Hi')], providerOptions })
  expect({ finish, sent: server.requests.at(-1) }).toMatchObject({ finish: 'stop', sent })
})

test('Ollama is found by OLLAMA_HOST and needs no key', async () => {
  await using keyless = await startModelServer(undefined)
  const { host } = new URL(keyless.url)
  const model = await loadModel('ollama/qwen3', { env: { OLLAMA_HOST: host } })
  expect((await hear(model, { prompt: [user('Hi')] })).pieces).toEqual(['Hello'])
})
