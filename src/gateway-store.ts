/** The user's one database of sessions, as this process opens it: at first use, or for reading alone. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { stateDir } from './config/paths.ts'
import type { Logger } from './contract/logger.ts'
import { bootId, isRunning, processRow } from './process/process-table.ts'
import { openStore } from './sessions/sqlite/open.ts'
import type { IsAlive, Owner, Store } from './sessions/store.ts'

export interface PlaceOptions {
  /** `process.env` when absent. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly home?: string
}

/** A gateway of another namespace of pids is taken for dead when it gave no sign for so long. */
const SILENT_MS = 60_000

const bootOf = (id: string): string => id.split('/', 1)[0] ?? id

/** Pids of another boot are gone; those of another namespace mean nothing here. */
const isAlive: IsAlive = (owner) => {
  const here = bootId()
  if (owner.bootId === here) return isRunning(owner)
  return bootOf(owner.bootId) === bootOf(here) && Date.now() - owner.seenAt < SILENT_MS
}

const self = (): Omit<Owner, 'seenAt'> => ({
  id: randomUUID(),
  pid: process.pid,
  startTime: processRow(process.pid)?.startTime ?? 0,
  bootId: bootId(),
})

export const storeFile = (state: string): string => join(state, 'sessions.db')

/** Opened when something is first asked of it, so that a command without sessions needs no database. */
export const lazyStore = (state: string, log: Logger): Store => {
  let store: Store | undefined
  let closed = false
  const open = (): Store =>
    (store ??= openStore({
      file: storeFile(state),
      owner: self(),
      isAlive,
      warn: (message) => log.warn({}, message),
    }))
  const close = (): void => {
    closed = true
    store?.[Symbol.dispose]()
  }
  return new Proxy({} as Store, {
    get: (_, key) => {
      if (key === Symbol.dispose) return close
      return Reflect.get(closed && store === undefined ? {} : open(), key)
    },
  })
}

/** For commands that only read, also what other processes write just now; undefined when there is no database yet. */
export const openReader = ({ env = process.env, home = homedir() }: PlaceOptions = {}): Store | undefined => {
  const file = storeFile(stateDir(home, env))
  return existsSync(file) ? openStore({ file, owner: self(), isAlive, readOnly: true }) : undefined
}

/** For commands that change what is stored without running anything; undefined when there is no database yet. */
export const openWriter = ({ env = process.env, home = homedir() }: PlaceOptions = {}): Store | undefined => {
  const file = storeFile(stateDir(home, env))
  return existsSync(file) ? openStore({ file, owner: self(), isAlive }) : undefined
}

export { followStored } from './sessions/cursor.ts'
export { lookUp } from './sessions/lookup.ts'
export { advanceOutput, NO_OUTPUT, outputText } from './sessions/output.ts'
export type { ListedSession, Store, StoredRun } from './sessions/store.ts'
