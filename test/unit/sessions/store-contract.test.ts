/** What every store does, in memory and in a file alike. */
import { describe, expect, test } from 'vitest'
import { runId, sessionId } from '../../../src/contract/ids.ts'
import { EMPTY_REGISTERS } from '../../../src/sessions/registers.ts'
import type { SessionHeader } from '../../../src/sessions/store.ts'
import { entry, header, RUN, saying, session, settled, started } from '../../fixtures/entries.ts'
import { addSession, native, PLACES } from '../../fixtures/store-file.ts'

const OPEN = { ...EMPTY_REGISTERS, openRun: RUN }
const ids = (listed: readonly { readonly header: SessionHeader }[]): readonly string[] =>
  listed.map(({ header: { id } }) => id)

describe.each(PLACES)('a store in %s', (_, place) => {
  test('a published session is there with its header, registers and events', async () => {
    using home = place()
    const { store } = home
    const full: Partial<SessionHeader> = {
      rootId: session('root'),
      parentId: session('root'),
      depth: 2,
      maxDepth: 3,
      cwd: '/w',
      label: 'L',
      name: 'n',
      createdAt: 5.5,
    }
    const entries = addSession(store, 's', full)
    await store.flushed(session('s'))
    expect(store.get(session('s'))).toEqual({
      header: { ...header('s'), ...full },
      registers: { lastCompleted: 4 },
      lastSeq: 4,
    })
    expect(store.read(session('s'), 0, 10)).toEqual(entries)
    expect(store.read(session('s'), 1, 2)).toEqual(entries.slice(1, 3))
    expect(store.read(session('s'), 4, 10)).toEqual([])
    expect([store.get(session('x')), store.read(session('x'), 0, 10)]).toEqual([undefined, []])
  })

  test.each([1, 15, 16, 17, 40, 600])('a burst of %d events is read as it was written', async (length) => {
    using home = place()
    const { store } = home
    store.publish(header('s'), [entry(1, started, RUN)], OPEN)
    const burst = Array.from({ length }, (__, index) =>
      entry(index + 2, saying(`${index} ü`), index % 3 === 0 ? undefined : RUN),
    )
    for (const each of burst) store.append(session('s'), each, OPEN, false)
    await store.flushed(session('s'))
    expect(store.read(session('s'), 1, 1000)).toEqual(burst)
    store.release(session('s'))
    expect(store.read(session('s'), 1, 1000)).toEqual(burst)
  })

  test('sessions of a chat are listed by it, newest change first, and say what it is a copy of', async () => {
    using home = place()
    const { store } = home
    const from = { id: 'chat_1', until: 7 }
    addSession(store, 'a', { chat: { id: 'chat_1' } })
    addSession(store, 'b', { chat: { id: 'chat_2', from } })
    addSession(store, 'c')
    await store.flushed(session('c'))
    expect(ids(store.list({ chat: 'chat_1', limit: 9 }))).toEqual(['a'])
    expect(store.list({ chat: 'chat_2', limit: 9 })[0]?.header.chat).toEqual({ id: 'chat_2', from })
    expect(store.get(session('a'))?.header.chat).toEqual({ id: 'chat_1' })
    expect(ids(store.list({ chat: 'chat_3', limit: 9 }))).toEqual([])
    expect(store.get(session('c'))?.header).not.toHaveProperty('chat')
  })

  test('every commit is told to who listens to the session, with the last seq, and only then readable', () => {
    using home = place()
    const { store } = home
    const heard: [number, number][] = []
    using listening = store.onCommit(session('s'), (seq) =>
      heard.push([seq, store.read(session('s'), 0, 10).length]),
    )
    addSession(store, 's')
    expect(heard.at(0)).toEqual([2, 2])
    expect(heard.at(-1)).toEqual([4, 4])
    listening[Symbol.dispose]()
    store.append(session('s'), entry(5, native), EMPTY_REGISTERS, true)
    expect(heard.at(-1)).toEqual([4, 4])
  })

  test('a listener that throws starves nobody and breaks no append', () => {
    using home = place()
    const { store } = home
    const heard: number[] = []
    using one = store.onCommit(session('s'), () => {
      throw new Error('mine')
    })
    using two = store.onCommit(session('s'), (seq) => heard.push(seq))
    addSession(store, 's')
    expect(heard.at(-1)).toBe(4)
    for (const listening of [one, two]) listening[Symbol.dispose]()
  })

  test.each([4, 6])('an event %d behind the fourth is refused, and nothing of it is written', async (seq) => {
    using home = place()
    const { store } = home
    addSession(store, 's')
    expect(() => store.append(session('s'), entry(seq, native), EMPTY_REGISTERS, true)).toThrow(
      `Event ${seq} (session/native_id) is out of order: after 4 comes 5.`,
    )
    await store.flushed(session('s'))
    expect(store.get(session('s'))?.lastSeq).toBe(4)
  })

  test('B8.2: a fork reads its shared events from the logs that hold them, across two ancestors', async () => {
    using home = place()
    const { store } = home
    addSession(store, 'a')
    store.publish(header('b', [{ sessionId: session('a'), count: 3 }]), [entry(4, native)], EMPTY_REGISTERS)
    store.append(session('b'), entry(5, started, RUN), OPEN, true)
    const prefix = [
      { sessionId: session('a'), count: 3 },
      { sessionId: session('b'), count: 1 },
    ]
    store.publish(header('c', prefix), [entry(5, started, RUN)], OPEN)
    await store.flushed(session('c'))
    const read = (after: number, limit: number): readonly string[] =>
      store.read(session('c'), after, limit).map(({ seq, event }) => `${seq} ${event.type}`)
    const all = [
      '1 session/native_id',
      '2 run/started',
      '3 session/update',
      '4 session/native_id',
      '5 run/started',
    ]
    expect(read(0, 10)).toEqual(all)
    expect(read(2, 2)).toEqual(all.slice(2, 4))
    expect(read(3, 10)).toEqual(all.slice(3))
    expect(store.get(session('c'))?.lastSeq).toBe(5)
  })

  test('runs are found by id and by session, with what their edges say', async () => {
    using home = place()
    const { store } = home
    addSession(store, 's', {}, 7)
    const usage = { inputTokens: 1, outputTokens: 2 }
    store.append(
      session('s'),
      { ...entry(5, { ...started, label: 'again' } as never, RUN), at: 9 },
      OPEN,
      true,
    )
    store.append(
      session('s'),
      { ...entry(6, { ...settled, usage } as never, RUN), at: 12 },
      EMPTY_REGISTERS,
      true,
    )
    await store.flushed(session('s'))
    const first = {
      provider: 'p',
      depth: 0,
      sessionId: 's',
      id: 'run_s',
      firstSeq: 2,
      lastSeq: 4,
      startedAt: 7,
      settledAt: 7,
      status: 'completed',
    }
    const second = {
      provider: 'p',
      depth: 0,
      sessionId: 's',
      id: 'run_1',
      label: 'again',
      firstSeq: 5,
      lastSeq: 6,
      startedAt: 9,
      settledAt: 12,
      status: 'completed',
      usage,
    }
    expect(store.runs(session('s'))).toEqual([first, second])
    expect(store.run(RUN)).toEqual(second)
    expect(store.run(runId('run_0'))).toBeUndefined()
    expect(store.list({ limit: 1 })).toMatchObject([{ header: { id: 's' }, at: 12, run: second }])
  })

  test('sessions are listed by what is asked for, newest change first, in pages', async () => {
    using home = place()
    const { store } = home
    addSession(store, 'r1', { cwd: '/one' }, 10)
    addSession(store, 'r2', { cwd: '/two', provider: 'q' }, 20)
    addSession(store, 'c1', { cwd: '/one', parentId: session('r1'), rootId: session('r1'), depth: 1 }, 30)
    addSession(store, 'c2', { cwd: '/one', parentId: session('r1'), rootId: session('r1'), depth: 1 }, 30)
    store.append(session('r2'), { ...entry(5, started, RUN), at: 40 }, OPEN, true)
    await store.flushed(session('r2'))
    expect(ids(store.list({ limit: 9 }))).toEqual(['r2', 'c2', 'c1', 'r1'])
    expect(ids(store.list({ limit: 9, cwd: '/one' }))).toEqual(['c2', 'c1', 'r1'])
    expect(ids(store.list({ limit: 9, cwd: '/one', rootsOnly: true }))).toEqual(['r1'])
    expect(ids(store.list({ limit: 9, parentId: session('r1') }))).toEqual(['c2', 'c1'])
    expect(ids(store.list({ limit: 9, rootId: session('r1') }))).toEqual(['c2', 'c1', 'r1'])
    expect(ids(store.list({ limit: 9, provider: 'q' }))).toEqual(['r2'])
    expect(ids(store.list({ limit: 9, openOnly: true }))).toEqual(['r2'])
    const page = store.list({ limit: 2 })
    const last = page.at(-1)
    expect(ids(page)).toEqual(['r2', 'c2'])
    expect(
      ids(store.list({ limit: 9, after: { at: last?.at ?? 0, id: sessionId(last?.header.id ?? '') } })),
    ).toEqual(['c1', 'r1'])
  })

  test('a name belongs to one session of a provider and directory, and another one under it is refused', async () => {
    using home = place()
    const { store } = home
    addSession(store, 'first', { name: 'n', cwd: '/w' }, 50)
    addSession(store, 'else', { name: 'n', cwd: '/v' }, 60)
    await store.flushed(session('else'))
    const busy = { code: 'SESSION_BUSY', data: { sessionId: 'first' } }
    expect(() => addSession(store, 'second', { name: 'n', cwd: '/w' }, 70)).toThrow(
      expect.objectContaining(busy),
    )
    expect(ids(store.list({ limit: 9 }))).toEqual(['else', 'first'])
    const claim = { name: 'n', provider: 'p', cwd: '/w', sessionId: session('third') }
    await expect(store.claimName(claim)).rejects.toMatchObject(busy)
    await store.remove([session('first')])
    store.release(session('first'))
    await store.remove([session('first')])
    await store.claimName(claim)
    await expect(store.claimName({ ...claim, sessionId: session('fourth') })).rejects.toMatchObject({
      code: 'SESSION_BUSY',
      data: { sessionId: 'third' },
    })
    store.freeName(session('third'))
    await store.claimName({ ...claim, sessionId: session('fourth') })
  })

  test('sessions are found by the beginning of their id, or of a run of theirs', async () => {
    using home = place()
    const { store } = home
    addSession(store, 'ses_ab', {}, 1)
    addSession(store, 'ses_ac', {}, 2)
    addSession(store, 'ses_b', {}, 3)
    await store.flushed(session('ses_b'))
    expect(store.find('ses_a', 9)).toEqual(['ses_ac', 'ses_ab'])
    expect(store.find('ses_a', 1)).toEqual(['ses_ac'])
    expect(store.find('run_ses_b', 9)).toEqual(['ses_b'])
    expect(store.find('ses_%', 9)).toEqual([])
  })

  test('a claim of what is here is nothing new; one of an open run is SESSION_BUSY, one of nothing SESSION_NOT_FOUND', async () => {
    using home = place()
    const { store } = home
    addSession(store, 's')
    await store.claim(session('s'))
    store.release(session('s'))
    await store.claim(session('s'))
    store.append(session('s'), entry(5, started, RUN), OPEN, true)
    await expect(store.claim(session('s'))).rejects.toMatchObject({
      code: 'SESSION_BUSY',
      data: { sessionId: 's' },
    })
    await expect(store.claim(session('x'))).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })

  test('after it was closed twice, everything else says that it is closed', async () => {
    using home = place()
    const { store } = home
    addSession(store, 's')
    store[Symbol.dispose]()
    store[Symbol.dispose]()
    expect(() => store.get(session('x'))).toThrow('The store of sessions is closed.')
    await expect(store.claim(session('x'))).rejects.toMatchObject({ code: 'CLOSED' })
    store.release(session('s'))
    store.giveSlot('t')
  })
})
