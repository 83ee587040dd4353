/** Turns that real child processes end, break off or refuse to end. */
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import { logFile, logOf, start, until } from './fake-client.ts'
import type { Update } from './fake-client.ts'

const onCancel = (...steps: FakeStep[]): FakeStep => ({ on: 'session/cancel', do: steps })

const hanging: readonly FakeStep[] = [
  ...acpHandshake(),
  { expect: 'session/prompt' },
  { say: 'part' },
  { hang: true },
]

test.each<[string, FakeStep, [number | null, string | null]]>([
  ['(a) exits with a code', { exit: 3 }, [3, null]],
  ['(b) is killed', { kill: 'SIGKILL' }, [null, 'SIGKILL']],
  ['(c) exits with 0', { exit: 0 }, [0, null]],
])('C06: an agent that %s in mid-prompt has its text read before its end', async (_what, step, ending) => {
  const agent = start([...acpHandshake(), { expect: 'session/prompt' }, { say: 'part' }, step])
  await agent.open()
  void agent.prompt()
  expect(await agent.exited).toEqual(ending)
  await until(() => agent.text() === 'part')
})

test('C06: an agent that closes stdout lives on until it is ended', async () => {
  const agent = start([{ say: 'part' }, { close: 'stdout' }, { hang: true }])
  await once(agent.child.stdout, 'end')
  expect(agent.text()).toBe('part')
  expect(agent.child.exitCode).toBeNull()
  agent.child.kill('SIGTERM')
  expect(await agent.exited).toEqual([null, 'SIGTERM'])
})

test('C07: the fake answers cancel by ending the prompt, and serves the next one', async () => {
  const agent = start([...hanging, { say: 'never' }, ...acpTurn(['again'])])
  await agent.open()
  const turn = agent.prompt()
  await until(() => agent.text() === 'part')
  agent.cancel()
  expect(await turn).toEqual({ stopReason: 'cancelled' })
  agent.cancel()
  expect(await agent.prompt()).toEqual({ stopReason: 'end_turn' })
  expect(agent.text()).toBe('partagain')
})

test('C07: cancel can be ignored, failed, overruled, and answered against the rules', async () => {
  const ignoring = start([{ ignore: ['cancel'] }, ...hanging])
  await ignoring.open()
  const turn = ignoring.peer.request('session/prompt', { sessionId: 's1', prompt: [] }, { timeoutMs: 300 })
  ignoring.cancel()
  await expect(turn).rejects.toMatchObject({ name: 'RpcTimeout' })

  const failing = start([
    onCancel({ fail: { code: -32603, message: 'aborted' }, to: 'session/prompt' }),
    ...hanging,
  ])
  const overruling = start([
    onCancel(
      { write: '{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}\n' },
      { reply: { stopReason: 'end_turn' }, to: 'session/prompt' },
    ),
    ...hanging,
  ])
  await Promise.all([failing.open(), overruling.open()])
  const turns = [failing.prompt(), overruling.prompt()]
  failing.cancel()
  overruling.cancel()
  await expect(turns[0]).rejects.toMatchObject({ code: -32603, message: 'aborted' })
  expect(await turns[1]).toEqual({ stopReason: 'end_turn' })
  expect(overruling.diagnostics).toEqual([
    { kind: 'unknown_answer', id: null, error: { code: -32601, message: 'no' } },
  ])
})

test('C08: a permission request keeps its id, and each choice goes its own way', async () => {
  const file = logFile()
  const asked: unknown[] = []
  const outcomes = [{ outcome: 'selected', optionId: 'y' }, { outcome: 'cancelled' }]
  const ask: FakeStep = {
    permission: {},
    id: 'p1',
    chosen: { y: [{ say: 'written ' }], n: [{ say: 'left ' }], cancelled: [{ say: 'withdrawn' }] },
  }
  const agent = start([{ log: file }, ...acpHandshake(), ...acpTurn([ask, ask])], {
    request: (method, params) => {
      asked.push([method, params])
      return { outcome: outcomes.shift() }
    },
  })
  await agent.open()
  await agent.prompt()
  expect(agent.text()).toBe('written withdrawn')
  expect(asked[0]).toMatchObject([
    'session/request_permission',
    { sessionId: 's1', options: [{ optionId: 'y' }, { optionId: 'n' }] },
  ])
  expect(logOf(file).filter((entry) => 'answer' in entry)).toMatchObject([
    { to: 'p1', answer: { jsonrpc: '2.0', id: 'p1', result: { outcome: { optionId: 'y' } } } },
    { to: 'p1', answer: { result: { outcome: { outcome: 'cancelled' } } } },
  ])
})

test('C09: chunks that follow the response in one write are handled after onReply', async () => {
  const order: string[] = []
  const late: FakeStep = {
    inOneWrite: [
      { say: 'in' },
      { reply: { stopReason: 'end_turn' } },
      { repeat: 3, steps: [{ say: '{i}' }] },
    ],
  }
  const agent = start([...acpHandshake(), { expect: 'session/prompt' }, late], {
    notification: (_method, params) => order.push((params as Update).update.content?.text ?? ''),
  })
  await agent.open()
  const prompt = { sessionId: 's1', prompt: [] }
  await agent.peer.request('session/prompt', prompt, { onReply: () => order.push('reply') })
  await until(() => order.length === 5)
  expect(order).toEqual(['in', 'reply', '0', '1', '2'])
})

test('C31: an endless turn ticks until it is cancelled', async () => {
  const tick: FakeStep = { repeat: 'forever', steps: [{ say: '{i},' }, { sleep: 10 }] }
  const agent = start([...acpHandshake(), ...acpTurn([tick])])
  await agent.open()
  const turn = agent.prompt()
  await until(() => agent.updates.length >= 3)
  agent.cancel()
  expect(await turn).toEqual({ stopReason: 'cancelled' })
  expect(agent.text()).toMatch(/^0,1,2,/)
})

test('C12: a fake that ignores TERM and EOF and has a grandchild ends by KILL alone', async () => {
  const file = logFile()
  const agent = start([
    { log: file },
    { ignore: ['SIGTERM', 'eof'] },
    { grandchild: { ignore: ['SIGTERM'], forMs: 20_000 } },
    { say: '{grandchild}' },
    { hang: true },
  ])
  await until(() => agent.updates.length === 1)
  const grandchild = Number(agent.text())
  try {
    process.kill(grandchild, 'SIGTERM')
    agent.child.kill('SIGTERM')
    agent.child.stdin.end()
    await until(() => logOf(file).some((entry) => 'eof' in entry))
    await until(() => logOf(file).some((entry) => 'signal' in entry))
    expect(logOf(file)).toEqual(
      expect.arrayContaining([{ grandchild }, { signal: 'SIGTERM' }, { eof: true }]),
    )
    expect(() => process.kill(grandchild, 0)).not.toThrow()
    agent.child.kill('SIGKILL')
    expect(await agent.exited).toEqual([null, 'SIGKILL'])
  } finally {
    process.kill(grandchild, 'SIGKILL')
  }
})
