/** Import of files that are no exports of ours: refused whole, with the file and the line. */
import { zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { memoryStore } from '../../../../src/sessions/memory-store.ts'
import { bring, fileOf, jsonl, rows } from './rig.ts'

describe('refused by file and line, with nothing imported:', () => {
  const [head, native, begun, said, ended] = rows()
  test.each<[string, readonly unknown[], number | undefined, RegExp]>([
    ['no header', [native], 1, /does not begin with the header of a session/u],
    ['an unknown key of the header', [{ ...head, extra: 1 }], 1, /unknown key "extra"/u],
    ['a newer format', [{ ...head, version: 2 }, native], 1, /written by a newer Subgate \(format 2/u],
    ['a relative directory', [{ ...head, lastSeq: 0, header: { ...head.header, cwd: 'w' } }], 1, /"cwd"/u],
    ['a negative depth', [{ ...head, header: { ...head.header, depth: -1 } }], 1, /"header.depth"/u],
    ['an unknown event', [head, { ...native, event: { type: 'x/y' } }], 2, /event.type/u],
    ['an unknown key of an event', [head, { ...native, event: { ...native.event, x: 1 } }], 2, /event\.x/u],
    [
      'a bad mode',
      [head, { ...native, event: { type: 'sandbox/mode', mode: 'none', source: 'request' } }],
      2,
      /event\.mode/u,
    ],
    ['a gap', [head, native, { ...begun, seq: 3 }], 3, /after 1 comes 2/u],
    ['an update outside of a run', [head, native, { ...said, seq: 2 }], 3, /no run is open/u],
    ['two runs at once', [head, native, begun, { ...begun, seq: 3 }], 4, /a run is open/u],
    ['a missing end', [head, native, begun, said], 1, /3 events of session s follow, but it tells of 4/u],
    [
      'more than it tells of',
      [head, native, begun, said, ended, { ...native, seq: 5 }],
      1,
      /5 events .* tells of 4/u,
    ],
    [
      'what is inherited ends within a run',
      [{ ...head, inheritedEventCount: 3 }, native, begun, said, ended],
      4,
      /within a run/u,
    ],
    [
      'the same session twice',
      [head, native, begun, said, ended, head, native, begun, said, ended],
      undefined,
      /twice/u,
    ],
  ])('%s', async (_, broken, line, why) => {
    using store = memoryStore()
    const file = fileOf(jsonl(broken))
    const whole = fileOf(jsonl(rows('whole')))
    const refusal = await bring(store, [whole, file]).then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(refusal).toMatchObject({ code: 'INVALID_REQUEST', message: expect.stringMatching(why) })
    if (line !== undefined) expect((refusal as Error).message).toContain(`${file}, line ${line}: `)
    expect((refusal as Error).message).toContain('Nothing was imported.')
    expect(store.list({ limit: 5 })).toEqual([])
  })

  const text = jsonl(rows())
  test.each<[string, string | Uint8Array, RegExp]>([
    ['an empty file', '', /does not begin/u],
    ['no JSON', `${text.slice(0, text.indexOf('\n'))}\nhello\n`, /line 2: it is no JSON/u],
    ['a blank line', text.replace('\n', '\n\n'), /line 2: it is no JSON/u],
    ['a torn last line', text.slice(0, -10), /its end is missing/u],
    ['a torn compressed file', zstdCompressSync(text).subarray(0, -8), /its end is missing|does not begin/u],
    ['NUL bytes', Buffer.alloc(100), /its end is missing|does not begin/u],
    [
      'junk behind compressed data',
      Buffer.concat([zstdCompressSync(text), Buffer.from('junk')]),
      /something else/u,
    ],
  ])('%s', async (_, content, why) => {
    using store = memoryStore()
    await expect(bring(store, fileOf(content))).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringMatching(why),
    })
    expect(store.list({ limit: 5 })).toEqual([])
  })

  test('a file that is not there', async () => {
    using store = memoryStore()
    await expect(bring(store, '/nowhere/x.jsonl')).rejects.toMatchObject({
      message: "/nowhere/x.jsonl: it can't be read (ENOENT). Nothing was imported.",
    })
  })
})
