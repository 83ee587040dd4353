/** Import of Subgate's own exports: strict, all or nothing, and nothing of it is left open. */
import { describe, expect, test } from 'vitest'
import { permissionId } from '../../../../src/contract/ids.ts'
import { exportLines, treeOf } from '../../../../src/sessions/exchange/export.ts'
import { memoryStore } from '../../../../src/sessions/memory-store.ts'
import { EMPTY_REGISTERS } from '../../../../src/sessions/registers.ts'
import { entry, header, RUN, saying, session, started } from '../../../fixtures/entries.ts'
import { addSession, PLACES, storeHouse } from '../../../fixtures/store-file.ts'
import { bring, entriesOf, fileOf, jsonl, rows, textOf } from './rig.ts'

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
