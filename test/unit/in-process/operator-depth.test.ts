/** The number of the operator who configured a delegation tool (B2.4). */
import { expect, test } from 'vitest'
import { agents, delegate, toolResults } from '../../fixtures/in-process.ts'

const NESTED = [delegate('subagent', delegate('subagent', 'say: two down')), 'say: done'].join('\n')

const tool = (maxDepth?: number | 'provider-managed') => ({
  delegationTools: [{ name: 'subagent', provider: 'spawn', ...(maxDepth !== undefined && { maxDepth }) }],
})

test('B2.4: it may exceed the host setting, which joins only where there is no other number', async () => {
  await using home = agents({ settings: { maxDepth: 1 }, deployment: tool(2) })
  await home.play(NESTED)
  expect(home.ids.map((id) => home.store.get(id)?.header.depth)).toEqual([0, 1, 2])
  expect(home.store.get(home.ids[1] ?? home.ids[0]!)?.header.maxDepth).toBe(2)
})

test('B2.4: without it the host setting ends the tree', async () => {
  await using home = agents({ settings: { maxDepth: 1 }, deployment: tool() })
  await home.play(NESTED)
  expect(home.ids.map((id) => home.store.get(id)?.header.depth)).toEqual([0, 1])
})

test("B2.4: it doesn't exceed the cap of the tree", async () => {
  await using home = agents({ settings: { maxDepth: 9 }, deployment: tool(5) })
  await home.play(NESTED, { maxDepth: 1 })
  expect(home.ids.map((id) => home.store.get(id)?.header.depth)).toEqual([0, 1])
  expect(toolResults(home.entries(home.ids[1])).join()).toContain('DEPTH_EXCEEDED')
})
