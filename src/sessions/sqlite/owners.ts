/** The gateway processes that have the database open, and which of them still live. */
import type { Owner } from '../store.ts'
import { soon } from './core.ts'
import type { Core } from './core.ts'

interface OwnerRow {
  readonly id: string
  readonly pid: number
  readonly start_time: number
  readonly boot_id: string
  readonly seen_at: number
  readonly watched_seen: number | null
  readonly watched_since: number | null
  readonly watched_clock: string | null
}

const ownerOf = (row: OwnerRow): Owner => ({
  id: row.id,
  pid: row.pid,
  startTime: row.start_time,
  bootId: row.boot_id,
  seenAt: row.seen_at,
  ...(row.watched_seen !== null && {
    sighting: { seenAt: row.watched_seen, since: row.watched_since ?? 0, clock: row.watched_clock ?? '' },
  }),
})

const HEARTBEAT_MS = 10_000

/** Before anything in its name is written; in the transaction that is open. */
export const enter = ({ connection, self, now, presence }: Core): void => {
  presence.entered = true
  connection.run(
    `insert into owners (id, pid, start_time, boot_id, seen_at) values (?, ?, ?, ?, ?)
    on conflict (id) do update set seen_at = excluded.seen_at where excluded.seen_at - seen_at > ${HEARTBEAT_MS}`,
    self.id,
    self.pid,
    self.startTime,
    self.bootId,
    now(),
  )
}

export const ownerRow = ({ connection }: Core, id: string): Owner | undefined => {
  const row = connection.one<OwnerRow>('select * from owners where id = ?', id)
  return row && ownerOf(row)
}

/** The owner, if it lives. One without a row has left. */
export const livingOwner = (core: Core, id: string | null): Owner | undefined => {
  if (id === null) return undefined
  const { self, now, isAlive, watch } = core
  if (id === self.id) return { ...self, seenAt: now() }
  const owner = ownerRow(core, id)
  return owner !== undefined && (isAlive(owner) ?? !watch.isDead(owner)) ? owner : undefined
}

/** Those that can only be watched. */
export const watchedOwners = ({ connection, isAlive, self }: Core): readonly Owner[] =>
  connection
    .all<OwnerRow>('select * from owners where id <> ?', self.id)
    .map(ownerOf)
    .filter((owner) => isAlive(owner) === undefined)

/** In the transaction that is open: whoever looks next goes on watching where this process ends. */
export const leaveSightings = (core: Core, owners: readonly Owner[]): void => {
  for (const owner of owners) {
    const news = core.watch.news(owner)
    if (news === undefined) continue
    core.connection.run(
      `update owners set watched_seen = ?, watched_since = ?, watched_clock = ? where id = ? and seen_at = ?`,
      news.seenAt,
      news.since,
      news.clock,
      owner.id,
      news.seenAt,
    )
  }
}

/** Each owner is judged once for one question. */
export const judge = (core: Core): ((id: string | null) => Owner | undefined) => {
  const known = new Map<string | null, Owner | undefined>()
  return (id) => {
    if (!known.has(id)) known.set(id, livingOwner(core, id))
    return known.get(id)
  }
}

/** In the transaction that is open: what the owner held is free, and the owner forgotten. */
export const leave = ({ connection }: Core, id: string): void => {
  connection.run('delete from slots where owner = ?', id)
  connection.run('delete from keys where owner = ? and run is null', id)
  connection.run('delete from names where owner = ?', id)
  connection.run('update logs set removed = 1, arriving = null where arriving = ?', id)
  connection.run('update sessions set owner = null where owner = ?', id)
  connection.run('delete from owners where id = ?', id)
}

/** Says now and then that this process lives, while it holds something: those of other namespaces see nothing else. */
export const startHeartbeat = (core: Core): Disposable => {
  const beat = (): void => {
    const { connection, held, tickets, self, now } = core
    if (held.size === 0 && tickets.size === 0) return
    soon(core, () => {
      connection.run('update owners set seen_at = ? where id = ?', now(), self.id)
    })
  }
  const timer = setInterval(beat, HEARTBEAT_MS).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
