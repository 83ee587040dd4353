/** What another gateway says is checked, and what only a gateway may say is believed of no other agent. */
import { expect, test } from 'vitest'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import { acp, received } from '../fixtures/acp-house.ts'

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

const policyRefused = {
  code: 'INVALID_REQUEST',
  message: 'A delegated agent asks nobody.',
  phase: 'resolve',
  data: { field: 'permission' },
}

/** The handshake alone: the answer to a session is the test's. */
const asking = acpHandshake({
  agentCapabilities: {
    _meta: { subgate: { version: 1, capabilities: { permissions: 'native', resume: 'native' } } },
  },
}).slice(0, 2)

const refusesToAsk: readonly FakeStep[] = [
  { expect: 'session/new' },
  { fail: { code: -32602, message: 'x', data: policyRefused } },
]

test('a policy that nobody asked for is no reason to refuse a kept session, which then takes none later', async () => {
  const house = acp([...asking, ...refusesToAsk, { expect: 'session/new' }, { reply: { sessionId: 's1' } }], {
    gateway: true,
  })
  const run = await house.start({ keep: true })
  expect((await run.result).status).toBe('completed')
  expect(received(house, 'session/new').map(({ params }) => params['_meta'])).toMatchObject([
    { subgate: { keep: true, permission: 'ask' } },
    { subgate: { keep: true } },
  ])
  expect(JSON.stringify(received(house, 'session/new')[1])).not.toContain('permission')
  const session = { from: 'resume', sessionId: run.sessionId } as const
  await expect(house.start({ session, permission: 'allow-reads' })).rejects.toMatchObject({
    code: 'UNSUPPORTED_CAPABILITY',
    data: { missing: ['permissions'] },
  })
  expect((await (await house.start({ session })).result).status).toBe('completed')
})

test('a policy that was asked for is refused as the other gateway refuses it', async () => {
  const house = acp([...asking, ...refusesToAsk], { gateway: true })
  await expect(house.start({ keep: true, permission: 'allow-reads' })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    data: { field: 'permission' },
  })
  expect(received(house, 'session/new')).toHaveLength(1)
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
