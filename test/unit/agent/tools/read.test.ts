/** The `read` tool: lines with their numbers, bounded; binary files refused; handles of large outputs. */
import { describe, expect, test } from 'vitest'
import { toolHouse } from '../../../fixtures/tool-house.ts'

const manyLines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `row ${index + 1}\n`).join('')

describe('read', () => {
  test('gives each line with its number', async () => {
    const { call } = toolHouse({ files: { 'a.txt': 'one\ntwo\n\nfour' } })
    expect(await call('read', { path: 'a.txt' })).toEqual({ text: '1\tone\n2\ttwo\n3\t\n4\tfour' })
  })

  test('takes an absolute path as well as a relative one, and reports the place', async () => {
    const { call, w, reported } = toolHouse({ files: { 'a.txt': 'one\n' } })
    expect(await call('read', { path: `${w}/a.txt` })).toEqual({ text: '1\tone' })
    expect(reported).toEqual([{ locations: [{ path: `${w}/a.txt`, line: 1 }] }])
  })

  test('gives a range, and says where it goes on', async () => {
    const { call } = toolHouse({ files: { 'a.txt': manyLines(9) } })
    expect(await call('read', { path: 'a.txt', offset: 3, limit: 2 })).toEqual({
      text: '3\trow 3\n4\trow 4\n[a.txt goes on: read it with offset 5.]',
    })
    expect(await call('read', { path: 'a.txt', offset: 8, limit: 2 })).toEqual({
      text: '8\trow 8\n9\trow 9',
    })
  })

  test('gives at most 2000 lines at once', async () => {
    const { call } = toolHouse({ files: { 'a.txt': manyLines(2001) } })
    const { text } = await call('read', { path: 'a.txt', limit: 5000 })
    expect(text.split('\n')).toHaveLength(2001)
    expect(text.endsWith('2000\trow 2000\n[a.txt goes on: read it with offset 2001.]')).toBe(true)
  })

  test('gives at most 64 KiB at once, and cuts a long line between characters', async () => {
    const { call } = toolHouse({ files: { 'a.txt': `${'漢'.repeat(1000)}\n`.repeat(100) } })
    const { text } = await call('read', { path: 'a.txt' })
    const lines = text.split('\n')
    expect(lines[0]).toBe(`1\t${'漢'.repeat(666)} [1002 more bytes]`)
    expect(lines.at(-1)).toMatch(/^\[a\.txt goes on: read it with offset 3\d\.\]$/u)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64 * 1024 + 100)
  })

  test('says when a file is empty, or the offset lies past its end', async () => {
    const { call } = toolHouse({ files: { 'empty.txt': '', 'a.txt': 'one\ntwo\n' } })
    expect(await call('read', { path: 'empty.txt' })).toEqual({ text: 'empty.txt is empty.' })
    expect(await call('read', { path: 'a.txt', offset: 3 })).toEqual({
      text: 'a.txt has 2 lines; offset 3 lies past its end.',
      isError: true,
    })
  })

  test('refuses a binary file', async () => {
    const { call } = toolHouse({ files: { 'a.png': Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0]) } })
    expect(await call('read', { path: 'a.png' })).toEqual({
      text: "a.png is a binary file, which can't be read as text.",
      isError: true,
    })
  })

  test('leaves out a byte order mark and the ends of CRLF lines', async () => {
    const { call } = toolHouse({ files: { 'a.txt': '\u{FEFF}one\r\ntwo\r\n' } })
    expect(await call('read', { path: 'a.txt' })).toEqual({ text: '1\tone\n2\ttwo' })
  })

  test('shows bytes that are not UTF-8 as what they are not, and says so', async () => {
    const { call } = toolHouse({ files: { 'a.txt': Uint8Array.from([0x61, 0xff, 0x62, 0x0a]) } })
    expect(await call('read', { path: 'a.txt' })).toEqual({
      text: '1\ta\u{FFFD}b\n[Bytes that are not UTF-8 are shown as \u{FFFD}.]',
    })
  })

  test('keeps characters that lie across the borders of chunks', async () => {
    const content = `${'x'.repeat(64 * 1024 - 1)}漢\nend\n`
    const { call } = toolHouse({
      files: { 'a.txt': `${'y\n'.repeat(32 * 1024 - 1)}y漢\n`, 'b.txt': content },
    })
    expect((await call('read', { path: 'a.txt', offset: 32 * 1024 })).text).toBe('32768\ty漢')
    expect((await call('read', { path: 'b.txt', offset: 2 })).text).toBe('2\tend')
  })

  test('takes the handle of a large output, whole or by lines', async () => {
    const { call, outputs } = toolHouse({ outputs: { fits: 10, head: 5, tail: 5, session: 1000 } })
    await outputs.fit(manyLines(5))
    expect(await call('read', { path: 'output-1', offset: 2, limit: 1 })).toEqual({
      text: '2\trow 2\n[output-1 goes on: read it with offset 3.]',
    })
    expect(await call('read', { path: 'output-2' })).toEqual({
      text: 'output-2 does not exist. Check the path.',
      isError: true,
    })
  })

  test.each([
    [{ path: 'none.txt' }, 'none.txt does not exist. Check the path.'],
    [{ path: '.' }, '. is not a regular file'],
    [{ path: '' }, 'The path is empty. Name a file or directory.'],
    [{}, 'path is missing. It must be a string.'],
    [{ path: 7 }, 'path must be a string.'],
    [{ path: 'a', offset: 0 }, 'offset must be a whole number of at least 1.'],
    [{ path: 'a', file: 'b' }, 'Unknown field file. The fields are path, offset, limit.'],
  ])('tells what is wrong with %j', async (input, words) => {
    const result = await toolHouse().call('read', input)
    expect(result.isError).toBe(true)
    expect(result.text).toContain(words)
  })

  test('asks before it reads outside of the roots, and only under a sandbox', async () => {
    const path = '/etc/hostname'
    const refused = toolHouse()
    expect(await refused.call('read', { path })).toEqual({
      text: "Read /etc/hostname was not done: it lies outside of the session's directories, and the approval that it needs was rejected. Nothing was read.",
      isError: true,
    })
    expect(refused.asked[0]).toMatchObject({ title: 'Read /etc/hostname', kind: 'read' })
    const open = toolHouse({ sandbox: 'danger-full-access' })
    expect((await open.call('read', { path })).isError).toBeUndefined()
    expect(open.asked).toEqual([])
  })
})
