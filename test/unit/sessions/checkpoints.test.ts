/** The write-ahead log is brought into the file by a thread of its own, and does not grow without end. */
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { EMPTY_REGISTERS } from '../../../src/sessions/registers.ts'
import { entry, header, RUN, saying, session, started } from '../../fixtures/entries.ts'
import { until } from '../../fixtures/house.ts'
import { storeHouse } from '../../fixtures/store-file.ts'

const OPEN = { ...EMPTY_REGISTERS, openRun: RUN }
const PAGE = 'x'.repeat(4000)

test('a long log is brought into the file while its writers go on, and the next commits use it anew', async () => {
  using house = storeHouse()
  const store = house.open()
  store.publish(header('s'), [entry(1, started, RUN)], OPEN)
  let seq = 1
  const write = (count: number): void => {
    for (let index = 0; index < count; index += 1) {
      store.append(session('s'), entry((seq += 1), saying(PAGE), RUN), OPEN, true)
    }
  }
  write(700)
  using looker = new DatabaseSync(house.file, { readOnly: true })
  const log = (): number => Number(looker.prepare('pragma wal_checkpoint(noop)').get()?.['log'])
  const before = log()
  expect(before).toBeGreaterThan(1500)
  await until(() => {
    write(20)
    return log() < before
  })
  expect(statSync(house.file).size).toBeGreaterThan(700 * PAGE.length)
  expect(store.read(session('s'), 0, 10_000).map((each) => each.seq)).toEqual(
    Array.from({ length: seq }, (_, index) => index + 1),
  )
})
