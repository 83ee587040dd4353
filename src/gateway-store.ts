/** The user's one database of sessions, as this process opens it: at first use, or for reading alone. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { outputsDir, removeOutputs } from './agent/large-outputs.ts'
import { stateDir } from './config/paths.ts'
import type { SessionId } from './contract/ids.ts'
import type { Logger } from './contract/logger.ts'
import { bootId, isRunning, processRow } from './process/process-table.ts'
import type { importSessions as ImportSessions } from './sessions/exchange/import.ts'
import { openStore } from './sessions/sqlite/open.ts'
import type { IsAlive, Owner, Store } from './sessions/store.ts'

export interface PlaceOptions {
  /** `process.env` when absent. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly home?: string
}

const bootOf = (id: string): string => id.split('/', 1)[0] ?? id

/** Pids of another boot are gone; those of another namespace mean nothing here, so that their signs are watched. */
const isAlive: IsAlive = (owner) => {
  const here = bootId()
  if (owner.bootId === here) return isRunning(owner)
  return bootOf(owner.bootId) === bootOf(here) ? undefined : false
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

/** For commands that may be the first to store something. */
export const openOrMake = ({ env = process.env, home = homedir() }: PlaceOptions = {}): Store =>
  openStore({ file: storeFile(stateDir(home, env)), owner: self(), isAlive })

/** Loaded when it is called: what checks a file is of no use to other commands. */
export const importSessions: typeof ImportSessions = async (...given) =>
  (await import('./sessions/exchange/import.ts')).importSessions(...given)

/** What was taken up meanwhile stays. Their large outputs go with them. */
export const removeSessions = async (
  ids: readonly SessionId[],
  place: PlaceOptions = {},
): Promise<readonly SessionId[]> => {
  const { env = process.env, home = homedir() } = place
  using store = openWriter(place)
  if (store === undefined) return []
  return removeFrom(store, stateDir(home, env), ids)
}

export const removeFrom = async (
  store: Pick<Store, 'remove'>,
  state: string,
  ids: readonly SessionId[],
): Promise<readonly SessionId[]> => {
  const removed = await store.remove(ids)
  await removeOutputs(outputsDir(state), removed)
  return removed
}

export { inOrder, prunable } from './sessions/pruning.ts'
export type { PruneRule } from './sessions/pruning.ts'
export { followStored } from './sessions/cursor.ts'
export { exportLines, treeOf } from './sessions/exchange/export.ts'
export type { Imported } from './sessions/exchange/import.ts'
export { lookUp } from './sessions/lookup.ts'
export { advanceOutput, NO_OUTPUT, outputText } from './sessions/output.ts'
export type { WaitingStart } from './sessions/ledgers.ts'
export type { ListedSession, Store, StoredRun } from './sessions/store.ts'
