/** acpx 0.19.1 drives the built program end to end: one-shot turns, permissions, sessions that last, cancel. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Acpx } from './acpx-client.ts'
import { codexNative } from './agents.ts'
import { ModelServer } from './model-server.ts'

const SPAWN = ['--provider', 'spawn', '--model', 'rehearsal', '--sandbox', 'read-only']
const WRITES = 'call write: {"path": "a.txt", "content": "hello"}\nsay: Done.'

interface Line {
  readonly method?: string
  readonly params?: { readonly update?: { readonly sessionUpdate: string } }
  readonly result?: { readonly stopReason?: string }
  readonly error?: object
}

test('acpx exec: the answer as text, and every message as JSON, from the handshake to the stop reason', async () => {
  await using acpx = new Acpx(SPAWN)
  expect(await acpx.said('exec', 'think: I greet.\nsay: Hello there.')).toBe('Hello there.')
  const { code, stdout } = await acpx.run('--format', 'json', 'exec', 'think: I greet.\nsay: Hello there.')
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
  expect(
    lines.flatMap(({ method }) => (method === undefined || method === 'session/update' ? [] : [method])),
  ).toEqual(['initialize', 'session/new', 'session/prompt'])
  const kinds = lines.flatMap(({ params }) => params?.update?.sessionUpdate ?? [])
  expect(kinds).toEqual(expect.arrayContaining(['agent_thought_chunk', 'agent_message_chunk']))
  expect(lines.filter(({ error }) => error !== undefined)).toEqual([])
  expect(lines.at(-1)?.result?.stopReason).toBe('end_turn')
  expect(code).toBe(0)
  await acpx.gone()
})

describe('a permission is answered by the mode that acpx was started in', () => {
  test.each([
    ['--approve-all', true, 0],
    ['--deny-all', false, 5],
    ['--approve-reads', false, 5],
  ] as const)('%s: a file is written: %s, exit code %i', async (mode, written, code) => {
    await using acpx = new Acpx(SPAWN)
    const ended = await acpx.run(mode, '--format', 'text', 'exec', WRITES)
    expect(existsSync(join(acpx.workspace.work, 'a.txt'))).toBe(written)
    expect(ended.stdout).toContain('[done] end_turn')
    expect(ended.code).toBe(code)
    await acpx.gone()
  })

  test('--approve-reads lets a file be read', async () => {
    await using acpx = new Acpx(SPAWN)
    writeFileSync(join(acpx.workspace.work, 'a.txt'), 'hello\n')
    const ended = await acpx.run('--approve-reads', 'exec', 'call read: {"path": "a.txt"}')
    expect(ended.stdout).toContain('hello')
    expect(ended.code).toBe(0)
  })
})

test('a session of acpx lasts: turns, a changed option, a cancelled turn, its close; and the chat is resumed by another', async () => {
  await using acpx = new Acpx(SPAWN.slice(0, 4))
  await acpx.said('sessions', 'new', '--name', 'one')
  expect(await acpx.said('prompt', '-s', 'one', 'say: First.')).toBe('First.')
  const [chat = ''] = await acpx.chats()
  expect(await acpx.said('set', '-s', 'one', 'sandbox', 'read-only')).toBe('read-only')
  const denied = await acpx.run('--deny-all', 'prompt', '-s', 'one', WRITES)
  expect(denied.stdout).toContain('was not done')
  expect(existsSync(join(acpx.workspace.work, 'a.txt'))).toBe(false)

  const hanging = acpx.run('--format', 'text', 'prompt', '-s', 'one', 'say: Once upon\nhang:')
  // Before its turn has begun there is nothing to cancel.
  await expect
    .poll(() => acpx.said('cancel', '-s', 'one'), { timeout: 40_000, interval: 300 })
    .toBe('cancel requested')
  expect((await hanging).stdout).toContain('[done] cancelled')
  // Once something was denied, its exit code says so of every later turn of the session.
  const later = await acpx.run('--format', 'quiet', 'prompt', '-s', 'one', 'say: Still here.')
  expect(later).toMatchObject({ code: 5, stdout: 'Still here.\n' })
  expect(await acpx.chats()).toEqual([chat])
  await acpx.said('sessions', 'close', 'one')
  await acpx.gone()

  await acpx.said('sessions', 'new', '--name', 'two', '--resume-session', chat)
  expect(await acpx.said('prompt', '-s', 'two', 'And now?')).toContain('First.')
  expect(await acpx.chats()).toEqual([chat])
  await acpx.said('sessions', 'close', 'two')
  await acpx.gone()
}, 180_000)

test('behind the program stands the real Codex: its answer arrives, and its file once acpx allows the command', async () => {
  await using model = await ModelServer.start()
  await using acpx = new Acpx(
    ['--provider', 'codex', ...codexNative.named.flatMap((name) => ['--env', name])],
    (workspace) => codexNative.configure(workspace, model.url, model.key),
  )
  const file = join(acpx.workspace.work, 'a.txt')
  model.when('Write it.', codexNative.shell(`echo hello > ${file}`), { do: 'say', text: 'Written now.' })
  const { code, stdout } = await acpx.run('--approve-all', '--format', 'text', 'exec', 'Write it.')
  expect(stdout).toContain('Written now.')
  expect(readFileSync(file, 'utf8')).toBe('hello\n')
  expect(code).toBe(0)
  await acpx.gone()
})
