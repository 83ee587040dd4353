/** Slots that several processes share: limits, one queue, lending across processes, pauses. */
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { SlotClaim } from '../../../src/sessions/ledgers.ts'
import { session } from '../../fixtures/entries.ts'
import { storeHouse } from '../../fixtures/store-file.ts'

const ONE = { total: 1, provider: Number.POSITIVE_INFINITY }
const TWO = { total: 2, provider: Number.POSITIVE_INFINITY }

const slot = (ticket: string, more: Partial<SlotClaim> = {}): SlotClaim => ({
  ticket,
  provider: 'p',
  sessionId: session(`ses_${ticket}`),
  returning: false,
  ...more,
})

test('are counted over all living processes, in all and by provider', () => {
  using house = storeHouse()
  const [one, two] = [house.open('one'), house.open('two')]
  expect(one.takeSlot(slot('a'), TWO)).toBe(true)
  expect(two.takeSlot(slot('b'), { total: 2, provider: 1 })).toBe(false)
  expect(two.takeSlot(slot('c', { provider: 'q' }), TWO)).toBe(true)
  expect(one.takeSlot(slot('d', { provider: 'q' }), TWO)).toBe(false)
  expect(one.load()).toEqual({ active: 2, queued: 2 })
  expect(one.takeSlot(slot('a'), TWO)).toBe(true)
  house.dead.add('two')
  expect(one.load()).toEqual({ active: 1, queued: 1 })
  expect(one.takeSlot(slot('d', { provider: 'q' }), TWO)).toBe(true)
})

test('a younger ticket of another process does not pass an older one that could run, and passes one that could not', () => {
  using house = storeHouse()
  const [one, two] = [house.open('one'), house.open('two')]
  const narrow = { total: 2, provider: 1 }
  expect(one.takeSlot(slot('held'), narrow)).toBe(true)
  expect(one.takeSlot(slot('old'), narrow)).toBe(false)
  expect(two.takeSlot(slot('other', { provider: 'q' }), TWO)).toBe(true)
  two.giveSlot('other')
  one.giveSlot('held')
  expect(two.takeSlot(slot('young'), TWO)).toBe(false)
  expect(one.takeSlot(slot('old'), narrow)).toBe(true)
  expect(two.takeSlot(slot('young'), TWO)).toBe(true)
})

test('one that has been silent for half a minute holds up nobody', () => {
  using house = storeHouse()
  const watch = { id: 'c', time: 5 }
  const clock = { id: watch.id, now: () => watch.time }
  // Whatever the clocks on the wall say.
  const one = house.open('one', { now: () => 1 })
  const two = house.open('two', { now: () => 1e15, clock })
  one.takeSlot(slot('held'), ONE)
  one.takeSlot(slot('old'), ONE)
  one.giveSlot('held')
  expect(two.takeSlot(slot('young'), ONE)).toBe(false)
  watch.time += 29_999
  expect(two.takeSlot(slot('young'), ONE)).toBe(false)
  watch.time += 1
  expect(two.takeSlot(slot('young'), ONE)).toBe(true)
})

test('what waits is told with its provider, its process, since when, and why', () => {
  using house = storeHouse()
  let now = 1000
  const [one, two] = [house.open('one', { now: () => now }), house.open('two', { now: () => now })]
  one.takeSlot(slot('held'), ONE)
  one.takeSlot(slot('a'), ONE)
  now = 2000
  two.pauseProvider('q', 9000)
  two.takeSlot(slot('b', { provider: 'q', parentId: session('ses_up') }), ONE)
  const first = { provider: 'p', sessionId: 'ses_a', since: 1000, reason: 'capacity', pid: 1000 }
  expect(one.waiting()).toEqual([
    first,
    {
      provider: 'q',
      sessionId: 'ses_b',
      parentId: 'ses_up',
      since: 2000,
      reason: 'paused',
      until: 9000,
      pid: 1000,
    },
  ])
  now = 9000
  expect(one.waiting()[1]).toMatchObject({ reason: 'capacity' })
  house.dead.add('two')
  expect(one.waiting()).toEqual([first])
})

test('a claim while another program locks the database is told at once that nothing is known, and takes no place', () => {
  using house = storeHouse()
  const store = house.open('one')
  store.load()
  using db = new DatabaseSync(house.file)
  db.exec('begin immediate')
  for (let index = 0; index < 20; index += 1) expect(store.takeSlot(slot(`t${index}`), ONE)).toBeUndefined()
  expect(store.load()).toEqual({ active: 0, queued: 0 })
  db.exec('rollback')
  expect(store.takeSlot(slot('t0'), ONE)).toBe(true)
})

test('a claim that comes back goes ahead of the queue', () => {
  using house = storeHouse()
  const [one, two] = [house.open('one'), house.open('two')]
  one.takeSlot(slot('held'), ONE)
  two.takeSlot(slot('waits'), ONE)
  one.takeSlot(slot('back', { returning: true }), ONE)
  one.giveSlot('held')
  expect(two.takeSlot(slot('waits'), ONE)).toBe(false)
  expect(one.takeSlot(slot('back', { returning: true }), ONE)).toBe(true)
})

test('a session with a child in another process has lent its slot, until its last child has given up its claim', () => {
  using house = storeHouse()
  const [one, two] = [house.open('one'), house.open('two')]
  expect(one.takeSlot(slot('parent'), ONE)).toBe(true)
  expect(one.takeSlot(slot('waits'), ONE)).toBe(false)
  const child = { parentId: session('ses_parent') }
  expect(two.takeSlot(slot('kid', child), ONE)).toBe(true)
  expect(two.takeSlot(slot('kid2', child), ONE)).toBe(false)
  two.giveSlot('kid')
  expect(two.takeSlot(slot('kid2', child), ONE)).toBe(true)
  two.giveSlot('kid2')
  expect(one.takeSlot(slot('waits'), ONE)).toBe(false)
  one.giveSlot('parent')
  expect(one.takeSlot(slot('waits'), ONE)).toBe(true)
})

test('a paused provider takes no slot before its time, in any process; the later time wins', () => {
  using house = storeHouse()
  let now = 1000
  const clock = { now: () => now }
  const [one, two] = [house.open('one', clock), house.open('two', clock)]
  one.pauseProvider('p', 2000)
  two.pauseProvider('p', 1500)
  expect(two.pausedUntil('p', now)).toBe(2000)
  expect(two.takeSlot(slot('a'), TWO)).toBe(false)
  expect(two.takeSlot(slot('b', { provider: 'q' }), TWO)).toBe(true)
  expect(two.takeSlot(slot('c', { returning: true }), TWO)).toBe(true)
  now = 2000
  expect(two.pausedUntil('p', now)).toBeUndefined()
  two.giveSlot('c')
  expect(two.takeSlot(slot('a'), TWO)).toBe(true)
})
