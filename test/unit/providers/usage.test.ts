/** Where an ACP agent tells what a turn has used. */
import { expect, test } from 'vitest'
import { outcomeOf } from '../../../src/providers/acp/translate.ts'

const facts = { gateway: false, rejected: false, cancelRequested: false }
const quota = (input_tokens: unknown, output_tokens: unknown): object => ({
  _meta: { quota: { token_count: { input_tokens, output_tokens } } },
})

test.each([
  ['in the field that ACP has for it', { usage: { inputTokens: 11, outputTokens: 7, totalTokens: 18 } }],
  ['as a quota beside the answer', quota(11, 7)],
  ['in both, of which the field counts', { usage: { inputTokens: 11, outputTokens: 7 }, ...quota(1, 1) }],
])('%s', (_, answer) => {
  const { usage } = outcomeOf({ stopReason: 'end_turn', ...answer }, facts)
  expect(usage).toEqual({ inputTokens: 11, outputTokens: 7 })
})

test.each([
  ['nowhere', {}],
  ['with nothing counted', quota(0, 0)],
  ['with half of it', quota(11, undefined)],
  ['with what is no number', quota('11', 7)],
  ['below zero', quota(11, -1)],
])('%s it is not known', (_, answer) => {
  expect(outcomeOf({ stopReason: 'end_turn', ...answer }, facts)).not.toHaveProperty('usage')
})
