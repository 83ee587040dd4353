/** The cost of a turn, from services on loopback through the built-in agent to the result. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadModel } from '../../../src/agent/models/model.ts'
import type { LoadOptions } from '../../../src/agent/models/model.ts'
import type { Usage } from '../../../src/contract/result.ts'
import { Gateway } from '../../../src/gateway.ts'
import { agents } from '../../fixtures/in-process.ts'
import type { Reply } from '../../fixtures/models/formats.ts'
import { makeHouse, write } from '../../unit/config/house.ts'
import { startModelServer } from '../../fixtures/models/server.ts'
import type { ModelServer } from '../../fixtures/models/server.ts'

const KEY = 'planted-key-27cc'

let server: ModelServer

beforeAll(async () => {
  server = await startModelServer(KEY)
})
afterAll(() => server[Symbol.asyncDispose]())

/** A turn of two steps: the first reads a file, the second answers. */
const turn = async (
  ref: string,
  env: LoadOptions['env'],
  prices: NonNullable<LoadOptions['prices']>,
  usages: readonly (Reply['usage'] | undefined)[] = [],
): Promise<Usage | undefined> => {
  const [first, second] = usages.map((usage) => (usage === undefined ? {} : { usage }))
  const calls = [{ name: 'read', input: { path: 'a.txt' } }]
  server.first.push(
    { answer: { words: ['Let me see.'], calls, ...first } },
    { answer: { words: ['It says hello.'], ...second } },
  )
  await using home = agents({
    deployment: { model: ref, loadModel: (name) => loadModel(name, { env, prices }) },
  })
  writeFileSync(join(home.workspace, 'a.txt'), 'hello\n')
  const { status, usage } = await home.play('What does it say?')
  expect(status).toBe('completed')
  return usage
}

const SERVICES = [
  { ref: 'anthropic/claude-opus-4-8', key: 'ANTHROPIC_API_KEY', url: 'ANTHROPIC_BASE_URL' },
  { ref: 'openai/gpt-5.4', key: 'OPENAI_API_KEY', url: 'OPENAI_BASE_URL' },
  { ref: 'google/gemini-3-pro', key: 'GEMINI_API_KEY', url: 'GOOGLE_GEMINI_BASE_URL' },
  { ref: 'openai-compatible/gemma3', key: 'OPENAI_COMPATIBLE_API_KEY', url: 'OPENAI_COMPATIBLE_BASE_URL' },
] as const

test.each(SERVICES)(
  'a turn on $ref costs what configured prices say of its tokens',
  async ({ ref, key, url }) => {
    const env = { [key]: KEY, [url]: server.url }
    // Two answers of 11 tokens in and 7 out.
    expect(await turn(ref, env, { [ref]: { input: 2_000, output: 10_000 } })).toEqual({
      inputTokens: 22,
      outputTokens: 14,
      costUsd: 0.184,
    })
  },
)

test.each(SERVICES)('without a price a turn on $ref has no cost', async ({ ref, key, url }) => {
  const env = { [key]: KEY, [url]: server.url }
  const others = { 'openai/other': { input: 1, output: 1 } }
  expect(await turn(ref, env, others)).toEqual({ inputTokens: 22, outputTokens: 14 })
})

const ROUTER = 'openrouter/anthropic/claude-opus-4-8'
const PRICE = { [ROUTER]: { input: 1_000_000, output: 0 } }

test.each([
  ['the sum of what the service says', [{ cost: 0.25 }, { cost: 0.5 }], 0.75],
  ['by price where the service is silent', [{ cost: 0.25 }, undefined], 11.25],
  [
    "with the charge on the user's own key",
    [{ cost: 0.25, is_byok: true, cost_details: { upstream_inference_cost: 1 } }, { cost: 0.25 }],
    1.5,
  ],
] as const)('a turn on OpenRouter costs %s', async (_, usages, costUsd) => {
  const env = { OPENROUTER_API_KEY: KEY, OPENROUTER_BASE_URL: `${server.url}/v1` }
  expect(await turn(ROUTER, env, PRICE, usages)).toEqual({ inputTokens: 22, outputTokens: 14, costUsd })
})

test('a cost in the usage of a service that is not known to count in dollars is none', async () => {
  const { ref, key, url } = SERVICES[3]
  const usages = [{ cost: 0.25 }, { cost: 0.25 }]
  expect(await turn(ref, { [key]: KEY, [url]: server.url }, {}, usages)).toEqual({
    inputTokens: 22,
    outputTokens: 14,
  })
})

test('tokens that a service read from its cache cost what cached input costs', async () => {
  const { ref, key, url } = SERVICES[3]
  const cached = { prompt_tokens_details: { cached_tokens: 10 } }
  const prices = { [ref]: { input: 1_000_000, output: 0, cachedInput: 100_000 } }
  const usage = await turn(ref, { [key]: KEY, [url]: server.url }, prices, [cached, cached])
  expect(usage?.costUsd).toBe(4)
})

test('prices of the configuration reach the result of a run', async () => {
  const { ref, key, url } = SERVICES[1]
  using house = makeHouse()
  write(house.user, JSON.stringify({ model: ref, prices: { [ref]: { input: 1_000_000, output: 0 } } }))
  const { home, cwd } = house
  await using gateway = await Gateway.create({ cwd, home, env: { PATH: '', [key]: KEY, [url]: server.url } })
  const prompt = [{ type: 'text', text: 'Hi' }] as const
  const run = await gateway.runtime.start(await gateway.rootRequest({ provider: 'spawn', prompt }))
  expect((await run.result).usage).toEqual({ inputTokens: 11, outputTokens: 7, costUsd: 11 })
})
