/** The schema's versions: each older one is brought up to the newest, a newer one is left alone. */
import { readFileSync } from 'node:fs'
import { mkdirSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { SCHEMA_VERSION } from '../../../src/sessions/sqlite/migrations.ts'
import { session } from '../../fixtures/entries.ts'
import { storeHouse } from '../../fixtures/store-file.ts'
import type { StoreHouse } from '../../fixtures/store-file.ts'

/** A database as version `version` left it, with a settled session `ses_old` and a fork of it. */
const stored = (house: StoreHouse, version: number): void => {
  mkdirSync(dirname(house.file))
  using db = new DatabaseSync(house.file)
  db.exec(readFileSync(join(import.meta.dirname, `../../fixtures/store/version-${version}.sql`), 'utf8'))
}

const versions = Array.from({ length: SCHEMA_VERSION - 1 }, (_, index) => index + 1)

test.each(versions)('version %d is brought up to date, and nothing of it is lost', async (version) => {
  using house = storeHouse()
  stored(house, version)
  const store = house.open()
  expect(store.list({ limit: 9 }).map(({ header, lastSeq, at }) => [header.id, lastSeq, at])).toEqual([
    ['ses_fork', 3, 30],
    ['ses_old', 3, 20],
  ])
  expect(store.read(session('ses_fork'), 0, 9).map(({ seq, event }) => [seq, event.type])).toEqual([
    [1, 'run/started'],
    [2, 'session/update'],
    [3, 'session/native_id'],
  ])
  expect(store.runs(session('ses_old'))).toMatchObject([
    { id: 'run_old', firstSeq: 1, lastSeq: 3, status: 'completed' },
  ])
  await store.claim(session('ses_old'))
  store.post({ to: session('ses_old'), at: 1, kind: 'interrupt' })
  expect(store.letters(session('ses_old'))).toHaveLength(1)
  using db = new DatabaseSync(house.file, { readOnly: true })
  expect(db.prepare('pragma user_version').get()).toEqual({ user_version: SCHEMA_VERSION })
  using fresh = storeHouse()
  fresh.open()
  using other = new DatabaseSync(fresh.file, { readOnly: true })
  const shape = (each: DatabaseSync): unknown =>
    each
      .prepare("select type, name, tbl_name from sqlite_schema where name not like 'sqlite_%' order by name")
      .all()
  expect(shape(db)).toEqual(shape(other))
})

test.each(versions)('version %d is brought up to date by who only reads it, too', (version) => {
  using house = storeHouse()
  stored(house, version)
  const reader = house.open('reader', { readOnly: true })
  expect(reader.list({ limit: 1, name: 'n' })).toEqual([])
  expect(reader.get(session('ses_old'))?.registers).toEqual({ lastCompleted: 3 })
})

test.each([false, true])(
  'a newer version is left as it is, and the message says what to do (to read: %s)',
  (readOnly) => {
    using house = storeHouse()
    house.open()[Symbol.dispose]()
    const newer = SCHEMA_VERSION + 1
    {
      using db = new DatabaseSync(house.file)
      db.exec(`pragma user_version = ${newer}`)
    }
    const before = readFileSync(house.file)
    expect(() => house.open('me', { readOnly })).toThrow(
      expect.objectContaining({
        code: 'STORE_FAILED',
        message: `The sessions' database ${house.file} has version ${newer}; this Subgate knows versions up to ${SCHEMA_VERSION}. Use the newer Subgate that made it, or set XDG_STATE_HOME to another folder.`,
      }),
    )
    expect(readFileSync(house.file).equals(before)).toBe(true)
    expect(house.warnings).toEqual([])
  },
)
