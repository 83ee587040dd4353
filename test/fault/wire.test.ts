/** The wire against real child processes: noise, sizes, floods, unknown things. */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import { logFile, logOf, start, until } from './fake-client.ts'

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

test('one prompt: a scripted turn streams its text and ends', async () => {
  const agent = start([...acpHandshake(), ...acpTurn(['Hello ', 'wörld 漢'])])
  await agent.open()
  expect(await agent.prompt()).toEqual({ stopReason: 'end_turn' })
  expect(agent.text()).toBe('Hello wörld 漢')
  agent.child.stdin.end()
  expect(await agent.exited).toEqual([0, null])
})

test('a fake without a script serves handshake and prompt, refuses other requests, and ends at EOF', async () => {
  const agent = start([])
  await agent.open()
  expect(await agent.prompt()).toEqual({ stopReason: 'end_turn' })
  expect(agent.text()).toBe('ok')
  await expect(agent.peer.request('foo/bar', {})).rejects.toMatchObject({ code: -32601 })
  agent.child.stdin.end()
  expect(await agent.exited).toEqual([0, null])
})

test('a script over the size of one argument arrives whole', async () => {
  const long = 'é"{}'.repeat(60_000)
  const agent = start(acpTurn([long]))
  await agent.prompt()
  expect(agent.text()).toBe(long)
})

test('C01: noise before the handshake settles nothing and none of it is text', async () => {
  const noise = 'Starting demo agent 1.0\n\n\u001b[2J\u001b[H\n1\nnull\n"ready"\n[1,2]\n'
  const log = '{"level":"info","id":0,"msg":"up"}\n'
  const agent = start([{ write: noise + log }, ...acpHandshake(), ...acpTurn(['clean'])])
  expect(await agent.peer.request('initialize', {})).toEqual({
    protocolVersion: 1,
    agentCapabilities: {},
    authMethods: [],
  })
  expect(agent.peer.noise).toEqual({ count: 7, first: 'Starting demo agent 1.0' })
  await agent.peer.request('session/new', {})
  await agent.prompt()
  expect(agent.text()).toBe('clean')
})

test('C01: 500 lines of noise and no frame are counted, and the request reaches its limit', async () => {
  const agent = start([
    { repeat: 500, steps: [{ write: 'noise {i}\n' }] },
    { expect: 'initialize' },
    { hang: true },
  ])
  await until(() => agent.peer.noise.count === 500)
  await expect(agent.peer.request('initialize', {}, { timeoutMs: 50 })).rejects.toMatchObject({ limitMs: 50 })
  expect(agent.peer.noise.first).toBe('noise 0')
})

test('C03: text of 65,535 bytes to 10 MiB arrives with equal length and SHA-256, written in 64 KiB pieces', async () => {
  const sizes = [65_535, 65_536, 65_537, 1_048_576, 5_242_880, 10_485_760]
  const agent = start(sizes.map((times) => ({ inPieces: 65_536, steps: [{ say: { fill: 'a', times } }] })))
  await until(() => agent.updates.length === sizes.length)
  expect(agent.updates.map(({ update }) => hash(update.content?.text ?? ''))).toEqual(
    sizes.map((size) => hash('a'.repeat(size))),
  )
})

test('C03: a prompt of 10 MiB reaches the agent byte for byte', async () => {
  const agent = start([...acpHandshake(), ...acpTurn(['{promptBytes} {promptSha256}'])])
  await agent.open()
  const text = 'ä'.repeat(5_242_880)
  await agent.prompt(text)
  expect(agent.text()).toBe(`10485760 ${hash(text)}`)
})

test('C03: a line over the limit costs one message, the next one works', async () => {
  const agent = start([{ say: { fill: 'a', times: 2_000_000 } }, { say: 'next' }], { maxBytes: 1_000_000 })
  await until(() => agent.updates.length > 0)
  expect(agent.text()).toBe('next')
  expect(agent.diagnostics.map(({ kind }) => kind)).toEqual(['oversized'])
})

test('C16: a flood on stderr, with and without LF, holds nothing up', async () => {
  const agent = start([
    { stderr: { fill: 'x', times: 1_048_576 } },
    ...acpHandshake(),
    ...acpTurn(['a', { stderr: { fill: 'line\n', times: 13_108 } }, 'b']),
  ])
  await agent.open()
  await agent.prompt()
  expect(agent.text()).toBe('ab')
  await until(() => agent.stderrBytes() === 1_048_576 + 65_540)
})

test('C17: while nobody reads it a flooding agent is held up, still hears cancel, and loses nothing', async () => {
  const file = logFile()
  const body = 'x'.repeat(90)
  const flood: FakeStep = { repeat: 100_000, steps: [{ say: `{i} ${body}` }] }
  const agent = start([
    { log: file },
    { on: 'session/cancel', do: [] },
    ...acpHandshake(),
    ...acpTurn([flood]),
  ])
  await agent.open()
  const turn = agent.prompt()
  await until(() => agent.updates.length > 0)
  agent.child.stdout.pause()
  agent.cancel()
  await until(() => logOf(file).some((entry) => JSON.stringify(entry).includes('session/cancel')))
  expect(agent.updates.length).toBeLessThan(100_000)
  agent.child.stdout.resume()
  expect(await turn).toEqual({ stopReason: 'end_turn' })
  expect(agent.updates.length).toBe(100_000)
  expect(agent.updates.every(({ update }, i) => update.content?.text === `${i} ${body}`)).toBe(true)
})

test('C19: unknown updates stay raw, unknown requests get -32601, unknown notifications nothing', async () => {
  const file = logFile()
  const unknown = { sessionUpdate: 'future_kind', x: 1, list: [{ y: null }] }
  const agent = start([
    { log: file },
    ...acpHandshake(),
    ...acpTurn([
      { update: unknown },
      { notify: 'foo/note', params: { n: 1 } },
      { request: 'foo/bar' },
      { request: 'fs/read_text_file', params: { path: '/x' } },
      'done',
    ]),
  ])
  await agent.open()
  await agent.prompt()
  expect(agent.updates[0]).toEqual({ sessionId: 's1', update: unknown })
  expect(logOf(file).filter((entry) => 'answer' in entry)).toMatchObject([
    { to: 0, answer: { error: { code: -32601 } } },
    { to: 1, answer: { error: { code: -32601 } } },
  ])
  expect(logOf(file).filter((entry) => 'received' in entry)).toHaveLength(3)
})

test('C20: a one-shot program reads its stdin to the end before it speaks, then lives on', async () => {
  const agent = start([{ ignore: ['eof'] }, { expectLine: 'task' }, { expectEnd: true }, { write: 'OK\n' }])
  agent.child.stdin.end('the task\n')
  await until(() => agent.peer.noise.count === 1)
  expect(agent.peer.noise.first).toBe('OK')
  expect(agent.child.exitCode).toBeNull()
})

test('C32: environment, directory and arguments can be dumped into the answer', async () => {
  const agent = start([...acpHandshake(), ...acpTurn([{ dump: ['env', 'cwd', 'pid'] }])])
  await agent.open()
  await agent.prompt()
  const dumped = JSON.parse(agent.text()) as { env: Record<string, string>; cwd: string; pid: number }
  expect(dumped).toMatchObject({ cwd: process.cwd(), pid: agent.child.pid })
  expect(dumped.env['PATH']).toBe(process.env['PATH'])
})

test('handlers serve every prompt of every session, each with its own text', async () => {
  const agent = start([
    { on: 'session/prompt', do: [{ say: '{sessionId}:{prompt};' }, { reply: { stopReason: 'end_turn' } }] },
  ])
  const ids = await Promise.all([
    agent.peer.request('session/new', {}),
    agent.peer.request('session/new', {}),
  ])
  expect(ids).toEqual([{ sessionId: 's1' }, { sessionId: 's2' }])
  const prompts = ['s1', 's2', 's1'].map((sessionId, i) =>
    agent.peer.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: String(i) }] }),
  )
  await Promise.all(prompts)
  expect(agent.text()).toBe('s1:0;s2:1;s1:2;')
})

test('the lenient wire works in both directions', async () => {
  const agent = start(
    [{ lenient: true }, ...acpHandshake(), ...acpTurn([{ request: 'approve' }, '{answer}'])],
    {
      lenient: true,
      request: () => ({ decision: 'accept' }),
    },
  )
  await agent.open()
  await agent.prompt()
  expect(agent.text()).toBe('{"decision":"accept"}')
})
