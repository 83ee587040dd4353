/** Turns on ACP agents that die, ignore, overrule, flood or say unknown things. */
import { describe, expect, test } from 'vitest'
import type { LogEntry } from '../../src/contract/events.ts'
import type { PermissionId } from '../../src/contract/ids.ts'
import type { SubagentRun } from '../../src/contract/run.ts'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import { acp, isAlive, pids, received, typesOf } from '../fixtures/acp-house.ts'
import { checkLog, until } from '../fixtures/house.ts'

const onCancel = (...steps: FakeStep[]): FakeStep => ({ on: 'session/cancel', do: steps })
const hanging: readonly FakeStep[] = [
  ...acpHandshake(),
  { expect: 'session/prompt' },
  { say: 'part' },
  { hang: true },
]

/** Resolves with the first entry of the run that fits. */
const first = async (run: SubagentRun, fits: (entry: LogEntry) => boolean): Promise<LogEntry> => {
  for await (const entry of run.events()) if (fits(entry)) return entry
  throw new Error('It never came.')
}
const saying = ({ event }: LogEntry): boolean => event.type === 'session/update'
const asking = async (run: SubagentRun): Promise<PermissionId> => {
  const { event } = await first(run, (entry) => entry.event.type === 'permission/requested')
  if (event.type !== 'permission/requested') throw new Error('unreachable')
  return event.id
}

describe('C06: an agent that dies in mid-prompt', () => {
  test.each<[string, readonly FakeStep[], object, object]>([
    ['(a) exits with 3', [{ exit: 3 }], { exitCode: 3 }, {}],
    ['(b) is killed', [{ kill: 'SIGKILL' }], { signal: 'SIGKILL' }, {}],
    ['(c) exits with 0', [{ exit: 0 }], { exitCode: 0, reason: 'exited_before_response' }, {}],
    [
      '(d) closes stdout and stays',
      [{ close: 'stdout' }, { hang: true }],
      { reason: 'exited_before_response' },
      {},
    ],
  ])('%s: the run is failed with its partial text, and a second start works', async (_what, steps, data) => {
    const script = [...acpHandshake(), { expect: 'session/prompt' }, { say: 'part' }, ...steps] as const
    const house = acp(script)
    const ends: string[] = []
    house.runtime.lifecycle.on(({ type, runId }) => type === 'subagent/end' && ends.push(runId))
    const run = await house.start()
    const result = await run.result
    expect(result).toMatchObject({ status: 'failed', category: 'process', text: 'part' })
    expect(result.error).toMatchObject({ code: 'AGENT_EXITED', phase: 'prompt', data })
    expect(ends).toEqual([run.id])
    checkLog(house.entries(run.sessionId), [result])
    const again = await house.start()
    expect((await again.result).status).toBe('failed')
    const started = pids(house.log())
    expect(new Set(started).size).toBe(2)
    for (const pid of started) expect(isAlive(pid)).toBe(false)
  })
})

describe('C07: an agent that takes a cancel badly', () => {
  const prompt: readonly FakeStep[] = [{ expect: 'session/prompt' }, { say: 'part' }]
  test.each<[string, readonly FakeStep[], boolean]>([
    ['F1 ignores it', [{ ignore: ['cancel'] }, ...prompt, { hang: true }], false],
    [
      'F2 answers it with an error',
      [
        onCancel(
          { write: '{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}\n' },
          { reply: { stopReason: 'cancelled' }, to: 'session/prompt' },
        ),
        ...prompt,
        { hang: true },
      ],
      true,
    ],
    [
      'F3 fails the prompt',
      [onCancel({ fail: { code: -32603, message: 'x' }, to: 'session/prompt' }), ...prompt, { hang: true }],
      true,
    ],
    [
      'F4 ends the turn as if nothing was',
      [onCancel({ reply: { stopReason: 'end_turn' }, to: 'session/prompt' }), ...prompt, { hang: true }],
      true,
    ],
  ])('%s: cancelled, once, with its partial text', async (_what, steps, lives) => {
    const house = acp([...acpHandshake(), ...steps, ...acpTurn(['again'])], { provider: { cancelMs: 300 } })
    const run = await house.start({ keep: true })
    await first(run, saying)
    run.cancel()
    run.cancel('signal')
    const result = await run.result
    expect(result).toMatchObject({ status: 'cancelled', category: 'request', text: 'part' })
    run.cancel()
    checkLog(house.entries(run.sessionId), [result])
    const [pid = 0] = pids(house.log())
    expect(isAlive(pid)).toBe(lives)
    expect(received(house, 'session/cancel')).toHaveLength(1)
    const resumed = house.start({ session: { from: 'resume', sessionId: run.sessionId } })
    if (!lives) {
      await expect(resumed).rejects.toMatchObject({ code: 'NOT_RESUMABLE', phase: 'session' })
      return
    }
    expect(await (await resumed).result).toMatchObject({ status: 'completed', text: 'again' })
    expect(pids(house.log())).toEqual([pid])
  })
})

const answerOf = (house: ReturnType<typeof acp>): unknown =>
  house.log().flatMap((entry) => ('answer' in entry && entry.to === 'p1' ? [entry.answer] : []))

describe('C08: a permission request', () => {
  const ask: FakeStep = {
    permission: {},
    id: 'p1',
    chosen: { y: [{ say: 'yes' }], n: [{ say: 'no' }], cancelled: [{ say: 'cancelled' }] },
  }
  const cancelled = { outcome: { outcome: 'cancelled' } }

  test('(a) that is open at a cancel is answered cancelled before the prompt settles', async () => {
    const house = acp([
      ...acpHandshake(),
      { ignore: ['cancel'] },
      ...acpTurn([ask], { stopReason: 'cancelled' }),
    ])
    const run = await house.start({}, { answers: true })
    const id = await asking(run)
    run.cancel()
    // (c) an answer that comes too late, and (e) one that comes twice, are dropped.
    run.respond(id, { outcome: 'selected', optionId: 'y' })
    run.respond(id, { outcome: 'selected', optionId: 'n' })
    const result = await run.result
    expect(result).toMatchObject({ status: 'cancelled', text: 'cancelled', denied: [] })
    expect(answerOf(house)).toMatchObject([{ result: cancelled }])
    const types = typesOf(house.entries(run.sessionId))
    expect(types.slice(types.indexOf('permission/requested'))).toEqual([
      'permission/requested',
      'permission/resolved',
      'agent_message_chunk',
      'run/settled',
    ])
  })

  test('(b) that comes after the cancel is answered the same at once, and nobody is asked', async () => {
    const house = acp([
      ...acpHandshake(),
      onCancel({ sleep: 50 }, ask, { reply: { stopReason: 'cancelled' }, to: 'session/prompt' }),
      { expect: 'session/prompt' },
      { say: 'x' },
      { hang: true },
    ])
    const run = await house.start({}, { answers: true })
    await first(run, saying)
    run.cancel()
    expect((await run.result).status).toBe('cancelled')
    expect(answerOf(house)).toMatchObject([{ result: cancelled }])
    expect(typesOf(house.entries(run.sessionId))).not.toContain('permission/requested')
  })

  test('(d) of an agent that exits is closed, and the run failed', async () => {
    const house = acp([
      ...acpHandshake(),
      { expect: 'session/prompt' },
      { permission: {}, id: 'p1', wait: false },
      { sleep: 50 },
      { exit: 1 },
    ])
    const run = await house.start({}, { answers: true })
    const id = await asking(run)
    const result = await run.result
    expect(result).toMatchObject({ status: 'failed', category: 'process' })
    run.respond(id, { outcome: 'selected', optionId: 'y' })
    const resolved = house.entries(run.sessionId).find(({ event }) => event.type === 'permission/resolved')
    expect(resolved?.event).toMatchObject({ id, by: 'cancel', outcome: { outcome: 'cancelled' } })
    checkLog(house.entries(run.sessionId), [result])
  })

  test('is answered with the ids that the agent gave', async () => {
    const options = [
      { optionId: 'opt/1 ü', name: 'A', kind: 'allow_once' },
      { optionId: '', name: 'B', kind: 'reject_once' },
    ]
    const house = acp([...acpHandshake(), ...acpTurn([{ permission: { options }, id: 'p1' }, 'done'])])
    const run = await house.start({}, { answers: true })
    run.respond(await asking(run), { outcome: 'selected', optionId: 'opt/1 ü' })
    expect((await run.result).text).toBe('done')
    expect(answerOf(house)).toMatchObject([
      { result: { outcome: { outcome: 'selected', optionId: 'opt/1 ü' } } },
    ])
  })

  test('that policy rejected may end the turn as cancelled: nobody cancelled it, and the denial is told', async () => {
    const house = acp([...acpHandshake(), ...acpTurn(['before ', ask], { stopReason: 'cancelled' })])
    const denied = [{ title: 'Write file', kind: 'edit', flag: '--permission allow' }]
    const run = await house.start()
    expect(await run.result).toMatchObject({ status: 'completed', text: 'before no', denied })
    const silent = acp([
      ...acpHandshake(),
      ...acpTurn([{ permission: {}, id: 'p1' }], { stopReason: 'cancelled' }),
    ])
    expect(await (await silent.start()).result).toMatchObject({ status: 'empty', denied })
  })
})

describe('C09: the order of updates and responses', () => {
  test('1,000 chunks and the response in one write arrive in order, before the end', async () => {
    const house = acp([
      ...acpHandshake(),
      { expect: 'session/prompt' },
      { inOneWrite: [{ repeat: 1000, steps: [{ say: '{i},' }] }, { reply: { stopReason: 'end_turn' } }] },
    ])
    const run = await house.start()
    const { text } = await run.result
    expect(text).toBe(Array.from({ length: 1000 }, (_, index) => `${index},`).join(''))
  })

  test('chunks behind the response belong to no turn, neither the last nor the next', async () => {
    const house = acp([
      ...acpHandshake(),
      { expect: 'session/prompt' },
      {
        inOneWrite: [
          { say: 'in time' },
          { reply: { stopReason: 'end_turn' } },
          ...['1', '2', '3'].map((say) => ({ say })),
        ],
      },
      { sleep: 100 },
      { say: '4' },
      { say: '5' },
      ...acpTurn(['next']),
    ])
    const run = await house.start({ keep: true })
    const one = await run.result
    expect(one.text).toBe('in time')
    const late = (): unknown[] =>
      house
        .entries(run.sessionId)
        .flatMap(({ event, runId }) =>
          event.type === 'session/late_update' ? [[runId, event.update['content' as never]]] : [],
        )
    await until(() => late().length === 5)
    const two = await (await house.start({ session: { from: 'resume', sessionId: run.sessionId } })).result
    expect(two.text).toBe('next')
    expect(late()).toEqual(['1', '2', '3', '4', '5'].map((text) => [undefined, { type: 'text', text }]))
    checkLog(house.entries(run.sessionId), [one, two])
  })

  test('what an agent announces together with its session stands before the run', async () => {
    const update = { sessionUpdate: 'available_commands_update', availableCommands: [] }
    const house = acp([
      ...acpHandshake().slice(0, 3),
      {
        inOneWrite: [
          { update, sessionId: 's1' },
          { reply: { sessionId: 's1' } },
          { update, sessionId: 's1' },
        ],
      },
      ...acpTurn(['ok']),
    ])
    const run = await house.start()
    await run.result
    const types = typesOf(house.entries(run.sessionId))
    expect(types.filter((type) => type === 'session/late_update')).toHaveLength(2)
    expect(types.at(-1)).toBe('run/settled')
  })
})

test('an agent that hangs is still there until it is cancelled', async () => {
  const house = acp(hanging)
  const run = await house.start()
  await first(run, saying)
  const [pid = 0] = pids(house.log())
  expect(isAlive(pid)).toBe(true)
  run.cancel('signal')
  expect(await run.result).toMatchObject({ status: 'cancelled', category: 'signal', text: 'part' })
  expect(isAlive(pid)).toBe(false)
})
