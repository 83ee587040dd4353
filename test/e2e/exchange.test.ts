/** `subgate sessions export` and `import`: between machines, and from dsh 0.1. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Rig } from './cli-rig.ts'
import { json, lines, turn } from './stored-runs.ts'

const DSH = join(import.meta.dirname, '..', 'fixtures', 'dsh')

test('what one machine exports another imports, and exports as the same text', async () => {
  await using one = new Rig()
  await using other = new Rig()
  await one.run(['run', 'hello', ...turn('ok')])
  const printed = await one.run(['sessions', 'export', 'last'])
  expect(printed).toMatchObject({ code: 0, stderr: '' })
  const [head] = lines(printed)
  expect(head).toMatchObject({ type: 'session', version: 1, lastSeq: lines(printed).length - 1 })

  const file = join(one.work, 'session.jsonl.zst')
  expect(await one.run(['sessions', 'export', 'last', '--tree', '-o', file])).toMatchObject({
    code: 0,
    stdout: '',
  })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file).readUInt32LE(0)).toBe(0xfd2fb528)
  expect(await one.run(['sessions', 'export', 'last', '-o', file])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--force'),
  })

  const imported = await other.run(['sessions', 'import', file])
  expect(imported).toMatchObject({ code: 0, stdout: `${head.header.id}\n`, stderr: '1 session imported.\n' })
  expect((await other.run(['sessions', 'export', head.header.id])).stdout).toBe(printed.stdout)
  expect(await other.run(['sessions', 'import', file])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--new-ids'),
  })
  expect(json(await other.run(['sessions', 'import', '--new-ids', '--json', file]))).toMatchObject({
    type: 'import',
    sessions: [{ from: head.header.id }],
  })
})

test('sessions of dsh are imported from their folder, listed and shown', async () => {
  await using rig = new Rig()
  const imported = await rig.run([
    'sessions',
    'import',
    join(DSH, 'root.jsonl.zstd'),
    join(DSH, 'child.jsonl.zstd'),
  ])
  expect(imported).toMatchObject({ code: 0, stdout: 'root-1\nchild-1\n' })
  const shown = json(await rig.run(['show', 'child-1', '--json']))
  expect(shown).toMatchObject({
    session: { sessionId: 'child-1', parentSessionId: 'root-1', title: 'proofreader', state: 'ready' },
    runs: [
      { status: 'completed', text: 'The typo is "teh" in line 2 of notes.txt.' },
      { status: 'completed', text: 'No, that was the only one in the file.' },
    ],
  })
})

test('a bad line is named, and nothing is imported', async () => {
  await using rig = new Rig()
  const file = join(rig.work, 'bad.jsonl')
  writeFileSync(file, '{"type":"session"}\n')
  expect(await rig.run(['sessions', 'import', file])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`${file}, line 1: `),
  })
  expect(json(await rig.run(['sessions', 'list', '--all', '--json'])).sessions).toEqual([])
  expect(await rig.run(['sessions', 'import', rig.work])).toMatchObject({ code: 2 })
  expect(existsSync(file)).toBe(true)
})
