/** One store of the parts that share a connection. */
import { SubagentError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { IsAlive, Owner, Store } from '../store.ts'
import { Checkpoints } from './checkpoints.ts'
import type { Connection } from './connection.ts'
import { answerNow } from './core.ts'
import type { Core } from './core.ts'
import { Feed } from './feed.ts'
import type { Held } from './held.ts'
import { intake } from './intake.ts'
import { keyLedger } from './keys.ts'
import { mailbox } from './letters.ts'
import { nameLedger } from './names.ts'
import { bootClock, OwnerWatch } from './owner-watch.ts'
import type { WatchClock } from './owner-watch.ts'
import { leave, startHeartbeat } from './owners.ts'
import { recovery } from './recovery.ts'
import { removal } from './removal.ts'
import { sessionIndex } from './session-index.ts'
import { sessionStore } from './sessions.ts'
import { slotLedger } from './slots.ts'
import { Tails } from './tail.ts'
import { WriteQueue } from './write-queue.ts'

export interface CoreOptions {
  readonly owner: Omit<Owner, 'seenAt'>
  readonly isAlive: IsAlive
  readonly now: () => number
  readonly inMemory: boolean
  /** By which processes are watched that can't be looked at. */
  readonly clock?: WatchClock
  readonly warn: (message: string) => void
}

export const coreOf = (
  connection: Connection,
  { owner, warn, clock = bootClock(), ...rest }: CoreOptions,
): Core => {
  const held = new Map<SessionId, Held>()
  const threw = (error: unknown): void => warn(`A listener of the store of sessions failed: ${String(error)}`)
  const feed = new Feed(connection, (id) => held.has(id), rest.inMemory, threw)
  const checkpoints = rest.inMemory ? undefined : new Checkpoints(connection)
  const committed = (): void => {
    checkpoints?.committed()
    feed.committed()
  }
  const queue = new WriteQueue(connection, committed)
  const parts = { connection, queue, feed, held, committed, checkpoints }
  return {
    ...rest,
    ...parts,
    tails: new Tails(),
    watch: new OwnerWatch(clock),
    tickets: new Set(),
    self: owner,
    presence: { entered: false },
  }
}

/** At the end what waits is tried so often, some 10 ms each, before it is given up. */
const LAST_TRIES = 100
const LAST_MS = 10

const close = (core: Core): void => {
  const { connection, queue, self } = core
  if (!connection.isOpen) return
  for (let tries = 0; tries < LAST_TRIES && !queue.flush(LAST_MS); tries += 1);
  queue.giveUp(
    new SubagentError(
      'CLOSED',
      'session',
      'The store of sessions was closed before this could be written.',
      {},
    ),
  )
  try {
    if (core.presence.entered) answerNow(core, () => leave(core, self.id))
  } catch {
    // What it leaves is free as soon as its process is gone.
  }
  core.feed[Symbol.dispose]()
  core.checkpoints?.[Symbol.dispose]()
  connection[Symbol.dispose]()
}

export const assemble = (core: Core): Store => {
  const heartbeat = startHeartbeat(core)
  return {
    ...sessionStore(core),
    ...sessionIndex(core),
    ...recovery(core),
    ...removal(core),
    ...intake(core),
    ...mailbox(core),
    ...slotLedger(core),
    ...keyLedger(core),
    ...nameLedger(core),
    [Symbol.dispose]: () => {
      heartbeat[Symbol.dispose]()
      close(core)
    },
  }
}
