/** Letters, keys and removal: what every store does, in memory and in a file alike. */
import { describe, expect, test } from 'vitest'
import { LetterTaken } from '../../../src/sessions/letter-taken.ts'
import { EMPTY_REGISTERS } from '../../../src/sessions/registers.ts'
import { entry, header, RUN, session, started } from '../../fixtures/entries.ts'
import { addSession, native, PLACES } from '../../fixtures/store-file.ts'

describe.each(PLACES)('a store in %s', (_, place) => {
  test('B11.2: letters wait in order, and each is delivered by one event alone', async () => {
    using home = place()
    const { store } = home
    addSession(store, 'to')
    let told = 0
    using listening = store.onLetter(session('to'), () => {
      told += 1
    })
    store.post({ to: session('to'), at: 1, kind: 'message', content: [{ type: 'text', text: 'one' }] })
    store.append(session('to'), entry(5, native), EMPTY_REGISTERS, true, {
      post: [{ to: session('to'), from: session('kid'), at: 2, kind: 'report', text: 'two' }],
    })
    const [one, two] = store.letters(session('to'))
    expect(one).toMatchObject({ to: 'to', at: 1, kind: 'message', content: [{ type: 'text', text: 'one' }] })
    expect(two).toMatchObject({ to: 'to', from: 'kid', at: 2, kind: 'report', text: 'two' })
    expect((two?.id ?? 0) > (one?.id ?? 0)).toBe(true)
    expect(told).toBe(2)
    const deliver = [one?.id ?? 0]
    store.append(session('to'), entry(6, native), EMPTY_REGISTERS, true, { deliver })
    expect(() => store.append(session('to'), entry(7, native), EMPTY_REGISTERS, true, { deliver })).toThrow(
      LetterTaken,
    )
    await store.flushed(session('to'))
    expect(store.letters(session('to'))).toEqual([two])
    expect(store.get(session('to'))?.lastSeq).toBe(6)
    store.post({ to: session('to'), at: 3, kind: 'interrupt' })
    expect((store.letters(session('to')).at(-1)?.id ?? 0) > (two?.id ?? 0)).toBe(true)
    listening[Symbol.dispose]()
  })

  test('a letter of another session is not delivered', () => {
    using home = place()
    const { store } = home
    addSession(store, 'to')
    addSession(store, 'else')
    store.post({ to: session('to'), at: 1, kind: 'interrupt' })
    const deliver = store.letters(session('to')).map(({ id }) => id)
    expect(() => store.append(session('else'), entry(5, native), EMPTY_REGISTERS, true, { deliver })).toThrow(
      LetterTaken,
    )
  })

  test('a removed session is gone with its runs and letters; what a fork shares of it stays until the fork goes', async () => {
    using home = place()
    const { store } = home
    const entries = addSession(store, 'a')
    store.publish(
      header('fork', [{ sessionId: session('a'), count: 3 }]),
      [entry(4, started, RUN)],
      EMPTY_REGISTERS,
    )
    store.post({ to: session('a'), at: 1, kind: 'interrupt' })
    expect(await store.remove([session('a')])).toEqual([])
    for (const id of ['a', 'fork']) store.release(session(id))
    expect(await store.remove([session('a'), session('x')])).toEqual(['a'])
    expect([
      store.get(session('a')),
      store.read(session('a'), 0, 9),
      store.runs(session('a')),
      store.letters(session('a')),
    ]).toEqual([undefined, [], [], []])
    expect(store.find('a', 9)).toEqual([])
    expect(store.read(session('fork'), 0, 9).slice(0, 3)).toEqual(entries.slice(0, 3))
    expect(await store.remove([session('fork')])).toEqual(['fork'])
    expect(store.list({ limit: 9 })).toEqual([])
  })

  test('an idempotency key is given once, and tells what it was used for', async () => {
    using home = place()
    const { store } = home
    expect(await store.takeKey('k', 'd1', 100, 0)).toBeUndefined()
    expect(await store.takeKey('k', 'd2', 101, 0)).toEqual({ digest: 'd1', alive: true })
    store.publish(
      header('keyed'),
      [entry(1, started, RUN)],
      { ...EMPTY_REGISTERS, openRun: RUN },
      { key: 'k' },
    )
    expect(store.usedKey('k')).toEqual({ digest: 'd1', run: 'run_1', alive: true })
    store.freeKey('k')
    expect(store.usedKey('k')).toBeUndefined()
    expect(await store.takeKey('old', 'd', 100, 0)).toBeUndefined()
    expect(await store.takeKey('old', 'd', 300, 101)).toBeUndefined()
  })
})
