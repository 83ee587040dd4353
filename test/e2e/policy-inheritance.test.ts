/** The whole application without a key: only the parent is read-only, and what it delegates to is held to that. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { LogEntry } from '../../src/contract/events.ts'
import { Gateway } from '../../src/gateway.ts'
import { call, delegate, toolResults } from '../fixtures/in-process.ts'
import { documentOf, Rig } from './cli-rig.ts'

/** A gateway as the faces make it, on a machine of its own; the default of the deployment is `workspace-write`. */
const application = async (config?: object) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'subgate-assembled-')))
  const work = join(root, 'work')
  mkdirSync(work)
  if (config !== undefined) {
    mkdirSync(join(root, '.config/subgate'), { recursive: true })
    writeFileSync(join(root, '.config/subgate/config.json'), JSON.stringify(config))
  }
  const env = { PATH: '/nonexistent', XDG_STATE_HOME: join(root, 'state') }
  const gateway = await Gateway.create({
    cwd: work,
    home: root,
    env,
    settings: { maxDepth: 2 },
  })
  const remove = async (): Promise<void> => {
    await gateway[Symbol.asyncDispose]()
    rmSync(root, { recursive: true, force: true })
  }
  return { gateway, work, [Symbol.asyncDispose]: remove }
}

const play = async (
  { gateway }: { readonly gateway: Gateway },
  prompt: string,
  sandbox?: 'read-only',
): Promise<readonly (readonly LogEntry[])[]> => {
  const asked = await gateway.rootRequest({
    provider: 'spawn',
    model: 'rehearsal',
    prompt: [{ type: 'text', text: prompt }],
    ...(sandbox !== undefined && { sandbox }),
  })
  const run = await gateway.runtime.start(asked)
  const logs = new Map<string, LogEntry[]>()
  for await (const { run: of, event } of gateway.runtime.watch()) {
    logs.set(of.sessionId, [...(logs.get(of.sessionId) ?? []), event])
    if (of.id === run.id && event.event.type === 'run/settled') break
  }
  return [...logs.values()]
}

const inherited = (log: readonly LogEntry[] | undefined) =>
  log?.flatMap(({ event }) => (event.type === 'sandbox/mode' ? [event] : []))

test('B3.1, B3.4, law 12: the stored event of child and grandchild, and the write that is refused to both', async () => {
  await using app = await application()
  const files = ['child', 'grandchild'].map((name) => join(app.work, name))
  const write = (path: string | undefined) => call('write', { path, content: 'x' })
  const inner = [write(files[1]), 'say: tried'].join('\n')
  const outer = [write(files[0]), delegate('subagent', inner), 'say: tried'].join('\n')
  const logs = await play(app, delegate('subagent', outer), 'read-only')
  expect(logs).toHaveLength(3)
  const [root, child, grandchild] = logs
  expect(inherited(root)).toEqual([{ type: 'sandbox/mode', mode: 'read-only', source: 'request' }])
  for (const log of [child, grandchild]) {
    expect(inherited(log)).toEqual([{ type: 'sandbox/mode', mode: 'read-only', source: 'delegation' }])
    expect(toolResults(log ?? [])[0]).toMatch(/^failed: .*the sandbox is read-only/u)
  }
  expect(files.filter((path) => existsSync(path))).toEqual([])
})

test('without an override of the parent the same child follows the default, and writes', async () => {
  await using app = await application()
  const file = join(app.work, 'written')
  const [, child] = await play(app, delegate('subagent', call('write', { path: file, content: 'x' })))
  expect(inherited(child)).toEqual([])
  expect(readFileSync(file, 'utf8')).toBe('x')
})

test.each([
  ['for all agents', { permission: 'deny' }],
  ['for this one', { providers: { spawn: { permission: 'deny' } } }],
])(
  'B4.4: a policy that the operator configured %s holds for root and child: their writes ask, and are denied',
  async (...row) => {
    await using app = await application(row[1])
    const files = ['root', 'child'].map((name) => join(app.work, name))
    const write = (path: string | undefined) => call('write', { path, content: 'x' })
    await play(app, [write(files[0]), delegate('subagent', write(files[1])), 'say: done'].join('\n'))
    expect(files.filter((path) => existsSync(path))).toEqual([])
  },
)

const SCRIPT = 'delegate:\n  call write: {"path": "by-the-child.txt", "content": "x"}\n  say: I tried.'

test.each([
  ['read-only', false, 'I tried.\n\nPolicy denied it: Write by-the-child.txt.'],
  ['workspace-write', true, 'I tried.'],
] as const)(
  'subgate run --sandbox %s: whether the child of the built-in agent writes is %s',
  async (...row) => {
    const [sandbox, writes, text] = row
    await using rig = new Rig()
    const options = ['--model', 'rehearsal', '--sandbox', sandbox, '--json']
    const ended = await rig.run(['run', 'spawn', SCRIPT, ...options])
    expect(documentOf(ended)).toMatchObject({ status: 'completed', provider: 'spawn', text })
    expect(existsSync(join(rig.work, 'by-the-child.txt'))).toBe(writes)
  },
)
