/** Providers that end their turn in no known way, and runs that settle whatever goes wrong at their end. */
import { expect, test, vi } from 'vitest'
import type { TurnOutcome } from '../../src/contract/result.ts'
import { checkIdle, house } from '../fixtures/house.ts'

const usage = { inputTokens: -1, outputTokens: 0 }

test.each([
  ['null', null, 'it is no object'],
  ['an empty object', {}, '"ended" is no known end'],
  ['an unknown end', { ended: 'finished' }, '"ended" is no known end'],
  ['a cut by nothing', { ended: 'truncated' }, '"category" must say what the turn was cut by'],
  ['a negative usage', { ended: 'completed', usage }, '"usage" must hold numbers of at least 0'],
  ['denials that are none', { ended: 'completed', denied: [1] }, '"denied" must be a list of denials'],
  ['a value that is no JSON', { ended: 'completed', structured: 1n }, '"structured" is no JSON'],
  [
    'no yes or no of where values come from',
    { ended: 'completed', structuredOnly: 'yes' },
    '"structuredOnly" is no boolean',
  ],
])('law 4: a turn that ends with %s settles as a fault of its provider', async (_name, outcome, why) => {
  const home = house()
  const run = await home.start()
  const turn = await home.puppet.turnOf(run.sessionId)
  turn.say('words')
  turn.end(outcome as unknown as TurnOutcome)
  const result = await run.result
  expect(result).toMatchObject({ status: 'failed', category: 'provider', error: { code: 'PROVIDER_FAULT' } })
  expect(result.error?.message).toContain(why)
  checkIdle(home)
  await home[Symbol.asyncDispose]()
})

test('law 4: a run settles also when its conclusion throws', async () => {
  const home = house()
  const run = await home.start({ outputSchema: { type: 'object' } })
  const turn = await home.puppet.turnOf(run.sessionId)
  const outcome = { ended: 'completed' as const }
  // Passes the check, and fails whoever looks at it later.
  let looks = 0
  Object.defineProperty(outcome, 'structured', {
    enumerable: true,
    get: () => {
      looks += 1
      if (looks > 1) throw new Error('gone')
      return {}
    },
  })
  turn.end(outcome)
  expect((await run.result).error?.message).toContain('gone')
  await vi.waitFor(() => checkIdle(home))
  await home[Symbol.asyncDispose]()
})
