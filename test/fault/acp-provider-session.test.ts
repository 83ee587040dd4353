/** Sessions of ACP agents beyond one turn: kept, taken up, copied; their trees of processes; slow readers. */
import { describe, expect, test } from 'vitest'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import { acp, isAlive, pids, received, typesOf } from '../fixtures/acp-house.ts'
import type { AcpHouse } from '../fixtures/acp-house.ts'
import { checkLog, codeOf, rejection, until } from '../fixtures/house.ts'

/** Serves whatever is asked, so that one script fits the first process and those that come after it. */
const serving = (agentCapabilities: object, ...more: readonly FakeStep[]): readonly FakeStep[] => [
  { on: 'initialize', do: [{ reply: { protocolVersion: 1, agentCapabilities, authMethods: [] } }] },
  { on: 'session/prompt', do: [{ say: 'heard {prompt}' }, { reply: { stopReason: 'end_turn' } }] },
  ...more,
  { hang: true },
]

test('law 5: a kept session takes two prompts on one process, and is gone when it is closed', async () => {
  const house = acp([...acpHandshake(), ...acpTurn(['one']), ...acpTurn(['two'])])
  const run = await house.start({ keep: true })
  const one = await run.result
  const [live] = house.supervisor.live()
  expect(live?.sessionId).toBe(run.sessionId)
  const two = await (await house.start({ session: { from: 'resume', sessionId: run.sessionId } })).result
  expect([one.text, two.text]).toEqual(['one', 'two'])
  checkLog(house.entries(run.sessionId), [one, two])
  expect(pids(house.log())).toHaveLength(1)
  await house.runtime.close(run.sessionId)
  expect(house.supervisor.live()).toEqual([])
  for (const pid of pids(house.log())) expect(isAlive(pid)).toBe(false)
})

test("a session is taken up by session/load under the agent's own id, and the replay is dropped", async () => {
  const house = acp(
    serving(
      { loadSession: true },
      { on: 'session/new', do: [{ reply: { sessionId: 'native-7' } }] },
      {
        on: 'session/load',
        do: [
          {
            inOneWrite: [
              { say: 'old answer', sessionId: 'native-7' },
              { reply: null },
              { update: { sessionUpdate: 'current_mode_update', currentModeId: 'm' }, sessionId: 'native-7' },
            ],
          },
        ],
      },
    ),
  )
  const run = await house.start()
  const one = await run.result
  const before = house.entries(run.sessionId).length
  const again = await house.start({ session: { from: 'resume', sessionId: run.sessionId } })
  const two = await again.result
  expect([two.status, two.text, two.sessionId]).toEqual(['completed', 'heard hi', run.sessionId])
  expect(received(house, 'session/load').map(({ params }) => params['sessionId'])).toEqual(['native-7'])
  const added = house.entries(run.sessionId).slice(before)
  expect(JSON.stringify(added)).not.toContain('old answer')
  expect(typesOf(added)).toEqual([
    'session/late_update',
    'run/started',
    'notice',
    'agent_message_chunk',
    'run/settled',
  ])
  checkLog(house.entries(run.sessionId), [one, two])
  expect(new Set(pids(house.log())).size).toBe(2)
})

test('session/resume goes before session/load where the agent has both', async () => {
  const house = acp(serving({ loadSession: true, sessionCapabilities: { resume: {} } }))
  const run = await house.start()
  await run.result
  await (
    await house.start({ session: { from: 'resume', sessionId: run.sessionId } })
  ).result
  expect(received(house, 'session/resume').map(({ params }) => params['sessionId'])).toEqual(['s1'])
  expect(received(house, 'session/load')).toEqual([])
})

describe('B9.3: a session that can not be taken up', () => {
  test.each([
    [-32002, 'Resource not found'],
    [-32603, 'disk gone'],
    [-32602, 'already open'],
  ])(
    'because of error %d is NOT_RESUMABLE with the words of the agent, and stays as it was',
    async (code, message) => {
      const house = acp(
        serving({ loadSession: true }, { on: 'session/load', do: [{ fail: { code, message } }] }),
      )
      const run = await house.start()
      await run.result
      const before = house.entries(run.sessionId)
      const error = await rejection(house.start({ session: { from: 'resume', sessionId: run.sessionId } }))
      expect([error.code, error.phase]).toEqual(['NOT_RESUMABLE', 'session'])
      expect(error.data).toMatchObject({ sessionId: run.sessionId })
      expect(error.message).toContain(message)
      expect(house.entries(run.sessionId)).toEqual(before)
      expect(received(house, 'session/new')).toHaveLength(1)
      expect(house.supervisor.live()).toEqual([])
    },
  )

  test('because the agent can not is told before anything is asked of it', async () => {
    const house = acp(serving({}))
    const run = await house.start()
    await run.result
    expect(await codeOf(house.start({ session: { from: 'resume', sessionId: run.sessionId } }))).toBe(
      'NOT_RESUMABLE',
    )
    expect(received(house, 'session/load')).toEqual([])
  })
})

test('a fork asks the agent for a copy, and is a session of its own with the shared history', async () => {
  const house = acp(
    serving(
      { sessionCapabilities: { fork: {} } },
      { on: 'session/fork', do: [{ reply: { sessionId: 's-copy' } }] },
    ),
  )
  const run = await house.start()
  await run.result
  const fork = await house.start({ session: { from: 'fork', sessionId: run.sessionId } })
  expect((await fork.result).text).toBe('heard hi')
  expect(received(house, 'session/fork').map(({ params }) => params['sessionId'])).toEqual(['s1'])
  const shared = house.entries(run.sessionId)
  const own = house.entries(fork.sessionId)
  expect(own.slice(0, shared.length)).toEqual(shared)
  expect(own.slice(shared.length).map(({ event }) => event)).toContainEqual({
    type: 'session/native_id',
    nativeId: 's-copy',
  })
})

const gone = async (house: AcpHouse): Promise<void> => {
  const all = pids(house.log())
  expect(all.length).toBeGreaterThanOrEqual(3)
  expect(all.filter(isAlive)).toEqual([])
  expect(house.supervisor.live()).toEqual([])
  await house.close()
}

describe('C12: the whole process tree ends', () => {
  const wrap = ['/bin/sh', '-c', '"$0" "$@"; :'] as const
  const grown: readonly FakeStep[] = [
    { ignore: ['SIGTERM', 'eof'] },
    { grandchild: { ignore: ['SIGTERM'] } },
    { grandchild: { ignore: ['SIGTERM'], detached: true } },
  ]
  const graces = { eofMs: 20, termMs: 60 }
  const turn: readonly FakeStep[] = [...acpHandshake(), ...acpTurn(['ok'])]

  test.each([1, 2, 3, 4, 5])('when a run ends and when a session is closed (%d)', async () => {
    const once = acp([...grown, ...turn], { wrap, graces })
    expect((await (await once.start()).result).status).toBe('completed')
    await gone(once)
    const kept = acp([...grown, ...turn], { wrap, graces })
    const run = await kept.start({ keep: true })
    await run.result
    expect(pids(kept.log()).filter(isAlive)).toHaveLength(3)
    await kept.runtime.close(run.sessionId)
    await gone(kept)
  })

  test('when it is timed out, and when its start fails after the spawn', async () => {
    const slow = acp(
      [...grown, ...acpHandshake(), { ignore: ['cancel'] }, { expect: 'session/prompt' }, { hang: true }],
      {
        wrap,
        graces,
        provider: { cancelMs: 50 },
      },
    )
    const run = await slow.start({ limits: { totalMs: 100 } })
    expect(await run.result).toMatchObject({ status: 'timed_out', category: 'total' })
    await gone(slow)
    const failed = acp([...grown, ...acpHandshake().slice(0, 3), { fail: { code: -32603, message: 'no' } }], {
      wrap,
      graces,
    })
    expect(await codeOf(failed.start())).toBe('AGENT_ERROR')
    await gone(failed)
  })
})

/** Until the log has not grown for a while. */
const standstill = async (count: () => number): Promise<number> => {
  for (;;) {
    const before = count()
    await new Promise((resolve) => setTimeout(resolve, 400))
    if (before > 1 && count() === before) return before
  }
}

describe('C17: a reader that is slow', () => {
  const CHUNKS = 20_000
  const chunk = `{i} ${'x'.repeat(600)}\n`
  const flood = (repeat: number | 'forever'): readonly FakeStep[] => [
    ...acpHandshake(),
    ...acpTurn([{ repeat, steps: [{ say: chunk }] }]),
  ]

  test('has the agent paused by the high-water mark, and loses or reorders nothing', async () => {
    const house = acp(flood(CHUNKS))
    const run = await house.start()
    const count = (): number => house.entries(run.sessionId).length
    const events = run.events()[Symbol.asyncIterator]()
    await events.next()
    const paused = await standstill(count)
    expect(paused).toBeLessThan(CHUNKS)
    expect(paused * 600).toBeGreaterThan(4 * 1024 * 1024)
    expect(paused * 600).toBeLessThan(10 * 1024 * 1024)
    let seen = 0
    for (;;) {
      const { value, done } = await events.next()
      if (done === true) break
      const { event } = value
      if (event.type !== 'session/update') continue
      const { content } = event.update as { content?: { text?: string } }
      if (content?.text?.startsWith(`${seen} `) !== true) throw new Error(`chunk ${seen} is not in its place`)
      seen += 1
    }
    expect(seen).toBe(CHUNKS)
    expect((await run.result).status).toBe('completed')
  }, 60_000)

  test('does not keep the answer of an agent that has exited meanwhile', async () => {
    // So much over the mark that what is left fits into the pipe, and the agent can be through and gone.
    const house = acp([
      ...acpHandshake(),
      ...acpTurn([
        { repeat: 131, steps: [{ say: { fill: 'x', times: 65_000 } }] },
        { inOneWrite: [{ say: 'end\n' }] },
      ]),
      { exit: 0 },
    ])
    const run = await house.start()
    const events = run.events()[Symbol.asyncIterator]()
    await events.next()
    const [pid = 0] = pids(house.log())
    await until(() => !isAlive(pid))
    await standstill(() => house.entries(run.sessionId).length)
    while ((await events.next()).done !== true) continue
    const result = await run.result
    expect([result.status, result.text.endsWith('xend\n')]).toEqual(['completed', true])
  }, 60_000)

  test('does not keep a cancel from the agent', async () => {
    const house = acp(flood('forever'))
    const run = await house.start()
    const events = run.events()[Symbol.asyncIterator]()
    await events.next()
    await standstill(() => house.entries(run.sessionId).length)
    const before = Date.now()
    run.cancel()
    await until(() => received(house, 'session/cancel').length === 1)
    expect((await run.result).status).toBe('cancelled')
    expect(Date.now() - before).toBeLessThan(2500)
  }, 60_000)
})
