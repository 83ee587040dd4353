/** What a provider itself has against a start: heard after gate and depth, and before anything happens (B1.3). */
import { expect, test } from 'vitest'
import { SubagentError } from '../../../src/contract/errors.ts'
import type { SubagentProvider } from '../../../src/contract/provider.ts'
import { defineProvider } from '../../../src/provider.ts'
import { codeOf, house, rejection, text } from '../../fixtures/house.ts'
import { puppet } from '../../fixtures/puppet.ts'

const picky = (check: SubagentProvider['check']) => {
  const opened: string[] = []
  const plain = puppet({ name: 'picky', capabilities: { model: 'none' } })
  const provider: SubagentProvider = {
    ...plain,
    name: 'picky',
    capabilities: plain.capabilities,
    negotiated: [],
    inheritsParentContext: false,
    ...(check !== undefined && { check }),
    open: (request, setup) => {
      opened.push(request.sessionId)
      return plain.open(request, setup)
    },
  }
  return { provider, opened }
}

const refusal = new SubagentError('INVALID_REQUEST', 'resolve', 'Not in this weather.', { field: 'label' })

test('a start and a dry run reject with its refusal, and nothing is opened or published', async () => {
  const seen: unknown[] = []
  const { provider, opened } = picky(({ label, depth }) => {
    seen.push([label, depth])
    if (label === 'rain') throw refusal
  })
  await using home = house({ providers: [{ provider }] })
  const request = { provider: 'picky', prompt: text('go'), label: 'rain' }
  expect(await rejection(home.runtime.check(request))).toBe(refusal)
  expect(await rejection(home.runtime.start(request))).toBe(refusal)
  expect([opened, home.ids, home.runtime.load]).toEqual([[], [], { active: 0, queued: 0 }])
  await home.runtime.check({ ...request, label: 'sun' })
  expect(opened).toEqual([])
  await using _ = await home.runtime.start({ ...request, label: 'sun' })
  expect(opened).toHaveLength(1)
  expect(seen).toEqual([
    ['rain', 0],
    ['rain', 0],
    ['sun', 0],
    ['sun', 0],
  ])
})

test('the gate and the depth come first', async () => {
  const { provider } = picky(() => {
    throw refusal
  })
  await using home = house({ providers: [{ provider }] })
  expect(await codeOf(home.start({ provider: 'picky', model: 'm' }))).toBe('UNSUPPORTED_CAPABILITY')
  await using root = await home.start({ maxDepth: 0 })
  const parent = { sessionId: root.sessionId }
  expect(await codeOf(home.start({ provider: 'picky', parent }))).toBe('DEPTH_EXCEEDED')
})

test.each<[string, NonNullable<SubagentProvider['check']>, string]>([
  [
    'throws anything else',
    () => {
      throw new Error('boom')
    },
    'The provider picky failed: boom',
  ],
  [
    'answers',
    () => true as never,
    'The "check" of the provider picky gave an answer. It must throw a refusal or return nothing, at once.',
  ],
  [
    'makes its caller wait',
    () => Promise.reject(refusal) as never,
    'The "check" of the provider picky gave an answer. It must throw a refusal or return nothing, at once.',
  ],
])('one that %s is a fault of the provider', async (_what, check, message) => {
  const { provider, opened } = picky(check)
  await using home = house({ providers: [{ provider }] })
  const error = await rejection(home.start({ provider: 'picky' }))
  expect([error.code, error.phase, error.message]).toEqual(['PROVIDER_FAULT', 'resolve', message])
  expect(opened).toEqual([])
})

test('a provider of a function may have one', async () => {
  const provider = defineProvider({
    name: 'dry',
    check: ({ label }) => {
      if (label === 'rain') throw refusal
    },
    run: () => 'fine',
  })
  await using home = house({ providers: [{ provider }] })
  expect(await rejection(home.start({ provider: 'dry', label: 'rain' }))).toBe(refusal)
  const run = await home.start({ provider: 'dry' })
  expect((await run.result).text).toBe('fine')
})
