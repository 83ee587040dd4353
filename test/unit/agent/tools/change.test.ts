/** The `write` and `edit` tools: what they change, what they refuse, and what they show. */
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ApprovalDecision } from '../../../../src/agent/tools/tool.ts'
import { toolHouse } from '../../../fixtures/tool-house.ts'

describe('write', () => {
  test('makes a file with its directories, and shows it as a diff', async () => {
    const { call, w } = toolHouse()
    const path = join(w, 'a/b/c.txt')
    expect(await call('write', { path: 'a/b/c.txt', content: 'ünï\n' })).toEqual({
      text: 'Created a/b/c.txt (6 bytes).',
      content: [{ type: 'diff', path, oldText: null, newText: 'ünï\n' }],
    })
    expect(readFileSync(path, 'utf8')).toBe('ünï\n')
    expect(readdirSync(join(w, 'a/b'))).toEqual(['c.txt'])
  })

  test('replaces a file that was read, keeps its mode, and may go on without reading again', async () => {
    const { call, w } = toolHouse({ files: { 'run.sh': 'old\n' } })
    chmodSync(join(w, 'run.sh'), 0o751)
    await call('read', { path: 'run.sh' })
    expect(await call('write', { path: 'run.sh', content: 'new\n' })).toEqual({
      text: 'Replaced run.sh (4 bytes).',
      content: [{ type: 'diff', path: join(w, 'run.sh'), oldText: 'old\n', newText: 'new\n' }],
    })
    expect((await call('write', { path: 'run.sh', content: 'newer\n' })).isError).toBeUndefined()
    expect(readFileSync(join(w, 'run.sh'), 'utf8')).toBe('newer\n')
    expect(statSync(join(w, 'run.sh')).mode & 0o777).toBe(0o751)
  })

  test('refuses a file that was not read in this session, unless overwrite is set', async () => {
    const { call, w } = toolHouse({ files: { 'a.txt': 'old' } })
    expect(await call('write', { path: 'a.txt', content: 'new' })).toEqual({
      text: 'a.txt exists and was not read in this session. Read it first, or set overwrite to replace it unseen.',
      isError: true,
    })
    expect(readFileSync(join(w, 'a.txt'), 'utf8')).toBe('old')
    expect((await call('write', { path: 'a.txt', content: 'new', overwrite: true })).isError).toBeUndefined()
    expect(readFileSync(join(w, 'a.txt'), 'utf8')).toBe('new')
  })

  test('refuses a file that has changed since it was read', async () => {
    const { call, w } = toolHouse({ files: { 'a.txt': 'old' } })
    await call('read', { path: 'a.txt' })
    writeFileSync(join(w, 'a.txt'), 'changed by another')
    expect(await call('write', { path: 'a.txt', content: 'new' })).toEqual({
      text: 'a.txt has changed since it was read. Read it again, or set overwrite to replace it unseen.',
      isError: true,
    })
    expect(readFileSync(join(w, 'a.txt'), 'utf8')).toBe('changed by another')
  })

  test('what one session has read counts for no other', async () => {
    const one = toolHouse({ files: { 'a.txt': 'old' } })
    const other = toolHouse({ answer: 'allowed' })
    const path = join(one.w, 'a.txt')
    await one.call('read', { path })
    expect((await other.call('write', { path, content: 'new' })).text).toContain(
      'was not read in this session',
    )
  })
})

describe('edit', () => {
  test('replaces the one occurrence, and shows the whole change', async () => {
    const { call, w, reported } = toolHouse({ files: { 'a.ts': 'const a = 1\nconst b = 2\n' } })
    const path = join(w, 'a.ts')
    expect(await call('edit', { path: 'a.ts', old_text: 'b = 2', new_text: 'b = $&3' })).toEqual({
      text: 'Edited a.ts in 1 place, first at line 2.',
      content: [
        {
          type: 'diff',
          path,
          oldText: 'const a = 1\nconst b = 2\n',
          newText: 'const a = 1\nconst b = $&3\n',
        },
      ],
    })
    expect(readFileSync(path, 'utf8')).toBe('const a = 1\nconst b = $&3\n')
    expect(reported).toEqual([{ locations: [{ path, line: 2 }] }])
  })

  test('refuses what is ambiguous with its number, and replaces all when asked to', async () => {
    const { call, w } = toolHouse({ files: { 'a.txt': 'x y x y x' } })
    expect(await call('edit', { path: 'a.txt', old_text: 'x', new_text: 'z' })).toEqual({
      text: 'old_text occurs 3 times. Add lines around it until it is unique, or set replace_all. Nothing was changed.',
      isError: true,
    })
    expect(readFileSync(join(w, 'a.txt'), 'utf8')).toBe('x y x y x')
    const all = await call('edit', { path: 'a.txt', old_text: 'x', new_text: 'z', replace_all: true })
    expect(all.text).toBe('Edited a.txt in 3 places, first at line 1.')
    expect(readFileSync(join(w, 'a.txt'), 'utf8')).toBe('z y z y z')
  })

  test('several edits of one file in one step are all kept', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `name${index}.`)
    const { call, w } = toolHouse({ files: { 'a.txt': names.join('\n') } })
    const results = await Promise.all(
      names.map((name) => call('edit', { path: 'a.txt', old_text: name, new_text: `new ${name}` })),
    )
    expect(results.filter(({ isError }) => isError)).toEqual([])
    expect(readFileSync(join(w, 'a.txt'), 'utf8')).toBe(names.map((name) => `new ${name}`).join('\n'))
  })

  test('keeps CRLF, a byte order mark and a missing last line end', async () => {
    const { call, w } = toolHouse({ files: { 'a.txt': '\u{FEFF}one\r\ntwo\r\nthree' } })
    await call('edit', { path: 'a.txt', old_text: 'one\ntwo', new_text: '1\n2' })
    expect(readFileSync(join(w, 'a.txt'), 'utf8')).toBe('\u{FEFF}1\r\n2\r\nthree')
  })

  test.each([
    [{ path: 'none.txt', old_text: 'a', new_text: 'b' }, 'none.txt does not exist. Check the path.'],
    [{ path: 'a.txt', old_text: 'zz', new_text: 'b' }, 'old_text does not occur in the file.'],
    [{ path: 'a.txt', old_text: '', new_text: 'b' }, 'old_text is empty.'],
    [{ path: 'a.txt', old_text: 'b', new_text: 'b' }, 'old_text and new_text are the same.'],
    [{ path: 'bin', old_text: 'b', new_text: 'c' }, 'bin is binary. Nothing was changed.'],
    [
      { path: 'latin', old_text: 'b', new_text: 'c' },
      'latin is not valid UTF-8, and a change would damage it.',
    ],
    [{ path: '.', old_text: 'b', new_text: 'c' }, 'is not a regular file'],
    [{ path: 'a.txt/b', old_text: 'b', new_text: 'c' }, 'lies below a file'],
  ])('tells what is wrong with %j, and changes nothing', async (input, words) => {
    const files = { 'a.txt': 'a b', bin: Uint8Array.from([0x62, 0]), latin: Uint8Array.from([0x62, 0xe4]) }
    const { call, w } = toolHouse({ files })
    const result = await call('edit', input)
    expect(result.isError).toBe(true)
    expect(result.text).toContain(words)
    for (const [name, content] of Object.entries(files))
      expect(readFileSync(join(w, name))).toEqual(Buffer.from(content))
  })

  test('shows of a large file only the lines that change, with a few around', async () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => `row ${index}`)
    const { call } = toolHouse({ files: { 'a.txt': rows.join('\n') } })
    const { content } = await call('edit', { path: 'a.txt', old_text: 'row 9999\n', new_text: 'X\n' })
    expect(content).toMatchObject([
      {
        oldText: 'row 9996\nrow 9997\nrow 9998\nrow 9999\nrow 10000\nrow 10001\nrow 10002',
        newText: 'row 9996\nrow 9997\nrow 9998\nX\nrow 10000\nrow 10001\nrow 10002',
      },
    ])
  })
})

describe('the policy of writes', () => {
  test('read-only asks with the diff, and a refusal leaves the file as it was', async () => {
    const { call, w, asked } = toolHouse({ sandbox: 'read-only', files: { 'a.txt': 'old' } })
    expect(await call('edit', { path: 'a.txt', old_text: 'old', new_text: 'new' })).toEqual({
      text: 'Edit a.txt was not done: the sandbox is read-only, and the approval that it needs was rejected. Nothing was written.',
      isError: true,
    })
    const path = join(w, 'a.txt')
    expect(asked).toEqual([
      {
        title: 'Edit a.txt',
        kind: 'edit',
        reason: 'the sandbox is read-only',
        flag: '--sandbox workspace-write',
        locations: [{ path }],
        content: [{ type: 'diff', path, oldText: 'old', newText: 'new' }],
      },
    ])
    expect(readFileSync(path, 'utf8')).toBe('old')
    await call('write', { path: 'new/file', content: 'x' })
    expect(existsSync(join(w, 'new'))).toBe(false)
  })

  test('a call that can not succeed is refused without a question', async () => {
    const { call, asked } = toolHouse({ sandbox: 'read-only', files: { 'a.txt': 'old' } })
    await call('edit', { path: 'a.txt', old_text: 'none', new_text: 'new' })
    await call('write', { path: 'a.txt', content: 'new' })
    expect(asked).toEqual([])
  })

  test('an approval counts for one call', async () => {
    const answers: ApprovalDecision[] = ['allowed', 'rejected']
    const { call, w } = toolHouse({
      sandbox: 'read-only',
      answer: () => Promise.resolve(answers.shift() ?? 'unavailable'),
    })
    expect((await call('write', { path: 'a.txt', content: '1' })).isError).toBeUndefined()
    expect((await call('write', { path: 'a.txt', content: '2' })).isError).toBe(true)
    expect(readFileSync(join(w, 'a.txt'), 'utf8')).toBe('1')
  })

  test('B4.4: under an explicit permission policy a write inside the workspace asks', async () => {
    const { call, w, asked } = toolHouse({ asksForWrites: true })
    expect((await call('write', { path: 'a.txt', content: '1' })).isError).toBe(true)
    expect(asked.map(({ reason }) => reason)).toEqual([
      'the permission policy of this run asks before every write',
    ])
    expect(readdirSync(w)).toEqual([])
  })

  test('nothing of a file outside is read or told before the approval', async () => {
    const { call, dir, asked } = toolHouse()
    writeFileSync(join(dir, 'secret'), 'secret')
    const path = join(dir, 'secret')
    const texts = ['secret', 'other'].map((old) => call('edit', { path, old_text: old, new_text: 'new' }))
    const [there, missing] = await Promise.all(texts)
    expect(there).toEqual(missing)
    expect(asked.map(({ content }) => content)).toEqual([
      [{ type: 'diff', path, oldText: 'secret', newText: 'new' }],
      [{ type: 'diff', path, oldText: 'other', newText: 'new' }],
    ])
  })

  test('what changed while the approval was awaited is not overwritten', async () => {
    const { call, w } = toolHouse({
      sandbox: 'read-only',
      files: { 'a.txt': 'old' },
      answer: () => {
        writeFileSync(join(w, 'a.txt'), 'old, and more')
        return Promise.resolve('allowed')
      },
    })
    expect(await call('edit', { path: 'a.txt', old_text: 'old', new_text: 'new' })).toEqual({
      text: 'a.txt changed while the approval was awaited. Nothing was written: read it again.',
      isError: true,
    })
    expect(readFileSync(join(w, 'a.txt'), 'utf8')).toBe('old, and more')
  })

  test('danger-full-access writes anywhere without a question', async () => {
    const { call, dir, asked } = toolHouse({ sandbox: 'danger-full-access' })
    mkdirSync(join(dir, 'other'))
    await call('write', { path: '../other/a.txt', content: 'x' })
    expect(readFileSync(join(dir, 'other/a.txt'), 'utf8')).toBe('x')
    expect(asked).toEqual([])
  })
})
