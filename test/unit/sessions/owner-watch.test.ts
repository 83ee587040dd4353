/** Processes that can't be looked at are judged by watching them, by the clock of whoever watches (law 13). */
import { expect, test } from 'vitest'
import { EMPTY_REGISTERS } from '../../../src/sessions/registers.ts'
import { OwnerWatch } from '../../../src/sessions/sqlite/owner-watch.ts'
import type { Store } from '../../../src/sessions/store.ts'
import { entry, header, RUN, session, started } from '../../fixtures/entries.ts'
import { storeHouse } from '../../fixtures/store-file.ts'

const watched = (now: () => number, id = 'c'): OwnerWatch => new OwnerWatch({ id, now })

test('an old sign of life is a suspicion; only one that stands still for a minute while it is watched is a death', () => {
  let now = 500_000
  const watch = watched(() => now)
  const owner = { id: 'a', seenAt: 0 }
  expect([watch.silentMs(owner), watch.isDead(owner)]).toEqual([0, false])
  now += 59_999
  expect(watch.isDead(owner)).toBe(false)
  now += 1
  expect(watch.isDead(owner)).toBe(true)
})

test.each([1, -1_000_000, 1_000_000])('a sign that has changed, by %d ms, is a sign of life', (by) => {
  let now = 0
  const watch = watched(() => now)
  watch.silentMs({ id: 'a', seenAt: 5_000_000 })
  now = 70_000
  expect(watch.silentMs({ id: 'a', seenAt: 5_000_000 + by })).toBe(0)
})

test('what another process has seen counts by the same clock alone', () => {
  const sighting = { seenAt: 7, since: 1000, clock: 'c' }
  const owner = { id: 'a', seenAt: 7, sighting }
  expect(watched(() => 61_000).isDead(owner)).toBe(true)
  expect(watched(() => 61_000, 'another').isDead(owner)).toBe(false)
  expect(watched(() => 900).isDead(owner)).toBe(false)
  expect(watched(() => 61_000).isDead({ ...owner, seenAt: 8 })).toBe(false)
})

/** An open run of a process of another namespace. */
const begin = (store: Store): void =>
  store.publish(header('s'), [entry(1, started, RUN)], { ...EMPTY_REGISTERS, openRun: RUN })

const foreign = { isAlive: ({ id }: { id: string }) => (id === 'far' ? undefined : true) }

test.each([0, 1e13])(
  'no clock on the wall, as one that says %d, settles a run of another namespace',
  async (wall) => {
    using house = storeHouse()
    begin(house.open('far', { now: () => 1_700_000_000_000 }))
    let time = 0
    const here = house.open('me', { ...foreign, now: () => wall, clock: { id: 'c', now: () => time } })
    expect([here.lost(), here.suspects()]).toEqual([[], 1])
    expect(await here.takeOver(session('s'))).toBe(false)
    await here.forgetDead()
    time = 60_000
    expect(here.lost()).toEqual(['s'])
    expect(await here.takeOver(session('s'))).toBe(true)
  },
)

test('short processes watch together: one leaves word of what it saw, and a later one finds the death', async () => {
  using house = storeHouse()
  const far = house.open('far')
  begin(far)
  let time = 10_000
  const clock = { id: 'c', now: () => time }
  const lostTo = async (name: string): Promise<readonly string[]> => {
    using store = house.open(name, { ...foreign, clock })
    const lost = store.lost()
    await store.forgetDead()
    return lost
  }
  expect(await lostTo('first')).toEqual([])
  time += 59_000
  expect(await lostTo('second')).toEqual([])
  time += 1000
  expect(await lostTo('third')).toEqual(['s'])
  using other = house.open('of another clock', { ...foreign, clock: { id: 'd', now: () => 1e12 } })
  expect(other.lost()).toEqual([])
})
