/** What has lain unused for too long goes by itself, once a day, with all that belongs to it. */
import { existsSync, mkdirSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { retain } from '../../../src/gateway-retention.ts'
import type { Store } from '../../../src/sessions/store.ts'
import { session } from '../../fixtures/entries.ts'
import { addSession, storeHouse } from '../../fixtures/store-file.ts'

const DAY_MS = 86_400_000
const NOW = Date.now()

const known = (store: Store): readonly string[] => store.list({ limit: 9 }).map(({ header }) => header.id)

/** An old session with a large output, and one of yesterday; neither is open. */
const furnished = () => {
  const house = storeHouse()
  const store = house.open()
  addSession(store, 'old', {}, NOW - 91 * DAY_MS)
  addSession(store, 'new', {}, NOW - DAY_MS)
  for (const id of ['old', 'new']) store.release(session(id))
  const stateDir = dirname(house.file)
  const outputs = (id: string): string => join(stateDir, 'outputs', id)
  for (const id of ['old', 'new']) mkdirSync(outputs(id), { recursive: true })
  return { house, store, stateDir, outputs }
}

test('what nothing has changed in for ninety days goes, and its large outputs go with it', async () => {
  const { house, store, stateDir, outputs } = furnished()
  using _ = house
  expect(await retain({ store, stateDir, days: 90, now: NOW })).toBe(1)
  expect(known(store)).toEqual(['new'])
  expect([existsSync(outputs('old')), existsSync(outputs('new'))]).toEqual([false, true])
})

test('it is looked for once a day, whoever starts', async () => {
  const { house, store, stateDir } = furnished()
  using _ = house
  await retain({ store, stateDir, days: 90, now: NOW })
  addSession(store, 'older', {}, NOW - 200 * DAY_MS)
  store.release(session('older'))
  expect(await retain({ store, stateDir, days: 90, now: NOW })).toBe(0)
  const yesterday = (NOW - DAY_MS) / 1000
  utimesSync(join(stateDir, 'pruned'), yesterday, yesterday)
  expect(await retain({ store, stateDir, days: 90, now: NOW })).toBe(1)
})

test('0 days keeps all for ever', async () => {
  const { house, store, stateDir } = furnished()
  using _ = house
  expect(await retain({ store, stateDir, days: 0, now: NOW })).toBe(0)
  expect(known(store).toSorted()).toEqual(['new', 'old'])
})

test('what is open or held stays, however old it is', async () => {
  const { house, store, stateDir } = furnished()
  using _ = house
  addSession(store, 'held', {}, NOW - 200 * DAY_MS)
  await retain({ store, stateDir, days: 90, now: NOW })
  expect(known(store).toSorted()).toEqual(['held', 'new'])
})
