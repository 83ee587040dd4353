/** What goes wrong below the store: full, locked, read-only, damaged. Running work goes on where it can (C35). */
import { spawn } from 'node:child_process'
import {
  closeSync,
  existsSync,
  globSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { EMPTY_REGISTERS } from '../../src/sessions/registers.ts'
import type { Store } from '../../src/sessions/store.ts'
import { entry, header, RUN, saying, session, settled, started } from '../fixtures/entries.ts'
import { limitedStore, storeHouse } from '../fixtures/store-file.ts'
import type { StoreHouse } from '../fixtures/store-file.ts'

const OPEN = { ...EMPTY_REGISTERS, openRun: RUN }
const LARGE = 'x'.repeat(100_000)

const begin = (store: Store, id: string): void => store.publish(header(id), [entry(1, started, RUN)], OPEN)

const turn = (store: Store, id: string): void => {
  begin(store, id)
  store.append(session(id), entry(2, saying(id), RUN), OPEN, true)
  store.append(session(id), entry(3, settled, RUN), EMPTY_REGISTERS, true)
}

describe('a full disk', () => {
  test('that has room again within two seconds loses nothing', async () => {
    using house = storeHouse()
    const { store, allow } = limitedStore(house)
    using _ = store
    begin(store, 's')
    allow(60)
    for (let seq = 2; seq < 8; seq += 1)
      store.append(session('s'), entry(seq, saying(LARGE), RUN), OPEN, true)
    const last = store.get(session('s'))?.lastSeq ?? 0
    expect(last).toBeLessThan(7)
    expect(store.read(session('s'), 0, 99)).toHaveLength(last)
    setTimeout(() => allow(10_000), 300)
    await store.flushed(session('s'))
    expect(store.read(session('s'), 0, 99).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7])
  })

  test('that stays full ends the sessions that could not be written, with what to do; others go on when it has room', async () => {
    using house = storeHouse()
    const { store, allow } = limitedStore(house)
    using _ = store
    begin(store, 's')
    allow(60)
    const faults: unknown[] = []
    using listening = store.onFault(session('s'), (fault) => faults.push(fault))
    for (let seq = 2; seq < 8; seq += 1)
      store.append(session('s'), entry(seq, saying(LARGE), RUN), OPEN, true)
    const full = {
      code: 'STORE_FAILED',
      message: `The disk of the sessions' database ${house.file} is full. Free some space there, or set XDG_STATE_HOME to another disk.`,
      data: { file: house.file, errno: 'SQLITE_13' },
    }
    await expect(store.flushed(session('s'))).rejects.toMatchObject(full)
    expect(faults).toMatchObject([full])
    expect(() => store.append(session('s'), entry(8, settled, RUN), EMPTY_REGISTERS, true)).toThrow(
      full.message,
    )
    const last = store.get(session('s'))?.lastSeq ?? 0
    expect(store.read(session('s'), 0, 99).map(({ seq }) => seq)).toEqual(
      Array.from({ length: last }, (__, index) => index + 1),
    )
    allow(10_000)
    turn(store, 'later')
    await store.flushed(session('later'))
    store.release(session('s'))
    expect(store.lost()).toEqual(['s'])
    listening[Symbol.dispose]()
  })

  test('lets no start be seen by half', async () => {
    using house = storeHouse()
    const { store, allow } = limitedStore(house)
    using _ = store
    turn(store, 'before')
    allow(50)
    store.publish(header('s'), [entry(1, saying(LARGE), RUN), entry(2, saying(LARGE), RUN)], OPEN)
    await expect(store.flushed(session('s'))).rejects.toMatchObject({ code: 'STORE_FAILED' })
    expect([store.get(session('s')), store.read(session('s'), 0, 9)]).toEqual([undefined, []])
    expect(store.list({ limit: 9 }).map(({ header: { id } }) => id)).toEqual(['before'])
  })
})

describe('a lock that another program holds', () => {
  test('delays what is written, refuses nothing, and holds nobody', async () => {
    using house = storeHouse()
    const store = house.open()
    turn(store, 'idle')
    store.release(session('idle'))
    turn(store, 's')
    using other = new DatabaseSync(house.file)
    other.exec('begin immediate')
    const begun = performance.now()
    begin(store, 'new')
    store.append(session('s'), entry(4, saying('more'), RUN), OPEN, true)
    store.post({ to: session('s'), at: 0, kind: 'interrupt' })
    const claim = { ticket: 't', provider: 'p', sessionId: session('new'), returning: false }
    expect(store.takeSlot(claim, { total: 1, provider: 1 })).toBeUndefined()
    const claimed = store.claim(session('idle'))
    const key = store.takeKey('k', 'd', 0, 0)
    expect(store.read(session('s'), 3, 9)).toEqual([])
    expect(store.get(session('new'))?.lastSeq).toBe(0)
    expect(performance.now() - begun).toBeLessThan(1000)
    let changed = 0
    using listening = store.onChange(() => {
      changed += 1
    })
    setTimeout(() => other.exec('commit'), 200)
    await Promise.all([store.flushed(session('s')), store.flushed(session('new')), claimed, key])
    expect(store.read(session('s'), 3, 9)).toHaveLength(1)
    expect(store.letters(session('s'))).toHaveLength(1)
    expect(changed).toBeGreaterThan(0)
    expect(store.takeSlot(claim, { total: 1, provider: 1 })).toBe(true)
    listening[Symbol.dispose]()
  })
})

test('one session that can not be written takes no other of its batch with it', async () => {
  using house = storeHouse()
  const [store, other] = [house.open('one'), house.open('two')]
  begin(store, 'taken')
  begin(store, 'sound')
  house.dead.add('one')
  await other.takeOver(session('taken'))
  using program = new DatabaseSync(house.file)
  program.exec('begin immediate')
  store.append(session('taken'), entry(2, saying('a'), RUN), OPEN, false)
  store.append(session('sound'), entry(2, saying('b'), RUN), OPEN, false)
  program.exec('commit')
  await expect(store.flushed(session('taken'))).rejects.toThrow('another process took the session up')
  await store.flushed(session('sound'))
  expect(other.read(session('sound'), 0, 9)).toHaveLength(2)
  expect(other.read(session('taken'), 0, 9)).toHaveLength(1)
})

describe('a place where nothing can be written', () => {
  test('is STORE_READONLY, with the file and what to do', () => {
    using house = storeHouse()
    const file = '/sys/subgate/sessions.db'
    expect(() => house.open('me', { file })).toThrow(
      expect.objectContaining({
        code: 'STORE_READONLY',
        message: `The sessions' database ${file} can't be written from here. Start from a process that may write it, or set XDG_STATE_HOME to a folder that can be written.`,
        data: { file },
      }),
    )
  })

  test('that is no folder is STORE_FAILED', () => {
    using house = storeHouse()
    const file = join(house.folder, 'plain', 'sessions.db')
    writeFileSync(join(house.folder, 'plain'), 'text')
    expect(() => house.open('me', { file })).toThrow(
      expect.objectContaining({
        code: 'STORE_FAILED',
        message: `The sessions' database ${file} could not be opened. Check that ${dirname(file)} is a folder of yours, or set XDG_STATE_HOME.`,
      }),
    )
  })
})

const asides = (house: StoreHouse): readonly string[] =>
  globSync(`${house.file}.corrupt-*`).filter((file) => !/-(?:wal|shm)$/u.test(file))

const damage: readonly [string, (file: string) => void][] = [
  ['of NUL bytes', (file) => writeFileSync(file, Buffer.alloc(16_384))],
  ['of other text', (file) => writeFileSync(file, 'no database at all\n'.repeat(99))],
  ['that was cut to half', (file) => truncateSync(file, Math.floor(statSync(file).size / 2))],
]

describe('C35: a damaged file', () => {
  test.each(damage)('%s is moved aside whole and reported, and a new one is begun', (_, spoil) => {
    using house = storeHouse()
    const before = house.open('before')
    for (let index = 0; index < 30; index += 1) turn(before, `s${index}`)
    before[Symbol.dispose]()
    spoil(house.file)
    const bytes = readFileSync(house.file)
    const store = house.open('after')
    const [aside = ''] = asides(house)
    expect(readFileSync(aside).equals(bytes)).toBe(true)
    expect(house.warnings).toHaveLength(1)
    expect(house.warnings[0]).toContain(`${house.file} was damaged. It was moved to ${aside}`)
    turn(store, 'new')
    expect(store.read(session('new'), 0, 9)).toHaveLength(3)
    house.open('third')
    expect([asides(house).length, house.warnings.length]).toEqual([1, 1])
  })

  test('whose damage shows only in use says so, and is moved aside at the next start', () => {
    using house = storeHouse()
    const before = house.open('before')
    begin(before, 's')
    for (let seq = 2; seq < 200; seq += 1)
      before.append(session('s'), entry(seq, saying('y'.repeat(900)), RUN), OPEN, true)
    before[Symbol.dispose]()
    const file = openSync(house.file, 'r+')
    const pages = statSync(house.file).size / 4096
    for (let page = pages - 20; page < pages; page += 1)
      writeSync(file, Buffer.alloc(4096, 7), 0, 4096, page * 4096)
    closeSync(file)
    const store = house.open('me')
    expect(() => store.read(session('s'), 0, 999)).toThrow(
      expect.objectContaining({
        code: 'STORE_FAILED',
        message: expect.stringContaining('is damaged. The next start') as unknown,
      }),
    )
    expect(house.warnings).toEqual([])
    store[Symbol.dispose]()
    turn(house.open('next'), 'new')
    expect(asides(house)).toHaveLength(1)
    expect(house.warnings).toHaveLength(1)
  })

  test('that was only thought to be damaged stays', () => {
    using house = storeHouse()
    const before = house.open('before')
    turn(before, 's')
    before[Symbol.dispose]()
    writeFileSync(`${house.file}-damaged`, '')
    expect(house.open('me').read(session('s'), 0, 9)).toHaveLength(3)
    expect([asides(house), existsSync(`${house.file}-damaged`)]).toEqual([[], false])
  })

  test('that another process has open stays where it is, and the message names that process', async () => {
    using house = storeHouse()
    mkdirSync(dirname(house.file))
    writeFileSync(house.file, Buffer.alloc(4096))
    const fd = openSync(house.file, 'r')
    const holder = spawn('sleep', ['60'], { stdio: [fd, 'ignore', 'ignore'] })
    closeSync(fd)
    try {
      expect(() => house.open()).toThrow(
        expect.objectContaining({
          code: 'STORE_FAILED',
          message: expect.stringContaining(`is damaged, and process ${holder.pid} has it open.`) as unknown,
        }),
      )
      expect(readFileSync(house.file).equals(Buffer.alloc(4096))).toBe(true)
    } finally {
      const ended = new Promise((resolve) => holder.once('close', resolve))
      holder.kill()
      await ended
    }
  })
})
