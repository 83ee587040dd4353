/** Kept sessions of ACP agents: what a follow-up can hold them to, and what a dead one leaves behind. */
import { expect, test } from 'vitest'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import { acp, isAlive, pids, received } from '../fixtures/acp-house.ts'
import { rejection, until } from '../fixtures/house.ts'

const modes = { currentModeId: 'free', availableModes: [{ id: 'careful', name: 'Careful' }] }
const known = {
  name: 'k',
  title: 'K',
  program: 'k',
  args: [],
  asks: { modeId: 'careful', env: { ASK: '1' } },
}

const asking: readonly FakeStep[] = [
  ...acpHandshake().slice(0, 3),
  { reply: { sessionId: 's1', modes } },
  { on: 'session/set_mode', do: [{ reply: {} }] },
  { on: 'session/prompt', do: [{ dump: ['env'] }, { reply: { stopReason: 'end_turn' } }] },
  { hang: true },
]

test('law 9: an agent that is kept is made to ask though all is allowed, so that a follow-up can deny', async () => {
  const house = acp(asking, { known })
  const run = await house.start({ permission: 'allow', keep: true })
  expect(JSON.parse((await run.result).text)).toMatchObject({ env: { ASK: '1' } })
  expect(received(house, 'session/set_mode').map(({ params }) => params)).toEqual([
    { sessionId: 's1', modeId: 'careful' },
  ])
  const again = await house.start({
    permission: 'deny',
    session: { from: 'resume', sessionId: run.sessionId },
  })
  expect((await again.result).status).toBe('completed')
  expect(pids(house.log())).toHaveLength(1)
})

test('law 9: a follow-up that would need another session of a standing agent is refused by name', async () => {
  const house = acp([...acpHandshake(), ...acpTurn(['one']), { hang: true }])
  const run = await house.start({ keep: true })
  await run.result
  const session = { from: 'resume' as const, sessionId: run.sessionId }
  const mcpServers = [{ name: 'x', command: '/bin/true', args: [], env: [] }]
  for (const [field, more] of [
    ['cwd', { cwd: '/' }],
    ['mcpServers', { mcpServers }],
  ] as const) {
    const error = await rejection(house.start({ session, ...more }))
    expect([error.code, error.data]).toEqual(['INVALID_REQUEST', { field }])
  }
  expect(received(house, 'session/prompt')).toHaveLength(1)
})

test('law 5: what a kept agent leaves behind when it dies between two turns is ended at once', async () => {
  const house = acp([
    ...acpHandshake(),
    { expect: 'session/prompt' },
    { grandchild: { detached: true, forMs: 60_000 } },
    { say: 'hi' },
    { reply: { stopReason: 'end_turn' } },
    { exit: 0 },
  ])
  const run = await house.start({ keep: true })
  expect((await run.result).text).toBe('hi')
  await until(() => pids(house.log()).length === 2 && pids(house.log()).every((pid) => !isAlive(pid)))
  expect(house.supervisor.live()).toEqual([])
})
