/** Sessions that outlive their process: resume, names, copies, crashes, keys and slots, over several runs of the program. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import { documentOf, fake, logOf, Rig } from './cli-rig.ts'
import type { Document, Ended } from './cli-rig.ts'

const SPAWN = ['run', 'spawn', '--json', '--model', 'rehearsal']

interface Result extends Document {
  readonly runId: string
  readonly sessionId: string
}

const result = (ended: Ended): Result => documentOf(ended) as Result

const json = (ended: Ended): unknown => JSON.parse(ended.stdout)

test('B9.3: --resume takes a session, a run, a unique prefix or last, and goes on with the same session', async () => {
  await using rig = new Rig()
  const first = result(await rig.run([...SPAWN, 'say: one']))
  for (const text of [first.sessionId, first.runId, first.sessionId.slice(0, 12), 'last']) {
    const again = result(await rig.run(['run', '--json', '--resume', text, 'say: again']))
    expect([again.sessionId, again.text, again.provider]).toEqual([first.sessionId, 'again', 'spawn'])
    expect(again.runId).not.toBe(first.runId)
  }
  const shown = json(await rig.run(['show', '--json', 'last'])) as { runs: readonly unknown[] }
  expect(shown.runs).toHaveLength(5)
})

test('B9.3: what was said before the resume is part of the conversation, and not of the new run', async () => {
  await using rig = new Rig()
  rig.write('notes.md', 'the old notes')
  await rig.run([...SPAWN, 'call read: {"path": "notes.md"}\nsay: I have read it.'])
  const lines = (await rig.run(['run', '--output-format', 'stream-json', '--resume', 'last', 'say: new']))
    .stdout
  expect(lines).not.toContain('the old notes')
  expect(lines).not.toContain('I have read it.')
  expect(
    lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { text?: string })
      .at(-1)?.text,
  ).toBe('new')
})

test('nothing that --resume could mean is exit 4, and no session is begun', async () => {
  await using rig = new Rig()
  await rig.run([...SPAWN, 'say: one'])
  for (const text of ['ses_none', 'nothing']) {
    const ended = await rig.run(['run', '--json', '--resume', text, 'say: again'])
    expect([ended.code, documentOf(ended).error?.code]).toEqual([4, 'SESSION_NOT_FOUND'])
  }
  const listed = json(await rig.run(['sessions', 'list', '--json'])) as { sessions: readonly unknown[] }
  expect(listed.sessions).toHaveLength(1)
})

test('-s makes the kept session of a name, and goes on with it; another directory has its own', async () => {
  await using rig = new Rig()
  const first = result(await rig.run([...SPAWN, '-s', 'chat', 'say: one']))
  const again = result(await rig.run([...SPAWN, '-s', 'chat', 'say: two']))
  expect([again.sessionId, again.text]).toEqual([first.sessionId, 'two'])
  rig.write('elsewhere/file', '')
  const other = result(
    await rig.run([...SPAWN, '-s', 'chat', '-C', join(rig.work, 'elsewhere'), 'say: three']),
  )
  expect(other.sessionId).not.toBe(first.sessionId)
})

test('--fork works on a copy: a session of its own, with the other left as it was', async () => {
  await using rig = new Rig()
  const first = result(await rig.run([...SPAWN, '-s', 'chat', 'say: one']))
  const copy = result(await rig.run(['run', '--json', '--resume', first.sessionId, '--fork', 'say: two']))
  expect([copy.text, copy.sessionId === first.sessionId]).toEqual(['two', false])
  const shown = json(await rig.run(['show', '--json', first.sessionId])) as { runs: readonly unknown[] }
  expect(shown.runs).toHaveLength(1)
})

/** An agent that keeps its conversations itself, under ids of its own. */
const keeper = (log: string): readonly FakeStep[] => [
  { log },
  { on: 'initialize', do: [{ reply: { protocolVersion: 1, agentCapabilities: { loadSession: true } } }] },
  { on: 'session/new', do: [{ reply: { sessionId: 'own-9' } }] },
  { on: 'session/load', do: [{ say: 'an old answer' }, { reply: {} }] },
  { on: 'session/prompt', do: [{ say: 'a new answer' }, { reply: { stopReason: 'end_turn' } }] },
  { hang: true },
]

test('C33: after a restart an external agent is sent its own id, and its replay is no part of the new run', async () => {
  await using rig = new Rig()
  const log = join(rig.root, 'agent.log')
  rig.configure({ providers: { keeper: { command: fake(keeper(log)).slice(1) } } })
  const first = result(await rig.run(['run', 'keeper', '--json', 'one']))
  const again = result(await rig.run(['run', '--json', '--resume', first.sessionId, 'two']))
  expect([again.sessionId, again.text]).toEqual([first.sessionId, 'a new answer'])
  const loads = logOf(log).flatMap((entry) =>
    'received' in entry && (entry.received as { method?: string }).method === 'session/load'
      ? [(entry.received as { params: { sessionId: string } }).params.sessionId]
      : [],
  )
  expect(loads).toEqual(['own-9'])
})

test('C14: what a killed gateway left open is interrupted at the next start, with its partial output, and goes on', async () => {
  await using rig = new Rig()
  const running = rig.start(['run', 'spawn', '--model', 'rehearsal', 'say: partial words\nhang:'])
  await running.heard('words')
  running.child.kill('SIGKILL')
  await running.ended
  const again = result(await rig.run(['run', '--json', '--resume', 'last', 'say: back']))
  expect([again.status, again.text]).toEqual(['completed', 'back'])
  const shown = json(await rig.run(['show', '--json', 'last'])) as {
    runs: readonly { status: string; text: string }[]
  }
  expect(shown.runs.map(({ status, text }) => [status, text.trim()])).toEqual([
    ['interrupted', 'partial words'],
    ['completed', 'back'],
  ])
})

test('C11: what was cancelled stays cancelled after a restart, and nothing of it is started', async () => {
  await using rig = new Rig()
  const prompt = 'delegate:\n  say: from below\n  hang:'
  const running = rig.start([
    'run',
    'spawn',
    '--output-format',
    'stream-json',
    '--model',
    'rehearsal',
    prompt,
  ])
  await running.heard('below')
  running.child.kill('SIGINT')
  await running.ended
  await rig.run([...SPAWN, 'say: next'])
  const listed = json(await rig.run(['sessions', 'list', '--all', '--json'])) as {
    sessions: readonly { state: string; depth: number }[]
  }
  expect(listed.sessions.map(({ depth, state }) => [depth, state]).toSorted()).toEqual([
    [0, 'cancelled'],
    [0, 'completed'],
    [1, 'cancelled'],
  ])
  expect(rig.left()).toEqual([])
})

test('the same idempotency key in two processes at once gives one run', async () => {
  await using rig = new Rig()
  const flags = [...SPAWN, '--idempotency-key', 'k1', 'say: once']
  const [one, two] = (await Promise.all([rig.run(flags), rig.run(flags)])).map(result)
  expect([one?.runId, one?.text]).toEqual([two?.runId, 'once'])
  const other = await rig.run([...SPAWN, '--idempotency-key', 'k1', 'say: something else'])
  expect([other.code, documentOf(other).error?.code]).toEqual([2, 'INVALID_REQUEST'])
})

test('C26: one slot is one slot for all processes of the user, and who waits is told', async () => {
  await using rig = new Rig()
  rig.configure({ concurrency: { total: 1, queue: 4 } })
  const first = rig.start(['run', 'spawn', '--model', 'rehearsal', 'say: holding\nhang:'])
  await first.heard('holding')
  const second = rig.start(['run', 'spawn', '--model', 'rehearsal', 'say: my turn'])
  await second.heard('All slots are taken')
  expect(second.stdout).toBe('')
  const { queued, waiting } = json(await rig.run(['ps', '--json'])) as {
    queued: number
    waiting: readonly object[]
  }
  expect([queued, waiting]).toEqual([
    1,
    [{ provider: 'spawn', since: expect.any(Number) as number, reason: 'capacity', pid: second.child.pid }],
  ])
  expect((await rig.run(['ps'])).stdout).toContain(`waits for a free slot (process ${second.child.pid})`)
  first.child.kill('SIGINT')
  await first.ended
  expect((await second.ended).stdout.trim()).toBe('my turn')
})

test('C35: a database that is none is put aside and reported, and work goes on with a new one', async () => {
  await using rig = new Rig()
  await rig.run([...SPAWN, 'say: one'])
  for (const name of ['sessions.db-wal', 'sessions.db-shm'])
    writeFileSync(join(rig.state, 'subgate', name), '')
  writeFileSync(join(rig.state, 'subgate/sessions.db'), Buffer.alloc(8192))
  const ended = await rig.run(['run', 'spawn', '--model', 'rehearsal', 'say: two'])
  expect([ended.code, ended.stdout.trim()]).toEqual([0, 'two'])
  expect(rig.files('state').filter((file) => file.includes('sessions.db.corrupt'))).not.toEqual([])
})

test('C35: where no database can be kept the start is refused in words, and nothing is begun', async () => {
  await using rig = new Rig()
  const file = rig.write('no-folder', 'a file')
  const ended = await rig.run([...SPAWN, 'say: one'], { env: { XDG_STATE_HOME: file } })
  expect(ended.code).toBe(1)
  expect(documentOf(ended).error?.code).toMatch(/^STORE_/u)
})
