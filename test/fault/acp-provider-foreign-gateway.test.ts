/** What another gateway says is checked, and what only a gateway may say is believed of no other agent. */
import { expect, test } from 'vitest'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import { acp } from '../fixtures/acp-house.ts'

const gateway = acpHandshake({ agentCapabilities: { _meta: { subgate: { version: 1, capabilities: {} } } } })
const ending = (said: object): readonly FakeStep[] => acpTurn(['hi'], { _meta: { subgate: said } })
const typed = {
  code: 'DEPTH_EXCEEDED',
  message: 'y'.repeat(500_000),
  phase: 'gate',
  data: { attempted: 9, max: 1 },
}
const failing: readonly FakeStep[] = [
  { expect: 'session/prompt' },
  { fail: { code: -32603, message: 'x', data: typed } },
]

test.each<[string, unknown, unknown]>([
  ['null', [null, 1, 'x', {}], []],
  [
    'parts',
    [
      { title: 'Write', kind: 'edit' },
      { title: 1, kind: 'edit', flag: 'x' },
    ],
    [],
  ],
  ['unknown kinds', [{ title: 'Fly', kind: 'fly', flag: 'f' }], [{ title: 'Fly', kind: 'other', flag: 'f' }]],
  [
    'long words',
    [{ title: 'x'.repeat(9000), kind: 'edit', flag: 'f' }],
    [{ title: 'x'.repeat(200), kind: 'edit', flag: 'f' }],
  ],
  ['no list', { length: 1 }, []],
])('denials of %s are left out or made fit', async (_what, denied, expected) => {
  const house = acp([...gateway, ...ending({ status: 'completed', denied })])
  expect(await (await house.start()).result).toMatchObject({
    status: 'completed',
    text: 'hi',
    denied: expected,
  })
})

test.each([
  { inputTokens: -1, outputTokens: 1 },
  { inputTokens: '5', outputTokens: 1 },
  { inputTokens: 1 },
  'many',
])('the usage %j is none', async (usage) => {
  const house = acp([...gateway, ...ending({ status: 'completed', usage })])
  expect(await (await house.start()).result).not.toHaveProperty('usage')
})

test('a typed error comes through, cut to what an error may carry', async () => {
  const { error } = await (await acp([...gateway, ...failing]).start()).result
  expect(error).toMatchObject({ code: 'DEPTH_EXCEEDED', phase: 'gate', data: { attempted: 9, max: 1 } })
  expect(Buffer.byteLength(error?.message ?? '')).toBeLessThanOrEqual(4096)
})

test('of an agent that is no gateway, a typed error is an error of its own', async () => {
  const { error } = await (await acp([...acpHandshake(), ...failing]).start()).result
  expect(error).toMatchObject({ code: 'AGENT_ERROR', message: 'fake answered with an error: x' })
})

test("of an agent that is no gateway, a gateway's words count for nothing", async () => {
  const denied = [{ title: 'Write', kind: 'edit', flag: '--permission allow' }]
  const house = acp([...acpHandshake(), ...ending({ status: 'refused', denied })])
  expect(await (await house.start()).result).toMatchObject({ status: 'completed', denied: [] })
})
