/** The file tools and paths that lead elsewhere, or to what is no file. */
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { toolHouse } from '../fixtures/tool-house.ts'
import type { ToolHouse } from '../fixtures/tool-house.ts'

describe('C37: paths out of the roots', () => {
  const world = (): ToolHouse => {
    const house = toolHouse({ files: { 'sub/in.txt': 'old' } })
    const { dir, w } = house
    for (const name of ['W-evil', 'outside']) mkdirSync(join(dir, name))
    writeFileSync(join(dir, 'outside', 'secret'), 'secret')
    symlinkSync(join(dir, 'outside'), join(w, 'out'))
    symlinkSync(join(dir, 'none'), join(w, 'dang'))
    symlinkSync(join(dir, 'outside', 'secret'), join(w, 'link'))
    symlinkSync('circle', join(w, 'circle'))
    execFileSync('/usr/bin/mkfifo', [join(w, 'fifo')])
    return house
  }
  const OUTSIDE = [
    '../x',
    '../W-evil/x',
    'out/x',
    'out/secret',
    'link',
    'sub/../../x',
    'out/deep/x',
    '/etc/hostname',
  ]
  const NOTHING: readonly (readonly [string, string])[] = [
    ['dang', 'is or passes a symbolic link to nothing'],
    ['dang/x', 'is or passes a symbolic link to nothing'],
    ['circle', 'is a circle of symbolic links'],
    ['a\0b', 'holds a NUL byte'],
    ['fifo', 'is not a regular file'],
    ['sub', 'is not a regular file'],
    ['sub/in.txt/x', 'lies below a file'],
    ['', 'The path is empty'],
    ['x'.repeat(300), 'The name is too long'],
  ]

  test('are asked about and, when that is rejected, neither read nor written', async () => {
    const { call, dir, w, asked } = world()
    for (const path of OUTSIDE) {
      for (const result of [
        await call('read', { path }),
        await call('write', { path, content: 'new', overwrite: true }),
        await call('edit', { path, old_text: 'secret', new_text: 'new' }),
      ]) {
        expect([path, result.isError]).toEqual([path, true])
        expect(result.text).toContain("it lies outside of the session's directories")
      }
    }
    expect(asked).toHaveLength(OUTSIDE.length * 3)
    expect(readdirSync(dir).toSorted()).toEqual(['W', 'W-evil', 'outside'])
    expect(readdirSync(join(dir, 'outside'))).toEqual(['secret'])
    expect(readFileSync(join(dir, 'outside/secret'), 'utf8')).toBe('secret')
    expect(readdirSync(join(dir, 'W-evil'))).toEqual([])
    expect(readdirSync(w).toSorted()).toEqual(['circle', 'dang', 'fifo', 'link', 'out', 'sub'])
  })

  test('that were approved are followed to their real place', async () => {
    const { dir, w, context } = world()
    const { readTool } = await import('../../src/agent/tools/read.ts')
    const { writeTool } = await import('../../src/agent/tools/write.ts')
    const approving = { ...context, ask: () => Promise.resolve('allowed' as const) }
    expect(await readTool.run({ path: 'link' }, approving)).toEqual({ text: '1\tsecret' })
    expect((await writeTool.run({ path: 'link', content: 'new' }, approving)).isError).toBeUndefined()
    expect(lstatSync(join(w, 'link')).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(dir, 'outside/secret'), 'utf8')).toBe('new')
  })

  test('links within the roots are followed, and stay links', async () => {
    const { call, w } = world()
    symlinkSync('sub/in.txt', join(w, 'alias'))
    await call('edit', { path: 'alias', old_text: 'old', new_text: 'new' })
    expect(lstatSync(join(w, 'alias')).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(w, 'sub/in.txt'), 'utf8')).toBe('new')
  })

  test.each(NOTHING)('%j is nothing to read or write: %s', async (path, words) => {
    const { call, dir, asked } = world()
    for (const [tool, input] of [
      ['read', { path }],
      ['write', { path, content: 'new', overwrite: true }],
      ['edit', { path, old_text: 'old', new_text: 'new' }],
    ] as const) {
      const result = await call(tool, input)
      expect([tool, result.isError]).toEqual([tool, true])
      expect(result.text).toContain(words)
    }
    expect(asked).toEqual([])
    expect(existsSync(join(dir, 'none'))).toBe(false)
  })
})

describe('files that are no files', () => {
  test('devices neither block nor are read, also under full access', async () => {
    const { call } = toolHouse({ sandbox: 'danger-full-access' })
    for (const path of ['/dev/zero', '/dev/tty', '/dev/full']) {
      expect((await call('read', { path })).isError).toBe(true)
      expect((await call('write', { path, content: 'x', overwrite: true })).isError).toBe(true)
    }
  })

  test('a huge file is read in parts without being taken in, and is not edited', async () => {
    const { call, w } = toolHouse({ files: { big: 'row\n'.repeat(100_000) } })
    truncateSync(join(w, 'big'), 2 ** 40)
    expect(await call('read', { path: 'big', offset: 50_000, limit: 1 })).toEqual({
      text: '50000\trow\n[big goes on: read it with offset 50001.]',
    })
    expect(await call('edit', { path: 'big', old_text: 'row', new_text: 'x' })).toEqual({
      text: 'big is larger than 10485760 bytes. Nothing was changed.',
      isError: true,
    })
  })

  test('a call that is stopped ends in the middle of a huge file', async () => {
    const stop = new AbortController()
    const { call, w } = toolHouse({ signal: stop.signal, files: { big: 'row\n'.repeat(100_000) } })
    truncateSync(join(w, 'big'), 2 ** 40)
    const reading = call('read', { path: 'big', offset: 1_000_000 })
    setTimeout(() => stop.abort(), 50)
    expect(await reading).toEqual({ text: 'The call was stopped.', isError: true })
    expect(await call('write', { path: 'a', content: 'x' })).toEqual({
      text: 'The call was stopped.',
      isError: true,
    })
    expect(readdirSync(w)).toEqual(['big'])
  })

  test('a line without an end takes no more memory than its limit', async () => {
    const { call, w } = toolHouse({ files: { line: 'x'.repeat(100_000) } })
    truncateSync(join(w, 'line'), 200 * 1024 * 1024)
    const before = process.memoryUsage().arrayBuffers
    const { text } = await call('read', { path: 'line' })
    expect(text).toBe(`1\t${'x'.repeat(2000)} [209713200 more bytes]`)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024)
  })
})
