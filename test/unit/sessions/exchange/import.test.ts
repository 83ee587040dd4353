/** Import of Subgate's own exports: strict, all or nothing, and nothing of it is left open. */
import { zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { permissionId } from '../../../../src/contract/ids.ts'
import { exportLines, treeOf } from '../../../../src/sessions/exchange/export.ts'
import { memoryStore } from '../../../../src/sessions/memory-store.ts'
import { EMPTY_REGISTERS } from '../../../../src/sessions/registers.ts'
import { entry, header, RUN, saying, session, started } from '../../../fixtures/entries.ts'
import { addSession, PLACES, storeHouse } from '../../../fixtures/store-file.ts'
import { bring, entriesOf, fileOf, jsonl, textOf } from './rig.ts'

/** The rows of an exported session. */
const rows = (id = 's'): any[] => {
  using store = memoryStore()
  addSession(store, id, { name: 'n', label: 'L', maxDepth: 3 })
  return textOf(store, id)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
}

test('an export begins with a header line; each event is a line, and its text is always the same', () => {
  expect(rows()).toEqual([
    {
      type: 'session',
      version: 1,
      header: {
        id: 's',
        rootId: 's',
        provider: 'p',
        depth: 0,
        maxDepth: 3,
        cwd: '/',
        label: 'L',
        name: 'n',
        createdAt: 0,
      },
      inheritedEventCount: 0,
      lastSeq: 4,
    },
    { seq: 1, at: 0, event: { type: 'session/native_id', nativeId: 'a-1' } },
    { seq: 2, at: 0, runId: 'run_s', event: { type: 'run/started', provider: 'p', depth: 0 } },
    expect.objectContaining({ seq: 3, runId: 'run_s' }),
    expect.objectContaining({ seq: 4, runId: 'run_s' }),
  ])
})

test('an export reads no more than a page ahead', () => {
  using store = memoryStore()
  store.publish(header('long'), [entry(1, started, RUN)], { ...EMPTY_REGISTERS, openRun: RUN })
  for (let seq = 2; seq <= 2000; seq += 1)
    store.append(session('long'), entry(seq, saying('x'), RUN), { ...EMPTY_REGISTERS, openRun: RUN }, false)
  const limits: number[] = []
  const watched: Pick<typeof store, 'get' | 'read'> = {
    get: (id) => store.get(id),
    read: (id, after, limit) => {
      limits.push(limit)
      return store.read(id, after, limit)
    },
  }
  const lines = exportLines(watched, session('long'))
  lines.next()
  lines.next()
  expect(limits).toEqual([256])
  expect([...lines].join('').split('\n')).toHaveLength(2000 - 256 + 1)
})

test('a tree is exported parents first, older children first', () => {
  using store = memoryStore()
  addSession(store, 'root')
  const below = (id: string, parent: string, createdAt: number) =>
    addSession(store, id, { parentId: session(parent), rootId: session('root'), depth: 1, createdAt })
  below('b', 'root', 2)
  below('a', 'root', 1)
  below('a1', 'a', 3)
  expect(treeOf(store, session('root'))).toEqual(['root', 'a', 'a1', 'b'])
  expect(treeOf(store, session('a'))).toEqual(['a', 'a1'])
})

test('one that is not there, or no longer, is no session', () => {
  using store = memoryStore()
  expect(() => [...exportLines(store, session('x'))]).toThrow(
    expect.objectContaining({ code: 'SESSION_NOT_FOUND' }),
  )
})

describe.each(PLACES)('into %s', (_, place) => {
  test('what is imported is listed, found, held by nobody, and can be taken up', async () => {
    using home = place()
    const { store } = home
    await bring(store, fileOf(jsonl(rows())))
    expect(store.list({ limit: 5 })).toMatchObject([
      { header: { id: 's', name: 'n', maxDepth: 3 }, run: { id: 'run_s', status: 'completed' } },
    ])
    expect(store.list({ limit: 5 })[0]?.owner).toBeUndefined()
    expect(store.find('run_s', 5)).toEqual(['s'])
    await store.claim(session('s'))
    store.append(session('s'), entry(5, { type: 'session/native_id', nativeId: 'b' }), EMPTY_REGISTERS, true)
    await store.flushed(session('s'))
    expect(store.get(session('s'))?.lastSeq).toBe(5)
    expect(textOf(store, 's').split('\n')).toHaveLength(7)
  })

  test('an id that is taken refuses all of the files, and names the way out', async () => {
    using home = place()
    const { store } = home
    addSession(store, 's')
    await store.flushed(session('s'))
    const before = textOf(store, 's')
    const refusal = { code: 'INVALID_REQUEST', message: expect.stringMatching(/ s is stored .*--new-ids/u) }
    await expect(bring(store, [fileOf(jsonl(rows('other'))), fileOf(jsonl(rows()))])).rejects.toMatchObject(
      refusal,
    )
    expect(store.list({ limit: 5 })).toHaveLength(1)
    expect(textOf(store, 's')).toBe(before)
    const [copy] = await bring(store, fileOf(jsonl(rows())), true)
    expect(copy).toMatchObject({ id: 'ses_new1', from: 's' })
    expect(store.runs(session('ses_new1'))).toMatchObject([{ id: 'run_new2' }])
  })

  test('a chat comes with its sessions; under new ids it is a chat of its own', async () => {
    using home = place()
    const { store } = home
    const chat = { id: 'chat_1', from: { id: 'chat_0', until: 7 } }
    for (const id of ['a', 'b']) addSession(store, id, { chat })
    await store.flushed(session('b'))
    const file = fileOf(textOf(store, 'a') + textOf(store, 'b'))
    const copies = await bring(store, file, true)
    expect(copies.map((copy) => copy.chat)).toEqual([
      { ...chat, id: 'chat_new2' },
      { ...chat, id: 'chat_new2' },
    ])
    for (const id of ['a', 'b']) store.release(session(id))
    await store.remove([session('a'), session('b')])
    await bring(store, file)
    expect(store.get(session('a'))?.header.chat).toEqual(chat)
  })

  test('the store itself takes all or none', async () => {
    using home = place()
    const { store } = home
    const arrival = (id: string) => ({
      header: header(id),
      inherited: [],
      entries: [entry(1, { type: 'session/native_id', nativeId: 'x' })],
      registers: EMPTY_REGISTERS,
    })
    await store.take([arrival('one')])
    await expect(store.take([arrival('two'), arrival('one')])).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    })
    expect(store.get(session('two'))).toBeUndefined()
    await store.take([arrival('two')])
    expect(store.get(session('two'))?.lastSeq).toBe(1)
  })

  test('a name that is in use stays with who has it', async () => {
    using home = place()
    const { store } = home
    addSession(store, 'mine', { name: 'n' })
    await store.flushed(session('mine'))
    await bring(store, fileOf(jsonl(rows())))
    expect(store.get(session('mine'))?.header.name).toBe('n')
    expect(store.get(session('s'))?.header).not.toHaveProperty('name')
  })

  test('removing what was imported lets it be imported again, also a copy with what it inherited', async () => {
    using home = place()
    const { store } = home
    const [head, ...events] = rows()
    const copied = fileOf(jsonl([{ ...head, inheritedEventCount: 4 }, ...events]))
    await bring(store, copied)
    const text = textOf(store, 's')
    expect(store.runs(session('s'))).toEqual([])
    expect(store.get(session('s'))?.header.prefix).toMatchObject([{ count: 4 }])
    expect(await store.remove([session('s')])).toEqual(['s'])
    await expect
      .poll(() =>
        bring(store, copied).then(
          () => 'imported',
          () => 'refused',
        ),
      )
      .toBe('imported')
    expect(textOf(store, 's')).toBe(text)
  })
})

test('a run that the file leaves open is interrupted, its questions closed; what follows stays the same', async () => {
  using store = memoryStore()
  const [head, ...events] = rows()
  const question = {
    type: 'permission/requested',
    id: permissionId('per_1'),
    toolCall: { toolCallId: 't' },
    options: [],
    path: [],
  }
  const open = [
    { ...head, lastSeq: 4 },
    ...events.slice(0, 3),
    { seq: 4, at: 7, runId: 'run_s', event: question },
  ]
  await bring(store, fileOf(jsonl(open)))
  expect(entriesOf(store, 's').slice(4)).toMatchObject([
    { seq: 5, at: 7, runId: 'run_s', event: { type: 'permission/resolved', id: 'per_1', by: 'cancel' } },
    {
      seq: 6,
      event: { type: 'run/settled', status: 'interrupted', category: 'owner_lost', durationMs: 7 },
    },
  ])
  const { openRun, asked, lastStatus } = store.get(session('s'))?.registers ?? {}
  expect([openRun, asked, lastStatus]).toEqual([undefined, undefined, 'interrupted'])
  expect(store.lost()).toEqual([])
  using again = memoryStore()
  await bring(again, fileOf(textOf(store, 's')))
  expect(textOf(again, 's')).toBe(textOf(store, 's'))
})

test('another process sees what was imported', async () => {
  using home = storeHouse()
  const reader = home.open('other')
  await bring(home.open(), fileOf(jsonl(rows())))
  expect(reader.get(session('s'))?.lastSeq).toBe(4)
})

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
