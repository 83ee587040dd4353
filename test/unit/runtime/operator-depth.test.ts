/** The number of an operator's tool, given beside a delegated request: held by the gate, and told to the agent. */
import { expect, test } from 'vitest'
import type { ResolvedStartRequest } from '../../../src/contract/request.ts'
import { codeOf, house, text } from '../../fixtures/house.ts'
import { puppet } from '../../fixtures/puppet.ts'

const request = { provider: 'child', prompt: text('go') }

test('B2.5: it needs the depth limit of the provider, as an explicit maxDepth does', async () => {
  const child = puppet({ name: 'child', capabilities: { depthLimit: 'none' } })
  await using home = house({ providers: [{ provider: child }] })
  await home.start()
  const { delegation } = home.puppet.turns[0]?.turn ?? {}
  const refused = delegation && codeOf(delegation.start(request, { operatorMaxDepth: 2 }))
  expect(await refused).toBe('UNSUPPORTED_CAPABILITY')
  expect(home.ids).toHaveLength(1)
  await using _ = await delegation?.start(request)
  expect(home.ids).toHaveLength(2)
})

test('B2.4: an agent that is a gateway itself is told the lowest of it and what was asked for', async () => {
  const opened: ResolvedStartRequest[] = []
  const child = puppet({ name: 'child', open: (resolved) => void opened.push(resolved) })
  await using home = house({ providers: [{ provider: child }], settings: { maxDepth: 1 } })
  await home.start()
  const { delegation } = home.puppet.turns[0]?.turn ?? {}
  await delegation?.start(request, { operatorMaxDepth: 3 })
  await delegation?.start({ ...request, maxDepth: 2 }, { operatorMaxDepth: 3 })
  await delegation?.start(request)
  expect(opened.map(({ depth, maxDepth, requested }) => [depth, maxDepth, requested.maxDepth])).toEqual([
    [1, 3, 3],
    [1, 2, 2],
    [1, 1, undefined],
  ])
  expect(delegation?.depth()).toEqual({ current: 0, cap: 1 })
  expect(delegation?.depth({ operatorMaxDepth: 3 })).toEqual({ current: 0, cap: 3 })
})
