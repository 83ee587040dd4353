/** What sessions in one process of an ACP agent leave running there: it ends with them, and with nobody else. */
import { expect, test } from 'vitest'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import { isAlive, pids } from '../fixtures/acp-house.ts'
import type { AcpHouse } from '../fixtures/acp-house.ts'
import { agent, family } from '../fixtures/acp/family.ts'
import { until } from '../fixtures/house.ts'

const grown = (house: AcpHouse): readonly number[] =>
  house.log().flatMap((entry) => ('grandchild' in entry ? [entry.grandchild] : []))

const tool: FakeStep = { grandchild: { ignore: ['SIGTERM'], detached: true } }

test('a tool that outlives its run is ended with it, and the process stays', async () => {
  const house = await family(agent([tool, { dump: ['env', 'pid'] }, { reply: { stopReason: 'end_turn' } }]))
  await house.root.result
  const { pid } = await house.ran()
  const [, tools = 0] = grown(house)
  expect(grown(house)).toHaveLength(2)
  expect([isAlive(tools), isAlive(pid)]).toEqual([false, true])
  expect((await house.ran()).pid).toBe(pid)
})

test('a tool that outlives the interrupt of a kept session is ended, and the session goes on', async () => {
  const house = await family(agent([tool, { say: 'at work' }, { hang: true }]))
  const run = await house.child({ keep: true })
  await until(() => grown(house).length === 2)
  const [pid = 0] = pids(house.log().filter((entry) => 'started' in entry)).slice(1)
  run.cancel()
  expect((await run.result).status).toBe('cancelled')
  expect(grown(house).slice(1).filter(isAlive)).toEqual([])
  const again = await house.child({ session: { from: 'resume', sessionId: run.sessionId } })
  await until(() => grown(house).length === 3)
  expect(isAlive(pid)).toBe(true)
  again.cancel()
  await again.result
  house.root.cancel()
})

test('the tools of another session are left alone', async () => {
  const house = await family([
    ...agent([{ say: 'so far' }, { hang: true }]),
    { expect: 'session/new' },
    { reply: { sessionId: 's1' } },
    { expect: 'session/prompt' },
    tool,
    { expect: 'session/new' },
    { reply: { sessionId: 's2' } },
    { expect: 'session/prompt' },
    { reply: { stopReason: 'end_turn' } },
    { hang: true },
  ])
  await until(() => grown(house).length === 1)
  const first = await house.child()
  await until(() => grown(house).length === 2)
  const second = await house.child()
  await second.result
  const [, tools = 0] = grown(house)
  expect(isAlive(tools)).toBe(true)
  first.cancel()
  await first.result
  expect(isAlive(tools)).toBe(false)
  house.root.cancel()
})
