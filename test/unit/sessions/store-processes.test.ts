/** What several processes that share one store see of each other: leases, feeds, recovery, slots, keys. */
import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { EMPTY_REGISTERS } from '../../../src/sessions/registers.ts'
import type { SlotClaim } from '../../../src/sessions/ledgers.ts'
import type { Store } from '../../../src/sessions/store.ts'
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

describe('names', () => {
  const claim = (id: string) => ({ name: 'n', provider: 'p', cwd: '/w', sessionId: session(id) })

  test('a name that another process is starting a session under is held until that is published or given up', async () => {
    using house = storeHouse()
    const [one, two] = [house.open('one'), house.open('two')]
    await one.claimName(claim('a'))
    await expect(two.claimName(claim('b'))).rejects.toMatchObject({
      code: 'SESSION_BUSY',
      message: expect.stringContaining('process 1000 is starting it just now') as unknown,
      data: { sessionId: 'a' },
    })
    begin(one, 'a', { name: 'n', cwd: '/w' })
    await expect(two.claimName(claim('b'))).rejects.toMatchObject({
      message: expect.stringContaining('a has that name') as unknown,
    })
  })

  test('what a dead process held is free again', async () => {
    using house = storeHouse()
    const [one, two] = [house.open('one'), house.open('two')]
    await one.claimName(claim('a'))
    house.dead.add('one')
    await two.claimName(claim('b'))
    begin(two, 'b', { name: 'n', cwd: '/w' })
    expect(two.list({ name: 'n', provider: 'p', cwd: '/w', limit: 2 })).toHaveLength(1)
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

  test('who hears of a change hears whether another process made it', async () => {
    using house = storeHouse()
    const [one, two] = [house.open('one'), house.open('two')]
    const heard: boolean[] = []
    using listening = two.onChange((elsewhere) => heard.push(elsewhere))
    begin(two, 'own')
    expect(heard).toEqual([false])
    begin(one, 'foreign')
    await until(() => heard.length > 1)
    expect(heard).toEqual([false, true])
    listening[Symbol.dispose]()
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

const slot = (ticket: string, more: Partial<SlotClaim> = {}): SlotClaim => ({
  ticket,
  provider: 'p',
  sessionId: session(`ses_${ticket}`),
  returning: false,
  ...more,
})

test('of two processes that take one key, one gets it; that of a dead one is free', async () => {
  using house = storeHouse()
  const [one, two] = [house.open('one'), house.open('two')]
  const taken = await Promise.all([one, two].map((store) => store.takeKey('k', 'd', 1, 0)))
  expect(taken).toEqual([undefined, { digest: 'd', alive: true }])
  house.dead.add('one')
  expect(await two.takeKey('k', 'd', 1, 0)).toBeUndefined()
  const late = () =>
    one.publish(header('late'), [entry(1, started, RUN)], { ...EMPTY_REGISTERS, openRun: RUN }, { key: 'k' })
  expect(late).toThrow(/taken by another process/u)
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
