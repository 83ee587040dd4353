/** Opening the file: what it needs of its folder, its settings, and its schema. */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import type { DatabaseSync, DatabaseSyncOptions } from 'node:sqlite'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isRecord } from '../../contract/json.ts'
import { Connection } from './connection.ts'
import { failedFault, lockedFault } from './faults.ts'
import { migrate, SCHEMA_VERSION, checkKnown, versionOf } from './migrations.ts'
import { BUSY, patiently } from './patience.ts'

/** Opening waits for other processes that open the same file, or bring it up to date. */
const OPEN_PATIENCE_MS = 5000

/** What is left of a write-ahead log that was once longer. */
const LOG_BYTES = 16 * 1024 * 1024

const open = (file: string | URL, options: DatabaseSyncOptions): DatabaseSync => {
  // Loaded when a database is opened, so that a command without one doesn't pay for it.
  const { DatabaseSync: Database } = process.getBuiltinModule('node:sqlite')
  return new Database(file, { timeout: 0, enableForeignKeyConstraints: false, ...options })
}

const patient = <T>(file: string, work: () => T): T => {
  const result = patiently(OPEN_PATIENCE_MS, work)
  if (result === BUSY) throw lockedFault(file)
  return result
}

const upToDate = (db: DatabaseSync, file: string): void => {
  if (versionOf(db) === SCHEMA_VERSION) return
  db.exec('begin immediate')
  try {
    migrate(db, file)
    db.exec('commit')
  } catch (error) {
    if (db.isTransaction) db.exec('rollback')
    throw error
  }
}

/** The first row of each table: enough to see most damage, at a few microseconds each. */
const TABLES = [
  'logs',
  'sessions',
  'events',
  'shares',
  'runs',
  'owners',
  'letters',
  'slots',
  'pauses',
  'keys',
  'names',
]

const glance = (db: DatabaseSync): void => {
  for (const table of TABLES) db.prepare(`select * from ${table} limit 1`).get()
}

/** A file that is there isn't touched: closing it would take this process's locks on it away. */
const create = (file: string): void => {
  if (existsSync(file)) return
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if (!isRecord(error) || error['code'] !== 'EEXIST') throw error
  }
}

/** What a process that writes opens. Throws what SQLite or the system throws. */
export const openFile = (file: string): DatabaseSync => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  create(file)
  if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
  const db = open(file, {})
  try {
    patient(file, () => {
      db.exec(`pragma synchronous = normal; pragma wal_autocheckpoint = 0;
        pragma journal_size_limit = ${LOG_BYTES}`)
      checkKnown(versionOf(db), file)
      const mode = db.prepare('pragma journal_mode = wal').get()?.['journal_mode']
      if (mode !== 'wal') throw withoutWal(file)
      upToDate(db, file)
      glance(db)
    })
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

const withoutWal = (file: string): Error =>
  failedFault(
    file,
    `The folder of the sessions' database ${file} allows no write-ahead log. Set XDG_STATE_HOME to a folder on a local disk.`,
  )

/** What a process that only reads opens; on a disk that can't be written the file is taken for unchanging. */
export const openToRead = (file: string): DatabaseSync => {
  const unchanging = pathToFileURL(file)
  unchanging.searchParams.set('immutable', '1')
  let failed: unknown
  for (const place of [file, unchanging]) {
    const db = open(place, { readOnly: true })
    try {
      patient(file, () => checkKnown(versionOf(db), file))
      return db
    } catch (error) {
      db.close()
      failed = error
    }
  }
  throw failed
}

export const openMemory = (): Connection => {
  const db = open(':memory:', {})
  migrate(db, ':memory:')
  return new Connection(db, ':memory:', () => {})
}
