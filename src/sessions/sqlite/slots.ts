/** Slots as rows: counted over all living processes, with one queue that the processes share. */
import type { SessionId } from '../../contract/ids.ts'
import { monotonicMs } from '../../contract/monotonic.ts'
import { present } from '../../contract/present.ts'
import type { SlotClaim, SlotLedger, SlotLimits, WaitingStart } from '../ledgers.ts'
import type { Owner } from '../store.ts'
import { answerNow, soon } from './core.ts'
import type { Core } from './core.ts'
import { lockedFault } from './faults.ts'
import { enter, judge, ownerRow } from './owners.ts'
import { BUSY } from './patience.ts'
import { couldRun, heldBack } from './slot-queue.ts'
import type { Counted, Pauses, SlotRow } from './slot-queue.ts'

/** Those of dead processes count for nobody. */
const sweepDead = (core: Core): void => {
  const { connection } = core
  const living = judge(core)
  for (const { owner } of connection.all<{ owner: string }>('select distinct owner from slots')) {
    if (living(owner) === undefined) connection.run('delete from slots where owner = ?', owner)
  }
}

/** `active` is 0 for what waits, 1 for what has a slot, and this for what has lent its own by its process's word. */
const LENT_OUT = 2

/** A session with a child in the ledger has lent its slot. */
const LENT = 'exists (select 1 from slots as child where child.parent_id = slots.session_id)'

const count = ({ connection }: Core): Counted => {
  const rows = connection.all<{ provider: string; n: number }>(
    `select provider, count(*) as n from slots where active = 1 and not ${LENT} group by provider`,
  )
  const own = new Map(rows.map(({ provider, n }) => [provider, n]))
  return { total: rows.reduce((sum, { n }) => sum + n, 0), own: (provider) => own.get(provider) ?? 0 }
}

const pauses = ({ connection, now }: Core): Pauses => {
  const query = 'select provider from pauses where until > ?'
  const paused = new Set(connection.all<{ provider: string }>(query, now()).map(({ provider }) => provider))
  return (provider) => paused.has(provider)
}

const pauseOf = ({ connection }: Core, provider: string, now: number): number | undefined => {
  const query = 'select until from pauses where provider = ? and until > ?'
  return connection.one<{ until: number }>(query, provider, now)?.until
}

/** A process whose sign of life stands still for so long holds up nobody. */
const SILENT_MS = 30_000

interface WaitingRow extends SlotRow {
  readonly session_id: SessionId
  readonly parent_id: SessionId | null
  readonly owner: string
  readonly since: number | null
}

const waiting = ({ connection }: Core): readonly WaitingRow[] =>
  connection.all<WaitingRow>('select * from slots where active = 0 order by comes_back desc, place')

/** Each process is looked at once for one question. */
const silence = (core: Core): ((row: WaitingRow) => boolean) => {
  const known = new Map<string, boolean>()
  return ({ owner }) => {
    const before = known.get(owner)
    if (before !== undefined) return before
    const row = owner === core.self.id ? undefined : ownerRow(core, owner)
    const silent = row !== undefined && core.watch.silentMs(row) >= SILENT_MS
    known.set(owner, silent)
    return silent
  }
}

/** The claim uses the slot that its parent, in another process, has lent and nobody else uses. */
const usesLent = ({ connection }: Core, { parentId }: SlotClaim): boolean =>
  parentId !== undefined &&
  connection.one('select 1 from slots where session_id = ? and active = 1', parentId) !== undefined &&
  connection.one('select 1 from slots where parent_id = ? and active = 1', parentId) === undefined

const enqueue = (core: Core, claim: SlotClaim, limits: SlotLimits): void => {
  const { connection, self, now } = core
  enter(core)
  connection.run(
    `insert into slots
      (ticket, provider, session_id, parent_id, owner, active, comes_back, total_limit, provider_limit, since)
    values (?, ?, ?, ?, ?, 0, ?, ?, ?, ?)
    on conflict (ticket) do update
    set active = 0, comes_back = excluded.comes_back, total_limit = excluded.total_limit, provider_limit = excluded.provider_limit
    where active = ${LENT_OUT} or active = 0 and (comes_back, total_limit, ifnull(provider_limit, -1)) <>
      (excluded.comes_back, excluded.total_limit, ifnull(excluded.provider_limit, -1))`,
    claim.ticket,
    claim.provider,
    claim.sessionId,
    claim.parentId ?? null,
    self.id,
    claim.returning ? 1 : 0,
    Math.min(limits.total, Number.MAX_SAFE_INTEGER),
    Number.isFinite(limits.provider) ? limits.provider : null,
    now(),
  )
}

const take = (core: Core, claim: SlotClaim, limits: SlotLimits): boolean => {
  const { connection } = core
  sweepDead(core)
  enqueue(core, claim, limits)
  const counted = count(core)
  const paused = pauses(core)
  const queue = waiting(core)
  const own = queue.find(({ ticket }) => ticket === claim.ticket)
  // It has its slot already.
  if (own === undefined) return true
  if (!couldRun(own, counted, paused)) return false
  if (!usesLent(core, claim) && heldBack(own, queue, counted, paused, silence(core))) return false
  connection.run('update slots set active = 1 where ticket = ?', claim.ticket)
  return true
}

const waitingStart = (core: Core, row: WaitingRow, owner: Owner | undefined): WaitingStart | undefined => {
  if (owner === undefined) return undefined
  const { provider, session_id: sessionId, parent_id, since } = row
  const until = pauseOf(core, provider, core.now())
  const place = { provider, sessionId, pid: owner.pid, ...present({ parentId: parent_id ?? undefined }) }
  return {
    ...place,
    ...present({ since: since ?? undefined, until }),
    reason: until === undefined ? 'capacity' : 'paused',
  }
}

/** Since when no claim could be made, for the lock of another program. */
interface Locked {
  since: number | undefined
}

const LOCKED_MS = 30_000

export const slotLedger = (core: Core, locked: Locked = { since: undefined }): SlotLedger => ({
  takeSlot: (claim, limits) => {
    const taken = answerNow(core, () => take(core, claim, limits))
    if (taken !== BUSY) {
      core.tickets.add(claim.ticket)
      locked.since = undefined
      return taken
    }
    locked.since ??= monotonicMs()
    if (monotonicMs() - locked.since >= LOCKED_MS) throw lockedFault(core.connection.file)
    return undefined
  },
  lendSlot: (ticket) => {
    soon(core, () => {
      core.connection.run('update slots set active = ? where ticket = ? and active = 1', LENT_OUT, ticket)
    })
  },
  giveSlot: (ticket) => {
    if (!core.tickets.delete(ticket)) return
    soon(core, () => {
      core.connection.run('delete from slots where ticket = ?', ticket)
    })
  },
  pauseProvider: (provider, until) => {
    soon(core, () => {
      core.connection.run(
        `insert into pauses (provider, until) values (?, ?)
        on conflict do update set until = excluded.until where excluded.until > until`,
        provider,
        until,
      )
    })
  },
  pausedUntil: (provider, now) => core.connection.read(() => pauseOf(core, provider, now)),
  load: () =>
    core.connection.read(() => {
      const living = judge(core)
      const query = `select owner, active, ${LENT} as lent from slots`
      const rows = core.connection
        .all<{ owner: string; active: number; lent: number }>(query)
        .filter(({ owner }) => living(owner) !== undefined)
      return {
        active: rows.filter(({ active, lent }) => active === 1 && lent === 0).length,
        queued: rows.filter(({ active }) => active === 0).length,
      }
    }),
  waiting: () =>
    core.connection.read(() => {
      const living = judge(core)
      // What comes back has started before.
      const starts = waiting(core).filter(({ comes_back }) => comes_back === 0)
      return starts.flatMap((row) => waitingStart(core, row, living(row.owner)) ?? [])
    }),
})
