/** A tree that several processes run: whoever watches it sees all of it, to its end. */
import { describe, expect, test } from 'vitest'
import type { SessionId } from '../../src/contract/ids.ts'
import type { SubagentRun, WatchedEvent } from '../../src/contract/run.ts'
import { house, text, until } from '../fixtures/house.ts'
import type { House } from '../fixtures/house.ts'
import { mortalStore } from '../fixtures/mortal-store.ts'
import { puppet } from '../fixtures/puppet.ts'
import { storeHouse } from '../fixtures/store-file.ts'
import type { StoreHouse } from '../fixtures/store-file.ts'

const open = (place: StoreHouse, owner: string): House & { die(): void } => {
  const { store, die } = mortalStore(place.open(owner))
  return {
    ...house({ store, puppet: puppet() }),
    die: () => {
      place.dead.add(owner)
      die()
    },
  }
}

interface Watched extends Disposable {
  readonly seen: WatchedEvent[]
  /** Sequence numbers of one session, as they came. */
  of(id: SessionId): readonly number[]
  settled(id: SessionId): WatchedEvent | undefined
}

const watching = ({ runtime }: House, root: SubagentRun): Watched => {
  const seen: WatchedEvent[] = []
  const stop = new AbortController()
  const read = async (): Promise<void> => {
    for await (const watched of runtime.watch({ root: root.sessionId, signal: stop.signal }))
      seen.push(watched)
  }
  void read()
  return {
    seen,
    of: (id) => seen.filter(({ run }) => run.sessionId === id).map(({ event }) => event.seq),
    settled: (id) =>
      seen.findLast(({ run, event }) => run.sessionId === id && event.event.type === 'run/settled'),
    [Symbol.dispose]: () => stop.abort(),
  }
}

const below = (home: House, parent: SessionId): Promise<SubagentRun> =>
  home.start({ prompt: text('below'), label: 'below', parent: { sessionId: parent } })

const counted = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1)

describe('watch over processes', () => {
  test('a child that another process starts, and its own child, are seen whole, in order, while they work', async () => {
    using place = storeHouse()
    await using one = open(place, 'one')
    await using two = open(place, 'two')
    await using three = open(place, 'three')
    const root = await one.start()
    using watched = watching(one, root)
    const child = await below(two, root.sessionId)
    const turn = await two.puppet.turnOf(child.sessionId)
    turn.say('hello')
    await until(() => watched.of(child.sessionId).length === 4)
    const grandchild = await below(three, child.sessionId)
    const deeper = await three.puppet.turnOf(grandchild.sessionId)
    deeper.say('from below')
    await until(() => watched.of(grandchild.sessionId).length === 4)
    expect(watched.settled(child.sessionId)).toBeUndefined()
    deeper.end()
    await grandchild.result
    turn.say('bye')
    turn.end()
    await child.result
    await until(() => watched.settled(child.sessionId) !== undefined)
    await until(() => watched.settled(grandchild.sessionId) !== undefined)
    expect(watched.of(child.sessionId)).toEqual(counted(6))
    expect(watched.of(grandchild.sessionId)).toEqual(counted(5))
    const { run } = watched.settled(grandchild.sessionId) as WatchedEvent
    expect(run).toMatchObject({
      parentSessionId: child.sessionId,
      label: 'below',
      provider: 'puppet',
      depth: 2,
    })
    expect(await run.result).toMatchObject({ status: 'completed', text: 'from below' })
  })

  test('a child that is over at once is seen too, and one that was over before is not', async () => {
    using place = storeHouse()
    await using one = open(place, 'one')
    await using two = open(place, 'two')
    const root = await one.start()
    const before = await below(two, root.sessionId)
    const early = await two.puppet.turnOf(before.sessionId)
    early.end()
    await before.result
    using watched = watching(one, root)
    const child = await below(two, root.sessionId)
    const turn = await two.puppet.turnOf(child.sessionId)
    turn.say('quick')
    turn.end()
    await child.result
    await until(() => watched.settled(child.sessionId) !== undefined)
    expect(watched.of(child.sessionId)).toEqual(counted(5))
    expect(watched.of(before.sessionId)).toEqual([])
  })

  test('a child that runs when the watching begins is seen from its beginning', async () => {
    using place = storeHouse()
    await using one = open(place, 'one')
    await using two = open(place, 'two')
    const root = await one.start()
    const child = await below(two, root.sessionId)
    const turn = await two.puppet.turnOf(child.sessionId)
    turn.say('already')
    await until(() => two.entries(child.sessionId).length === 4)
    using watched = watching(one, root)
    await until(() => watched.of(child.sessionId).length === 4)
    turn.end()
    await until(() => watched.settled(child.sessionId) !== undefined)
    expect(watched.of(child.sessionId)).toEqual(counted(5))
  })

  test('a kept child that another process takes up again goes on where it was left', async () => {
    using place = storeHouse()
    await using one = open(place, 'one')
    await using two = open(place, 'two')
    const root = await one.start()
    using watched = watching(one, root)
    const child = await two.start({ parent: { sessionId: root.sessionId }, keep: true })
    ;(await two.puppet.turnOf(child.sessionId)).end()
    await child.result
    await until(() => watched.settled(child.sessionId) !== undefined)
    const first = watched.of(child.sessionId).length
    const again = await two.start({ session: { from: 'resume', sessionId: child.sessionId }, keep: true })
    const turn = await two.puppet.turnOf(child.sessionId)
    turn.say('again')
    turn.end()
    await again.result
    await until(() => watched.settled(child.sessionId)?.run.id === again.id)
    expect(watched.of(child.sessionId)).toEqual(counted(first + 3))
  })

  test('C14: the process of a child dies: it ends as interrupted before the eyes of who watches', async () => {
    using place = storeHouse()
    await using one = open(place, 'one')
    const two = open(place, 'two')
    const root = await one.start()
    using watched = watching(one, root)
    const child = await below(two, root.sessionId)
    const turn = await two.puppet.turnOf(child.sessionId)
    turn.say('half')
    await until(() => watched.of(child.sessionId).length === 4)
    two.die()
    await until(() => watched.settled(child.sessionId) !== undefined)
    expect(watched.settled(child.sessionId)?.event.event).toMatchObject({
      type: 'run/settled',
      status: 'interrupted',
      category: 'owner_lost',
    })
    expect(watched.of(child.sessionId)).toEqual(counted(5))
  })

  test('a run of another tree is not seen, and one that is cancelled from here ends', async () => {
    using place = storeHouse()
    await using one = open(place, 'one')
    await using two = open(place, 'two')
    const [root, other] = [await one.start(), await two.start()]
    using watched = watching(one, root)
    await below(two, other.sessionId)
    const child = await below(two, root.sessionId)
    await until(() => watched.of(child.sessionId).length === 3)
    expect(new Set(watched.seen.map(({ run }) => run.sessionId))).toEqual(
      new Set([root.sessionId, child.sessionId]),
    )
    watched.seen.findLast(({ run }) => run.sessionId === child.sessionId)?.run.cancel()
    expect((await child.result).status).toBe('cancelled')
    await until(() => watched.settled(child.sessionId) !== undefined)
  })
})
