/** What a store in memory gives up of sessions of which nothing goes on, and what it never does. */
import { expect, test } from 'vitest'
import { EMPTY_REGISTERS } from '../../../src/sessions/registers.ts'
import { memoryStore } from '../../../src/sessions/memory-store.ts'
import type { SessionStore } from '../../../src/sessions/store.ts'
import { entry, header, RUN, saying, session, settled, started } from '../../fixtures/entries.ts'
import { collect, house, until } from '../../fixtures/house.ts'

const add = (store: SessionStore, id: string, words = ''): void => {
  store.publish(header(id), [entry(1, started, RUN)], { ...EMPTY_REGISTERS, openRun: RUN })
  store.append(session(id), entry(2, saying(words), RUN), { ...EMPTY_REGISTERS, openRun: RUN }, false)
  store.append(session(id), entry(3, settled, RUN), EMPTY_REGISTERS, true)
}

const end = (store: SessionStore, ...ids: readonly string[]): void => {
  for (const id of ids) {
    add(store, id)
    store.release?.(session(id))
  }
}

const known = (store: SessionStore, ...ids: readonly string[]): string[] =>
  ids.filter((id) => store.get(session(id)) !== undefined)

const FEW = { sessions: 2, bytes: 1_000_000 }

test('beyond its number of sessions the oldest is given up, and reads as empty', () => {
  const store = memoryStore(FEW)
  end(store, 'a', 'b', 'c')
  expect(known(store, 'a', 'b', 'c')).toEqual(['b', 'c'])
  expect(store.read(session('a'), 0, 10)).toEqual([])
})

test('a session that is open, or was never released, stays', () => {
  const store = memoryStore(FEW)
  add(store, 'kept')
  end(store, 'again')
  store.append(session('again'), entry(4, started, RUN), { ...EMPTY_REGISTERS, openRun: RUN }, true)
  end(store, 'a', 'b', 'c')
  expect(known(store, 'kept', 'again', 'a', 'b', 'c')).toEqual(['kept', 'again', 'b', 'c'])
})

test('a session that a fork shares, or that somebody follows, stays until that ends', () => {
  const store = memoryStore(FEW)
  end(store, 'shared', 'followed')
  store.publish(header('fork', [{ sessionId: session('shared'), count: 3 }]), [], EMPTY_REGISTERS)
  const following = store.onCommit(session('followed'), () => {})
  end(store, 'a', 'b')
  expect(known(store, 'shared', 'followed')).toEqual(['shared', 'followed'])
  expect(store.read(session('fork'), 0, 10)).toHaveLength(3)
  following[Symbol.dispose]()
  store.release?.(session('fork'))
  end(store, 'c', 'd')
  expect(known(store, 'shared', 'followed', 'fork')).toEqual([])
})

test('beyond its weight the oldest are given up, but never the newest 16', () => {
  const store = memoryStore({ sessions: 100, bytes: 1000 })
  const ids = Array.from({ length: 20 }, (_, n) => `s${n}`)
  for (const id of ids) {
    add(store, id, 'x'.repeat(1000))
    store.release?.(session(id))
  }
  expect(known(store, ...ids)).toEqual(ids.slice(4))
})

test('the events of a run end at once when its session was given up', async () => {
  await using home = house({ store: memoryStore({ sessions: 1, bytes: 1000 }) })
  const one = await home.start()
  const two = await home.start()
  for (const run of [one, two]) {
    run.cancel()
    await run.result
  }
  expect(await collect(one)).toEqual([])
  expect((await collect(two)).map(({ event }) => event.type)).toEqual(['run/started', 'run/settled'])
})

test('a watcher leaves a session that is over, so that it can be given up, and sees it when it is taken up', async () => {
  const store = memoryStore({ sessions: 1, bytes: 1000 })
  await using home = house({ store })
  const seen: [string, number][] = []
  const stop = new AbortController()
  const watching = (async () => {
    for await (const { event, run } of home.runtime.watch({ signal: stop.signal })) {
      seen.push([run.sessionId, event.seq])
    }
  })()
  const begin = async (origin?: { from: 'resume'; sessionId: (typeof home.ids)[number] }) => {
    const run = await home.start(origin && { session: origin })
    run.cancel()
    await run.result
    const last = store.get(run.sessionId)?.lastSeq ?? 0
    await until(() => seen.some(([id, seq]) => id === run.sessionId && seq === last))
    return run
  }
  const first = await begin()
  await begin()
  await begin()
  expect(store.get(first.sessionId)).toBeUndefined()
  const last = await begin()
  await begin({ from: 'resume', sessionId: last.sessionId })
  const events = seen.filter(([id]) => id === last.sessionId).map(([, seq]) => seq)
  expect(events).toEqual(store.read(last.sessionId, 0, 100).map(({ seq }) => seq))
  stop.abort()
  await watching
})
