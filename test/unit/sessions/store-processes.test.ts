/** What several processes that share one store see of each other: leases, feeds, recovery, slots, keys. */
import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runId } from '../../../src/contract/ids.ts'
import { EMPTY_REGISTERS } from '../../../src/sessions/registers.ts'
import type { SlotClaim, Store } from '../../../src/sessions/store.ts'
import { entry, header, RUN, session, settled, started } from '../../fixtures/entries.ts'
import { until } from '../../fixtures/house.ts'
import { storeHouse } from '../../fixtures/store-file.ts'

const OPEN = { ...EMPTY_REGISTERS, openRun: RUN }
const native = { type: 'session/native_id', nativeId: 'a-1' } as const

const begin = (store: Store, id: string, more: object = {}): void =>
  store.publish({ ...header(id), ...more }, [entry(1, started, RUN)], OPEN)

const finish = (store: Store, id: string): void => {
  store.append(session(id), entry(2, settled, RUN), EMPTY_REGISTERS, true)
}

describe('leases', () => {
  test('a session that another living process holds is SESSION_BUSY, and the message names it', async () => {
    using house = storeHouse()
    const [one, two] = [house.open('one'), house.open('two')]
    begin(one, 's')
    finish(one, 's')
    await expect(two.claim(session('s'))).rejects.toMatchObject({
      code: 'SESSION_BUSY',
      message: expect.stringContaining('process 1000 holds it open') as unknown,
    })
    one.release(session('s'))
    await two.claim(session('s'))
    expect(two.list({ limit: 1 })[0]?.owner).toMatchObject({
      id: 'two',
      pid: 1000,
      startTime: 7,
      bootId: 'boot/1',
    })
  })

  test('what a dead process held can be claimed, but not while its run is open', async () => {
    using house = storeHouse()
    const [one, two] = [house.open('one'), house.open('two')]
    begin(one, 'open')
    begin(one, 'idle')
    finish(one, 'idle')
    house.dead.add('one')
    await two.claim(session('idle'))
    await expect(two.claim(session('open'))).rejects.toMatchObject({ code: 'SESSION_BUSY' })
    expect(two.list({ limit: 9 }).map(({ owner }) => owner?.id)).toEqual(['two', undefined].toReversed())
  })

  test('an append to a session that this process does not hold is refused', () => {
    using house = storeHouse()
    const [one, two] = [house.open('one'), house.open('two')]
    begin(one, 's')
    expect(() => two.append(session('s'), entry(2, native), EMPTY_REGISTERS, true)).toThrow(
      'Session s is not held by this process.',
    )
    expect(two.get(session('s'))?.lastSeq).toBe(1)
  })

  test('a process that was taken for dead and writes on is told so, and the log is that of who took over', async () => {
    using house = storeHouse()
    const [one, two] = [house.open('one'), house.open('two')]
    begin(one, 's')
    house.dead.add('one')
    expect(await two.takeOver(session('s'))).toBe(true)
    finish(two, 's')
    const faults: string[] = []
    using listening = one.onFault(session('s'), ({ message }) => faults.push(message))
    const words = "Event 2 of session s can't be written: another process took the session up."
    expect(() => one.append(session('s'), entry(2, native), EMPTY_REGISTERS, true)).toThrow(words)
    expect(faults).toEqual([words])
    expect(() => one.append(session('s'), entry(2, native), EMPTY_REGISTERS, true)).toThrow(words)
    await expect(one.flushed(session('s'))).rejects.toThrow(words)
    expect(two.read(session('s'), 0, 9).map(({ event }) => event.type)).toEqual([
      'run/started',
      'run/settled',
    ])
    begin(one, 'other')
    await one.flushed(session('other'))
    listening[Symbol.dispose]()
  })

  test('a process that closes its store leaves its sessions free, and an open run to recovery', async () => {
    using house = storeHouse()
    const [one, two] = [house.open('one'), house.open('two')]
    begin(one, 'open')
    begin(one, 'idle')
    finish(one, 'idle')
    one[Symbol.dispose]()
    await two.claim(session('idle'))
    expect(two.lost()).toEqual(['open'])
  })
})

describe('the feed', () => {
  test('commits, letters and changes of another process are heard', async () => {
    using house = storeHouse()
    const [one, two] = [house.open('one'), house.open('two')]
    const heard: string[] = []
    using listening = new DisposableStack()
    listening.use(two.onCommit(session('s'), (seq) => heard.push(`commit ${seq}`)))
    listening.use(two.onCommit(session('silent'), (seq) => heard.push(`silent ${seq}`)))
    listening.use(two.onLetter(session('s'), () => heard.push('letter')))
    listening.use(two.onChange(() => heard.push('change')))
    begin(one, 's')
    await until(() => heard.includes('change'))
    expect(heard).toEqual(['commit 1', 'change'])
    finish(one, 's')
    one.post({ to: session('s'), at: 0, kind: 'interrupt' })
    await until(() => heard.includes('letter'))
    expect(heard).toContain('commit 2')
    expect(heard.filter((each) => each.startsWith('silent'))).toEqual([])
  })

  test('a refused slot that changes nothing is no change, so that who retries on changes comes to rest', async () => {
    using house = storeHouse()
    const store = house.open()
    store.takeSlot(slot('a'), ONE)
    store.takeSlot(slot('b'), ONE)
    let changes = 0
    using listening = store.onChange(() => {
      changes += 1
    })
    store.takeSlot(slot('b'), ONE)
    expect(changes).toBe(0)
    store.giveSlot('a')
    expect(changes).toBe(1)
    listening[Symbol.dispose]()
  })

  test('who follows a session hears that another process removed it', async () => {
    using house = storeHouse()
    const [one, two] = [house.open('one'), house.open('two')]
    begin(one, 's')
    finish(one, 's')
    one.release(session('s'))
    let heard = 0
    using listening = two.onCommit(session('s'), () => {
      heard += 1
    })
    await one.remove([session('s')])
    await until(() => heard > 0)
    expect(two.get(session('s'))).toBeUndefined()
    listening[Symbol.dispose]()
  })
})

describe('C14: recovery', () => {
  test('lost are the open runs of dead owners alone, children first; one process takes each over', async () => {
    using house = storeHouse()
    const [one, two, three] = [house.open('one'), house.open('two'), house.open('three')]
    begin(one, 'root')
    begin(one, 'kid', { depth: 1, parentId: session('root') })
    begin(one, 'done')
    finish(one, 'done')
    begin(two, 'alive')
    expect(three.lost()).toEqual([])
    house.dead.add('one')
    expect(three.lost()).toEqual(['kid', 'root'])
    const taken = await Promise.all([two, three].map((store) => store.takeOver(session('kid'))))
    expect(taken).toEqual([true, false])
    expect(await three.takeOver(session('done'))).toBe(false)
    expect(await three.takeOver(session('alive'))).toBe(false)
    finish(two, 'kid')
    expect(three.lost()).toEqual(['root'])
  })

  test('a dead owner is forgotten with its slots and keys once it holds no open run', async () => {
    using house = storeHouse()
    const [one, two] = [house.open('one'), house.open('two')]
    begin(one, 's')
    one.takeSlot(slot('t'), ONE)
    await one.takeKey('k', 'd', 0, 0)
    house.dead.add('one')
    await two.forgetDead()
    expect(two.lost()).toEqual(['s'])
    expect(two.usedKey('k')).toEqual({ digest: 'd', alive: false })
    await two.takeOver(session('s'))
    finish(two, 's')
    await two.forgetDead()
    expect(two.usedKey('k')).toBeUndefined()
    expect(two.load()).toEqual({ active: 0, queued: 0 })
  })
})

const ONE = { total: 1, provider: Number.POSITIVE_INFINITY }
const TWO = { total: 2, provider: Number.POSITIVE_INFINITY }

const slot = (ticket: string, more: Partial<SlotClaim> = {}): SlotClaim => ({
  ticket,
  provider: 'p',
  sessionId: session(`ses_${ticket}`),
  returning: false,
  ...more,
})

describe('slots', () => {
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
    let now = 1_000_000
    const clock = { now: () => now }
    const [one, two] = [house.open('one', clock), house.open('two', clock)]
    one.takeSlot(slot('held'), ONE)
    one.takeSlot(slot('old'), ONE)
    one.giveSlot('held')
    expect(two.takeSlot(slot('young'), ONE)).toBe(false)
    now += 30_000
    expect(two.takeSlot(slot('young'), ONE)).toBe(true)
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
})

test('of two processes that take one key, one gets it; that of a dead one is free', async () => {
  using house = storeHouse()
  const [one, two] = [house.open('one'), house.open('two')]
  const taken = await Promise.all([one, two].map((store) => store.takeKey('k', 'd', 1, 0)))
  expect(taken).toEqual([undefined, { digest: 'd', alive: true }])
  house.dead.add('one')
  expect(await two.takeKey('k', 'd', 1, 0)).toBeUndefined()
  one.bindKey('k', runId('late'))
  expect(two.usedKey('k')).toEqual({ digest: 'd', alive: true })
})

test('only the user may read what is stored', () => {
  using house = storeHouse()
  const store = house.open()
  begin(store, 's')
  expect(statSync(dirname(house.file)).mode & 0o777).toBe(0o700)
  for (const part of ['', '-wal', '-shm']) {
    expect([part, existsSync(house.file + part), statSync(house.file + part).mode & 0o777]).toEqual([
      part,
      true,
      0o600,
    ])
  }
})

test('a store for reading alone sees what others commit, and says STORE_READONLY of what would write', async () => {
  using house = storeHouse()
  const store = house.open('one')
  begin(store, 's')
  const reader = house.open('reader', { readOnly: true })
  let heard = 0
  using listening = reader.onCommit(session('s'), (seq) => {
    heard = seq
  })
  finish(store, 's')
  await until(() => heard === 2)
  expect(reader.read(session('s'), 0, 9)).toHaveLength(2)
  expect(() => begin(reader, 'new')).toThrow(
    expect.objectContaining({ code: 'STORE_READONLY', data: { file: house.file } }),
  )
  store.release(session('s'))
  await expect(reader.claim(session('s'))).rejects.toMatchObject({ code: 'STORE_READONLY' })
  listening[Symbol.dispose]()
})
