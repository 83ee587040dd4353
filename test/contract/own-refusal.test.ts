/** The conformance check of what a provider itself refuses catches each way to get it wrong. */
import { expect, test } from 'vitest'
import { verify } from '../../src/conformance/index.ts'
import type { Cue, ProviderFixture } from '../../src/conformance/index.ts'
import { text } from '../../src/contract/content.ts'
import { SubagentError } from '../../src/contract/errors.ts'
import { defineProvider } from '../../src/provider.ts'
import type { ProviderDefinition } from '../../src/provider.ts'

const ID = 'gate/own-refusal-comes-first'

const refuse = (): never => {
  throw new SubagentError('INVALID_REQUEST', 'resolve', 'Not in this weather.', { field: 'label' })
}

const answer: Cue = { request: () => ({ prompt: [text('go')] }) }
const cues = { answer, unfit: { request: () => ({ prompt: [text('go')], label: 'rain' }) } }

const fixture = (
  more: Partial<ProviderDefinition>,
  own: ProviderFixture['cues'] = cues,
  leftovers: string[] = [],
): ProviderFixture => ({
  create: () => ({
    provider: defineProvider({ name: 'dry', run: () => 'fine', ...more }),
    leftovers: () => leftovers,
    [Symbol.asyncDispose]: async () => {},
  }),
  cues: own,
})

test('one that refuses what is unfit passes, and so does one without a check, which owes no cue', async () => {
  const picky = fixture({ check: ({ label }) => (label === 'rain' ? refuse() : undefined) })
  expect(await verify(ID, picky)).toBe('passed')
  expect(await verify(ID, fixture({}, { answer }))).toBe('passed')
})

test.each<[string, ProviderFixture, string]>([
  ['has a check and no cue for it', fixture({ check: () => {} }, { answer }), 'a cue "unfit"'],
  [
    'takes what is unfit',
    fixture({ check: () => {} }),
    'a dry run of "unfit" to be refused in phase resolve',
  ],
  [
    'fails instead of refusing',
    fixture({
      check: ({ label }) => {
        if (label === 'rain') throw new Error('boom')
      },
    }),
    'PROVIDER_FAULT in phase resolve',
  ],
])('one that %s is caught', async (_what, subject, words) => {
  await expect(verify(ID, subject)).rejects.toThrow(words)
})

test('one whose check leaves something is caught', async () => {
  const leftovers: string[] = []
  const untidy = fixture({ check: () => void leftovers.push('a lock') }, cues, leftovers)
  await expect(verify(ID, untidy)).rejects.toThrow('a lock')
})
