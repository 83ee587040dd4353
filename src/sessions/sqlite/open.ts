/** Opens the one database of the user's sessions. */
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { IsAlive, Owner, Store } from '../store.ts'
import { assemble, coreOf } from './assemble.ts'
import { Connection } from './connection.ts'
import { isDamaged, markDamaged, moveAside } from './damage.ts'
import { openFile, openToRead } from './database.ts'
import { failedFault, isDamage, isReadOnly, storeFault } from './faults.ts'
import { SCHEMA_VERSION, versionOf } from './migrations.ts'
import { networkOf } from './network.ts'
import { bootClock } from './owner-watch.ts'
import type { WatchClock } from './owner-watch.ts'

export interface OpenOptions {
  readonly file: string
  /** This process. */
  readonly owner: Omit<Owner, 'seenAt'>
  readonly isAlive: IsAlive
  /** Nothing will be written; works where nothing can be. */
  readonly readOnly?: boolean
  readonly now?: () => number
  /** By which processes are watched that can't be looked at; the kernel's own when absent. */
  readonly clock?: WatchClock
  /** Hears of a damaged file that was moved aside, and of listeners that threw. */
  readonly warn?: (message: string) => void
}

/** Throws a `SubagentError` that says what to do. */
export const openStore = ({
  file,
  owner,
  isAlive,
  readOnly = false,
  now = () => Date.now(),
  clock = bootClock(),
  warn = () => {},
}: OpenOptions): Store => {
  const noticed = (error: unknown): void => {
    if (isDamage(error)) markDamaged(file)
  }
  const db = readOnly ? openReader(file) : openWriter(file, now, warn)
  const connection = new Connection(db, file, noticed)
  return assemble(coreOf(connection, { owner, isAlive, now, clock, inMemory: false, warn }))
}

const openWriter = (file: string, now: () => number, warn: (message: string) => void): DatabaseSync => {
  const found = inode(file)
  try {
    const network = networkOf(dirname(file))
    if (network !== undefined) throw onNetwork(file, network)
    return openSound(file)
  } catch (error) {
    if (isReadOnly(error)) return openReadable(file, error)
    if (!isDamage(error)) throw storeFault(error, file)
    // Another process may have begun a new one meanwhile.
    if (inode(file) !== found) return openSound(file)
    const aside = moveAside(file, now(), error)
    warn(
      `The sessions' database ${file} was damaged. It was moved to ${aside}, whole, and a new one was begun; sessions of before can't be listed or resumed.`,
    )
    return openSound(file)
  }
}

const inode = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.ino

const openSound = (file: string): DatabaseSync => {
  const db = openFile(file)
  if (!isDamaged(db, file)) return db
  db.close()
  throw damaged(file)
}

/** As SQLite would have said it. */
const damaged = (file: string): Error =>
  Object.assign(new Error(`quick_check failed: ${file}`), { errcode: 11 })

/** A start that only looks at sessions goes on; what would write is refused when it does. */
const openReadable = (file: string, cause: unknown): DatabaseSync => {
  const fault = storeFault(cause, file)
  let db: DatabaseSync
  try {
    db = openToRead(file)
  } catch {
    throw fault
  }
  if (versionOf(db) === SCHEMA_VERSION) return db
  db.close()
  throw fault
}

const openReader = (file: string): DatabaseSync => {
  try {
    const db = openToRead(file)
    if (versionOf(db) === SCHEMA_VERSION) return db
    db.close()
    // Only who may write can bring it up to date.
    openFile(file).close()
    return openToRead(file)
  } catch (error) {
    throw storeFault(error, file)
  }
}

const onNetwork = (file: string, name: string): Error =>
  failedFault(
    file,
    `The sessions' database can't be kept in ${dirname(file)}: it is on a network file system (${name}). Set XDG_STATE_HOME to a folder on a local disk.`,
  )
