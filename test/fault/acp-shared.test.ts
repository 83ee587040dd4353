/** Processes of ACP agents that delegated sessions share: who shares, what ends, what stays. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import { isAlive, received } from '../fixtures/acp-house.ts'
import type { AcpOptions } from '../fixtures/acp-house.ts'
import { agent, family, shared } from '../fixtures/acp/family.ts'
import type { Env } from '../fixtures/acp/family.ts'
import { rejection, until } from '../fixtures/house.ts'

test('children of one parent share a process, in which each session is closed at its end', async () => {
  const house = await family(agent())
  await house.root.result
  const [one, two] = [await house.ran(), await house.ran()]
  expect(two.pid).toBe(one.pid)
  expect(shared(house)).toEqual([one.pid])
  expect(received(house, 'session/close').map(({ params }) => params['sessionId'])).toEqual(['s1', 's2'])
  expect(house.supervisor.live()).toMatchObject([
    { sessionId: house.root.sessionId },
    { pid: one.pid, idle: true },
  ])
})

test('a root session has a process of its own, with its lineage; a shared one has none', async () => {
  const house = await family(agent())
  const root = JSON.parse((await house.root.result).text) as { pid: number; env: Env }
  expect(root.env['SUBGATE_LINEAGE']).toBe(`lineage-of-${house.root.sessionId}`)
  const { pid, env } = await house.ran()
  expect(pid).not.toBe(root.pid)
  expect(env['SUBGATE_LINEAGE']).toBeUndefined()
  expect(received(house, 'session/close')).toHaveLength(1)
})

test('lineage goes with each session to the MCP servers of a shared process', async () => {
  const house = await family(agent())
  await house.root.result
  const mcpServers = [{ name: 'x', command: '/bin/true', args: [], env: [{ name: 'A', value: '1' }] }]
  const run = await house.child({ mcpServers })
  await run.result
  expect(received(house, 'session/new').at(-1)?.params['mcpServers']).toEqual([
    {
      ...mcpServers[0],
      env: [
        { name: 'A', value: '1' },
        { name: 'SUBGATE_LINEAGE', value: `lineage-of-${run.sessionId}` },
      ],
    },
  ])
})

test('another parent, cap, directory or sandbox is another process', async () => {
  const house = await family(agent(), { provider: { sandbox: 'provider-managed' } })
  await house.root.result
  const elsewhere = join(house.dir, 'elsewhere')
  mkdirSync(elsewhere)
  const other = await house.start({ keep: true })
  await other.result
  const found = [
    await house.ran(),
    await house.ran({ parent: { sessionId: other.sessionId } }),
    await house.ran({ cwd: elsewhere }),
    await house.ran(),
  ].map(({ pid }) => pid)
  expect(new Set(found).size).toBe(3)
  expect(found[3]).toBe(found[0])
})

test('another environment is another process', async () => {
  const asks = { name: 'k', title: 'K', program: 'k', args: [], asks: { env: { ASK: '1' } } }
  const house = await family(agent(), { known: asks, provider: { permission: 'allow' } })
  await house.root.result
  const free = await house.ran({ permission: 'allow' })
  const asking = await house.ran({ permission: 'deny' })
  expect([free.env['ASK'], asking.env['ASK']]).toEqual([undefined, '1'])
  expect(asking.pid).not.toBe(free.pid)
})

test.each([
  ['that closes no sessions', agent(undefined, {}), {}],
  ['that is switched off', agent(), { warm: false }],
] as const)('an agent %s has a process for each run, which is gone with it', async (_, script, options) => {
  const house = await family(script, options)
  await house.root.result
  const [one, two] = [await house.ran(), await house.ran()]
  expect(two.pid).not.toBe(one.pid)
  expect([one.pid, two.pid].filter(isAlive)).toEqual([])
  expect(one.env['SUBGATE_LINEAGE']).toMatch(/^lineage-of-/u)
  expect(received(house, 'session/close')).toEqual([])
})

test('one that nobody wants is ended after its idle time', async () => {
  const house = await family(agent(), { idleMs: 50 })
  await house.root.result
  const { pid } = await house.ran()
  await until(() => !isAlive(pid))
  expect((await house.ran()).pid).not.toBe(pid)
})

test('one that crashed while it was idle costs nobody a run', async () => {
  const house = await family(agent())
  await house.root.result
  const { pid } = await house.ran()
  process.kill(pid, 'SIGKILL')
  expect((await house.ran()).pid).not.toBe(pid)
})

test('one that dies at its second session is replaced, and its session is a fresh one there', async () => {
  const dies: readonly FakeStep[] = [
    ...agent(),
    { expect: 'session/new' },
    { reply: { sessionId: 'a' } },
    { expect: 'session/new' },
    { exit: 7 },
  ]
  const house = await family(dies)
  await house.root.result
  const one = await house.ran()
  const two = await house.ran()
  expect(two.pid).not.toBe(one.pid)
  expect(isAlive(one.pid)).toBe(false)
})

const hanging = agent([{ say: 'so far of {sessionId}' }, { hang: true }])

/** Two children in mid-turn in one process. */
const twins = async (script: readonly FakeStep[], options: AcpOptions = {}) => {
  const house = await family(script, options)
  await until(() => received(house, 'session/prompt').length === 1)
  const one = await house.child()
  const two = await house.child()
  await until(() => received(house, 'session/prompt').length === 3)
  expect(shared(house)).toHaveLength(1)
  return { house, one, two, pid: shared(house)[0] ?? 0 }
}

test('a crash with two sessions fails both, each with how the process ended, and nothing of it is left', async () => {
  const { house, one, two, pid } = await twins(hanging)
  process.kill(pid, 'SIGKILL')
  for (const run of [one, two]) {
    const { status, text, error } = await run.result
    expect([status, text]).toEqual(['failed', expect.stringMatching(/^so far of s[12]$/u)])
    expect(error).toMatchObject({ code: 'AGENT_EXITED', phase: 'prompt', data: { signal: 'SIGKILL' } })
  }
  expect(house.supervisor.live().map(({ sessionId }) => sessionId)).toEqual([house.root.sessionId])
  house.root.cancel()
})

test('a cancel in one session leaves the other alone', async () => {
  const { house, one, two, pid } = await twins([
    ...hanging,
    { expect: 'session/cancel' },
    { say: ', and on', sessionId: 's2' },
    { reply: { stopReason: 'end_turn' }, to: 'session/prompt' },
    { reply: { stopReason: 'cancelled' }, to: 'session/prompt' },
  ])
  one.cancel()
  expect(await one.result).toMatchObject({ status: 'cancelled', text: 'so far of s1' })
  expect(await two.result).toMatchObject({ status: 'completed', text: 'so far of s2, and on' })
  expect(received(house, 'session/cancel').map(({ params }) => params['sessionId'])).toEqual(['s1'])
  expect(isAlive(pid)).toBe(true)
  house.root.cancel()
})

test('a cancel that is ignored ends its session, and its process once the other session has ended', async () => {
  const { house, one, two, pid } = await twins([{ ignore: ['cancel'] }, ...hanging], {
    provider: { cancelMs: 50 },
  })
  one.cancel()
  expect((await one.result).status).toBe('cancelled')
  expect(received(house, 'session/close').map(({ params }) => params['sessionId'])).toEqual(['s1'])
  expect(isAlive(pid)).toBe(true)
  two.cancel()
  expect((await two.result).status).toBe('cancelled')
  expect(isAlive(pid)).toBe(false)
  house.root.cancel()
})

test("what a closed session still asks for is refused, and is nobody else's question", async () => {
  const house = await family([
    ...agent(),
    {
      on: 'session/close',
      do: [{ reply: {} }, { permission: {}, id: 'late', sessionId: 's1', wait: false }],
    },
  ])
  await house.root.result
  await house.ran()
  await until(() => house.log().some((entry) => 'answer' in entry && entry.to === 'late'))
  expect(house.log().find((entry) => 'answer' in entry)).toMatchObject({
    answer: { result: { outcome: { outcome: 'cancelled' } } },
  })
})

test('a session that can not be opened leaves nothing, and its process is given to nobody', async () => {
  const house = await family([
    ...agent(),
    { expect: 'session/new' },
    { reply: { sessionId: 'a' } },
    { expect: 'session/new' },
    { fail: { code: -32603, message: 'No room.' } },
  ])
  await house.root.result
  const { pid } = await house.ran()
  expect(await rejection(house.child())).toMatchObject({ code: 'AGENT_ERROR', phase: 'session' })
  expect(isAlive(pid)).toBe(false)
  expect((await house.ran()).pid).not.toBe(pid)
})

test('C17: a reader that is far behind one session holds up no other, and finds all of it in the log', async () => {
  const house = await family([
    ...agent(),
    { expect: 'session/new' },
    { reply: { sessionId: 's1' } },
    { expect: 'session/prompt' },
    { expect: 'session/new' },
    { reply: { sessionId: 's2' } },
    { expect: 'session/prompt' },
    { repeat: 12, steps: [{ say: { fill: 'x', times: 1024 * 1024 }, sessionId: 's1' }] },
    { say: 'done', sessionId: 's2' },
    { reply: { stopReason: 'end_turn' } },
    { hang: true },
  ])
  const one = await house.child()
  const behind = one.events()[Symbol.asyncIterator]()
  await behind.next()
  const two = await house.child()
  expect((await two.result).status).toBe('completed')
  expect(shared(house)).toHaveLength(1)
  one.cancel()
  await one.result
  let updates = 0
  for await (const { event } of { [Symbol.asyncIterator]: () => behind }) {
    if (event.type === 'session/update') updates += 1
  }
  expect(updates).toBe(12)
  house.root.cancel()
})
