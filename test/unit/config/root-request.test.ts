/** A root's request under the system's file: its own permission policy of an agent binds flags too. */
import { expect, test } from 'vitest'
import { boundedRequest } from '../../../src/config/root-request.ts'
import { errorOf, makeHouse } from './house.ts'

const prompt = [{ type: 'text' as const, text: 'x' }]

test("a flag can't loosen the policy that the system's file sets for one agent", () => {
  using house = makeHouse()
  const loaded = house.load({ system: { providers: { codex: { permission: 'ask' } }, model: 'large' } })
  const asked = (permission: 'allow' | 'allow-reads' | 'ask' | 'deny', provider = 'codex') =>
    boundedRequest(loaded, { provider, prompt, permission }, provider)
  for (const permission of ['allow', 'allow-reads'] as const) {
    const error = errorOf(() => asked(permission))
    expect(error).toMatchObject({
      code: 'INVALID_REQUEST',
      data: { field: 'providers.codex.permission' },
    })
  }
  expect(asked('ask')).toMatchObject({ permission: 'ask', model: 'large' })
  expect(asked('deny').permission).toBe('deny')
  expect(asked('allow', 'other').permission).toBe('allow')
})

test('an alias is held to the policy of the agent that it means', () => {
  using house = makeHouse()
  const loaded = house.load({ system: { providers: { codex: { permission: 'ask' } } } })
  const request = { provider: 'cx', prompt, permission: 'allow' } as const
  expect(errorOf(() => boundedRequest(loaded, request, 'codex')).data).toEqual({
    field: 'providers.codex.permission',
  })
})
