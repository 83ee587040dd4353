/** Long sessions from elsewhere: taken in by parts that hold nobody up, seen by nobody before all of them are there. */
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { LogEntry } from '../../../src/contract/events.ts'
import { EMPTY_REGISTERS } from '../../../src/sessions/registers.ts'
import type { Arrival } from '../../../src/sessions/store.ts'
import { entry, header, RUN, saying, session, settled, started } from '../../fixtures/entries.ts'
import { until } from '../../fixtures/house.ts'
import { PLACES, storeHouse } from '../../fixtures/store-file.ts'

/** A run of so many events. */
const log = (count: number): readonly LogEntry[] => [
  entry(1, started, RUN),
  ...Array.from({ length: count - 2 }, (_, index) => entry(index + 2, saying(`${index}`), RUN)),
  entry(count, settled, RUN),
]

const arrival = (id: string, count: number, inherited = 0): Arrival => ({
  header: header(id),
  inherited: log(count).slice(0, inherited),
  entries: log(count).slice(inherited),
  registers: EMPTY_REGISTERS,
})

const rowsIn = (file: string, table: 'events' | 'logs'): unknown => {
  using db = new DatabaseSync(file, { readOnly: true })
  return db.prepare(`select count(*) as n from ${table}`).get()?.['n']
}

test.each(PLACES)(
  'in %s: others have their turn between the parts, and see nothing before the end',
  async (_, place) => {
    using home = place()
    const { store } = home
    const over = new AbortController()
    const taken = store.take([arrival('long', 6500, 3200)]).finally(() => over.abort())
    let turns = 0
    for (; !over.signal.aborted; turns += 1) {
      expect(store.get(session('long'))).toBeUndefined()
      expect(store.run(RUN)).toBeUndefined()
      await setImmediate()
    }
    await taken
    expect(turns).toBeGreaterThan(6)
    expect(store.read(session('long'), 0, 9999)).toEqual(log(6500))
  },
)

test('what is refused at the end leaves no event behind', async () => {
  using house = storeHouse()
  const store = house.open()
  await store.take([arrival('one', 10)])
  expect(store.runs(session('one'))).toMatchObject([{ id: RUN, firstSeq: 1, lastSeq: 10 }])
  await expect(store.take([arrival('two', 5000), arrival('one', 10)])).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
  })
  await until(() => rowsIn(house.file, 'logs') === 1)
  expect(rowsIn(house.file, 'events')).toBe(10)
})

test('what a process had written of it goes when that process has died, and it can write no more of it', async () => {
  using house = storeHouse()
  const [one, two] = [house.open('one'), house.open('two')]
  const taken = one.take([arrival('long', 9000)])
  const refused = expect(taken).rejects.toThrow('cleared away by another process')
  await setImmediate()
  house.dead.add('one')
  await two.forgetDead()
  await refused
  await until(() => rowsIn(house.file, 'logs') === 0)
  expect(rowsIn(house.file, 'events')).toBe(0)
  await two.take([arrival('long', 9000)])
  expect(two.get(session('long'))?.lastSeq).toBe(9000)
})

test('what was shared elsewhere goes with the last that shares it', async () => {
  using house = storeHouse()
  const store = house.open()
  await store.take([arrival('copy', 20, 12)])
  expect(rowsIn(house.file, 'logs')).toBe(2)
  await store.remove([session('copy')])
  await until(() => rowsIn(house.file, 'logs') === 0)
  expect(rowsIn(house.file, 'events')).toBe(0)
})
