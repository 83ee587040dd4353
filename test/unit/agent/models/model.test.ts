/** Choosing a model: providers, keys and addresses by name alone, and what each is loaded with. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { loadModel, modelsHere } from '../../../../src/agent/models/model.ts'

const KEY = 'planted-key-93ab'
const refusal = (ref: string, env: Readonly<Record<string, string>> = {}): Promise<unknown> =>
  loadModel(ref, { env }).then(
    () => undefined,
    (error: unknown) => error,
  )

describe('a name that is no model', () => {
  test('an unknown provider is refused with the known ones and the one that was meant', async () => {
    expect(await refusal('antropic/claude-opus-4-8')).toMatchObject({
      code: 'INVALID_REQUEST',
      data: { field: 'model', suggestion: 'anthropic' },
      message:
        'Unknown model "antropic/claude-opus-4-8". Did you mean "anthropic"? Name it as provider/model; the providers ' +
        'are anthropic, openai, google, ollama, deepseek, openrouter, openai-compatible, rehearsal.',
    })
  })

  test.each(['anthropic', 'anthropic/', 'anthropic/ '])('%j lacks the model', async (ref) => {
    expect(await refusal(ref, { ANTHROPIC_API_KEY: KEY })).toMatchObject({
      code: 'INVALID_REQUEST',
      data: { field: 'model' },
    })
  })

  test('a prototype is no provider', async () => {
    expect(await refusal('constructor/x')).toMatchObject({ code: 'INVALID_REQUEST' })
  })
})

describe('keys', () => {
  test.each([
    ['anthropic/m', ['ANTHROPIC_API_KEY']],
    ['openai/m', ['OPENAI_API_KEY']],
    ['google/m', ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY']],
    ['deepseek/m', ['DEEPSEEK_API_KEY']],
    ['openrouter/a/m', ['OPENROUTER_API_KEY']],
  ])('%s without one is AUTH_REQUIRED and names %j', async (ref, names) => {
    const error = await refusal(ref, { UNRELATED_API_KEY: KEY })
    expect(error).toMatchObject({ code: 'AUTH_REQUIRED', data: { methods: [], withheld: names } })
    for (const name of names) expect((error as Error).message).toContain(name)
  })

  test('an empty one is none', async () => {
    expect(await refusal('openai/m', { OPENAI_API_KEY: ' ' })).toMatchObject({ code: 'AUTH_REQUIRED' })
  })

  test('the services that have one here are listed by name, without values', () => {
    const env = { GEMINI_API_KEY: KEY, OPENROUTER_API_KEY: KEY, OPENAI_API_KEY: '', OLLAMA_HOST: 'gpu:11434' }
    expect(modelsHere(env)).toEqual(['google', 'ollama', 'openrouter'])
    expect(modelsHere({})).toEqual([])
  })
})

describe('addresses', () => {
  test('an OpenAI-compatible service has none of its own', async () => {
    expect(await refusal('openai-compatible/m')).toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'openai-compatible has no address here. Set OPENAI_COMPATIBLE_BASE_URL to its base URL.',
    })
  })

  test.each(['ftp://127.0.0.1', 'no address', 'http://user:planted-password@127.0.0.1/v1'])(
    '%s is refused by the name of its variable, and not shown',
    async (value) => {
      const error = await refusal('openai/m', { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: value })
      expect(error).toMatchObject({ code: 'INVALID_REQUEST' })
      expect((error as Error).message).toContain('OPENAI_BASE_URL')
      expect((error as Error).message).not.toContain(value)
      expect((error as Error).message).not.toContain('planted-password')
    },
  )

  test.each([
    ['anthropic/m', { ANTHROPIC_API_KEY: KEY }, 'https://api.anthropic.com/v1/messages'],
    [
      'anthropic/m',
      { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: 'http://127.0.0.1:9/' },
      'http://127.0.0.1:9/v1/messages',
    ],
    [
      'anthropic/m',
      { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: 'http://127.0.0.1:9/up/v1/' },
      'http://127.0.0.1:9/up/v1/messages',
    ],
    ['openai/m', { OPENAI_API_KEY: KEY }, 'https://api.openai.com/v1/responses'],
    [
      'google/m',
      { GEMINI_API_KEY: KEY },
      'https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse',
    ],
    ['ollama/m', {}, 'http://127.0.0.1:11434/v1/chat/completions'],
    ['deepseek/m', { DEEPSEEK_API_KEY: KEY }, 'https://api.deepseek.com/v1/chat/completions'],
    ['openrouter/a/m', { OPENROUTER_API_KEY: KEY }, 'https://openrouter.ai/api/v1/chat/completions'],
    [
      'openai-compatible/m',
      { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:9/api' },
      'http://127.0.0.1:9/api/chat/completions',
    ],
  ])('%s with %j is asked at %s', async (ref, env, address) => {
    const asked: string[] = []
    const fetch: typeof globalThis.fetch = (input) => {
      asked.push(input instanceof Request ? input.url : String(input))
      return Promise.resolve(new Response('{}', { status: 500 }))
    }
    const { language } = await loadModel(ref, { env, fetch })
    await expect(
      language.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] }),
    ).rejects.toThrow()
    expect(asked).toEqual([address])
  })
})

describe('what a model takes', () => {
  test.each([
    ['anthropic/claude-opus-4-8', { images: true, audio: false, resources: true }, true],
    ['anthropic/claude-haiku-4-5', { images: true, audio: false, resources: true }, false],
    ['openai/gpt-5.4', { images: true, audio: false, resources: true }, true],
    ['openai/gpt-4o', { images: true, audio: false, resources: true }, false],
    ['openai/gpt-3.5-turbo', { images: false, audio: false, resources: true }, false],
    ['google/gemini-3-pro', { images: true, audio: true, resources: true }, true],
    ['google/gemma-3-27b-it', { images: true, audio: false, resources: true }, false],
    ['anthropic/claude-3-5-sonnet-20241022', { images: true, audio: false, resources: true }, false],
    ['anthropic/claude-opus-4-20250514', { images: true, audio: false, resources: true }, false],
    ['anthropic/claude-sonnet-5-5', { images: true, audio: false, resources: true }, true],
    ['google/gemini-2.5-flash', { images: true, audio: true, resources: true }, false],
    ['ollama/llama3.3', { images: false, audio: false, resources: false }, false],
    ['ollama/qwen2.5vl', { images: true, audio: false, resources: false }, false],
    ['rehearsal', { images: true, audio: true, resources: true }, true],
  ])('%s', async (ref, content, effort) => {
    const env = { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY, GEMINI_API_KEY: KEY }
    const model = await loadModel(ref, { env })
    expect({ ref: model.ref, content: model.content, effort: model.effort }).toEqual({ ref, content, effort })
    expect(model.effortOptions === undefined).toBe(!effort)
  })

  test('an effort that it lacks is refused with those that it has', async () => {
    const model = await loadModel('google/gemini-3-pro', { env: { GEMINI_API_KEY: KEY } })
    expect(() => model.effortOptions?.('max')).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        message:
          'Invalid effort: "max" is none that google/gemini-3-pro has. Give one of minimal, low, medium, high.',
      }),
    )
  })
})

test.each([
  ['rehearsal', []],
  ['anthropic/m', ['@ai-sdk/anthropic']],
  ['openai/m', ['@ai-sdk/openai']],
  ['google/m', ['@ai-sdk/google']],
  ['ollama/m', ['@ai-sdk/openai-compatible']],
])('loading %s loads the packages %j and no other', async (ref, packages) => {
  const program = join(import.meta.dirname, '../../../fixtures/models/loads.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [program, ref])
  const loaded = JSON.parse(stdout) as { ref: string; packages: string[] }
  // What the packages share is theirs.
  const own = loaded.packages.filter((name) => !/\/provider(?:-utils)?$/u.test(name))
  expect({ ref: loaded.ref, own }).toEqual({ ref, own: packages })
  if (packages.length === 0) expect(loaded.packages).toEqual([])
})
