/** How deep built-in agents delegate: the tree's cap, the operator's number for the tool, the host setting (B2). */
import { expect, test } from 'vitest'
import type { SetupScope } from '../../../src/contract/provider.ts'
import type { SessionId } from '../../../src/contract/ids.ts'
import { codeOf, text } from '../../fixtures/house.ts'
import { agents, delegate, keepingScopes, statementsIn, toolResults } from '../../fixtures/in-process.ts'
import type { Agents, AgentsOptions } from '../../fixtures/in-process.ts'

type ToolNumber = number | 'provider-managed'

const tree = (host: number | 'unbounded', maxDepth?: ToolNumber, more: AgentsOptions = {}): Agents =>
  agents({
    ...more,
    settings: { maxDepth: host },
    deployment: {
      delegationTools: [{ name: 'subagent', provider: 'spawn', ...(maxDepth !== undefined && { maxDepth }) }],
    },
  })

/** Each delegates to the next, down to four below the root. */
const FOUR = [1, 2, 3, 4].reduce((below) => delegate('subagent', below), 'say: the last')

/** Depth and stored cap of each session, from the root on. */
const placesOf = ({ ids, store }: Agents): readonly (readonly [number?, number?])[] =>
  ids.map((id) => {
    const { depth, maxDepth } = store.get(id)?.header ?? {}
    return [depth, maxDepth] as never
  })

test("B2.4: the operator's number of a tool exceeds the host setting, and is the cap of what it starts", async () => {
  await using home = tree(1, 3)
  await home.play(FOUR)
  expect(placesOf(home)).toEqual([
    [0, undefined],
    [1, 3],
    [2, 3],
    [3, 3],
  ])
  expect(toolResults(home.entries(home.ids[3]))[0]).toMatch(
    /^failed: No subagent was started\. DEPTH_EXCEEDED: The child would stand at depth 4, but this tree ends at 3\./u,
  )
})

test("B2.4: the operator's number never raises the cap that the tree's root was given", async () => {
  await using home = tree(1, 3)
  await home.play(FOUR, { maxDepth: 2 })
  expect(placesOf(home)).toEqual([
    [0, 2],
    [1, 2],
    [2, 2],
  ])
})

test.each([undefined, 'provider-managed'] as const)(
  'B2.4: a tool that sends no number (%s) leaves the bound to the host setting',
  async (maxDepth) => {
    await using home = tree(2, maxDepth)
    await home.play(FOUR)
    expect(placesOf(home)).toEqual([
      [0, undefined],
      [1, 2],
      [2, 2],
    ])
  },
)

test('B2.4: code on the host may say that it sets no bound', async () => {
  await using home = tree('unbounded')
  await home.play(FOUR)
  expect(placesOf(home)).toEqual([0, 1, 2, 3, 4].map((depth) => [depth, undefined]))
})

test("B2.6: the notice at the cap counts by the operator's number, not by the host setting under it", async () => {
  await using home = tree(1, 2)
  await home.play(FOUR)
  const noticed = home.ids.map((id) =>
    statementsIn(home.entries(id)).join('').includes('Do the work directly'),
  )
  expect(noticed).toEqual([false, false, true])
})

test.each([-1, 1.5, -0, Number.NaN, Infinity, 2 ** 53, '3' as never])(
  'B2.2: %s is refused as the number of an operator, and as the host setting',
  async (number) => {
    const scopes = new Map<SessionId, SetupScope>()
    await using home = tree(5, undefined, { wrap: keepingScopes(scopes) })
    const { sessionId: id } = await home.play('say: ready', { keep: true })
    const { delegation } = scopes.get(id) ?? {}
    const request = { provider: 'spawn', prompt: text('say: done') }
    expect(delegation && (await codeOf(delegation.start(request, { operatorMaxDepth: number })))).toBe(
      'INVALID_REQUEST',
    )
    expect(home.ids).toHaveLength(1)
    expect(() => home.runtime.settings.set({ maxDepth: number })).toThrow('a depth is a whole number from 0')
    expect(home.runtime.settings.get().maxDepth).toBe(5)
  },
)
