/** What the parts of one open store share. */
import type { SessionId } from '../../contract/ids.ts'
import type { IsAlive, Owner } from '../store.ts'
import type { Checkpoints } from './checkpoints.ts'
import type { Connection } from './connection.ts'
import type { Feed } from './feed.ts'
import { closedStore, storeFault } from './faults.ts'
import type { Held } from './held.ts'
import { BUSY } from './patience.ts'
import type { OwnerWatch } from './owner-watch.ts'
import type { Tails } from './tail.ts'
import type { WriteQueue } from './write-queue.ts'

export interface Core {
  readonly connection: Connection
  readonly queue: WriteQueue
  readonly feed: Feed
  /** Sessions that this process holds open. */
  readonly held: Map<SessionId, Held>
  readonly tails: Tails
  /** Absent in memory. */
  readonly checkpoints: Checkpoints | undefined
  /** Called after each commit. */
  readonly committed: () => void
  /** Slot tickets of this process, also those that wait. */
  readonly tickets: Set<string>
  /** Whether this process has its row among the owners. */
  readonly presence: { entered: boolean }
  readonly self: Omit<Owner, 'seenAt'>
  readonly isAlive: IsAlive
  readonly watch: OwnerWatch
  readonly now: () => number
  /** Nobody else can open it. */
  readonly inMemory: boolean
}

/** What must be answered at once waits so long, with the event loop held: about as long as another's transaction takes. */
const ANSWER_MS = 1

/** A transaction in its turn, whose outcome the caller waits for; what `work` throws undoes it. */
export const answer = <T>({ connection, queue }: Core, work: () => T): Promise<T> => {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  let result: { readonly value: T } | undefined
  const write = (): void => {
    result = { value: work() }
  }
  const done = (): void => {
    if (result !== undefined) resolve(result.value)
  }
  if (connection.isOpen) queue.add({ weight: 1, write, done, failed: reject }, true)
  else reject(closedStore())
  return promise
}

/** The same at once, with `BUSY` when others hold the database for too long; what waits to be written goes first. */
export const answerNow = <T>({ connection, queue, committed }: Core, work: () => T): T | typeof BUSY => {
  if (!connection.isOpen) throw closedStore()
  if (queue.size > 0 && !queue.flush()) return BUSY
  try {
    const before = connection.totalChanges
    const result = connection.write(ANSWER_MS, work)
    if (result !== BUSY && connection.totalChanges !== before) committed()
    return result
  } catch (error) {
    throw storeFault(error, connection.file)
  }
}

/**
 * Writes at once where that can be, else soon; `over` hears when it is written, or never will be. Returns why it
 * never will be, where that is known at once.
 */
export const soon = (
  { connection, queue }: Core,
  write: () => void,
  over: (fault?: Error) => void = () => {},
): Error | undefined => {
  if (!connection.isOpen) return undefined
  let refused: Error | undefined
  const failed = (fault: Error): void => {
    refused = fault
    over(fault)
  }
  queue.add({ weight: 1, write, done: () => over(), failed }, true)
  return refused
}
