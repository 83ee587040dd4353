/** `defineProvider`: any function is a provider. */
import { describe, expect, test } from 'vitest'
import { defineProvider } from '../../../src/provider.ts'
import type { ProviderDefinition } from '../../../src/provider.ts'
import type { RunOptions } from '../../../src/index.ts'
import { openSubgate } from './open-subgate.ts'

const play = async (definition: Omit<ProviderDefinition, 'name'>, options: RunOptions = {}) => {
  await using subgate = await openSubgate()
  subgate.providers.add(defineProvider({ name: 'mine', ...definition }))
  return await subgate.run('mine', 'Say hello.', options)
}

describe('what the function gives back', () => {
  test('a string is the answer', async () => {
    const result = await play({ run: ({ text }) => `You said: ${text}` })
    expect(result).toMatchObject({ status: 'completed', text: 'You said: Say hello.', provider: 'mine' })
  })

  test('without one, what it has streamed is', async () => {
    const result = await play({
      run: async (_, turn) => {
        turn.say('Hel')
        turn.say('lo.')
      },
    })
    expect(result).toMatchObject({ status: 'completed', text: 'Hello.' })
  })

  test('nothing at all is empty (C22)', async () => {
    expect(await play({ run: () => '' })).toMatchObject({ status: 'empty', category: 'no_text' })
  })

  test('an outcome is how the turn ended', async () => {
    const usage = { inputTokens: 3, outputTokens: 5 }
    const result = await play({ run: () => ({ ended: 'refused', usage }) })
    expect(result).toMatchObject({ status: 'refused', category: 'refusal', usage })
  })

  test('a throw is a fault of the provider, and what was said stays', async () => {
    const result = await play({
      run: (_, turn) => {
        turn.say('so far')
        throw new TypeError('broken')
      },
    })
    expect(result).toMatchObject({
      status: 'failed',
      category: 'provider',
      text: 'so far',
      error: { code: 'PROVIDER_FAULT', message: 'The provider mine failed: broken' },
    })
  })
})

test('an abort is a cancel, whatever the function throws then', async () => {
  await using subgate = await openSubgate()
  const provider = defineProvider({
    name: 'slow',
    run: (_, turn) => {
      turn.say('so far')
      return new Promise((_resolve, reject) => {
        turn.signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
      })
    },
  })
  subgate.providers.add(provider)
  const run = await subgate.start('slow', 'Wait.')
  run.cancel()
  expect(await run.result).toMatchObject({ status: 'cancelled', category: 'request', text: 'so far' })
})

describe('capabilities', () => {
  test('everything is none until it is claimed', async () => {
    await expect(play({ run: () => 'x' }, { model: 'm-7', effort: 'high' })).rejects.toMatchObject({
      code: 'UNSUPPORTED_CAPABILITY',
      data: { provider: 'mine', missing: ['model', 'effort'], fields: ['model', 'effort'] },
    })
  })

  test('a claimed control reaches the function', async () => {
    const result = await play(
      { capabilities: { model: 'native' }, run: ({ request }) => `on ${request.model}` },
      { model: 'm-7' },
    )
    expect(result.text).toBe('on m-7')
  })

  test('steering must be claimed and be there, or neither', () => {
    expect(() => defineProvider({ name: 'mine', run: () => 'x', steer: () => {} })).toThrow(
      'must both claim "steer"',
    )
    expect(() => defineProvider({ name: 'mine', run: () => 'x', capabilities: { steer: 'native' } })).toThrow(
      'must both claim "steer"',
    )
  })

  test('a provider without a name is refused', () => {
    expect(() => defineProvider({ name: '', run: () => 'x' })).toThrow('without a name')
  })
})

test('close is called once for each agent', async () => {
  const closed: string[] = []
  const result = await play({ run: () => 'x', close: ({ sessionId }) => void closed.push(sessionId) })
  expect(closed).toEqual([result.sessionId])
})
