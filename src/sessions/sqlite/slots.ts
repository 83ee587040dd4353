/** Slots as rows: counted over all living processes, with one queue that the processes share. */
import type { SlotClaim, SlotLedger, SlotLimits } from '../store.ts'
import { answerNow, soon } from './core.ts'
import type { Core } from './core.ts'
import { enter, judge } from './owners.ts'
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

const waiting = ({ connection }: Core): readonly SlotRow[] =>
  connection.all<SlotRow>(
    `select slots.*, owners.seen_at from slots left join owners on owners.id = slots.owner
    where active = 0 order by comes_back desc, place`,
  )

/** The claim uses the slot that its parent, in another process, has lent and nobody else uses. */
const usesLent = ({ connection }: Core, { parentId }: SlotClaim): boolean =>
  parentId !== undefined &&
  connection.one('select 1 from slots where session_id = ? and active = 1', parentId) !== undefined &&
  connection.one('select 1 from slots where parent_id = ? and active = 1', parentId) === undefined

const enqueue = (core: Core, claim: SlotClaim, limits: SlotLimits): void => {
  const { connection, self } = core
  enter(core)
  connection.run(
    `insert into slots
      (ticket, provider, session_id, parent_id, owner, active, comes_back, total_limit, provider_limit)
    values (?, ?, ?, ?, ?, 0, ?, ?, ?)
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
  )
}

const take = (core: Core, claim: SlotClaim, limits: SlotLimits): boolean => {
  const { connection, now } = core
  sweepDead(core)
  enqueue(core, claim, limits)
  const counted = count(core)
  const paused = pauses(core)
  const queue = waiting(core)
  const own = queue.find(({ ticket }) => ticket === claim.ticket)
  // It has its slot already.
  if (own === undefined) return true
  if (!couldRun(own, counted, paused)) return false
  if (!usesLent(core, claim) && heldBack(own, queue, counted, paused, now())) return false
  connection.run('update slots set active = 1 where ticket = ?', claim.ticket)
  return true
}

export const slotLedger = (core: Core): SlotLedger => ({
  takeSlot: (claim, limits) => {
    core.tickets.add(claim.ticket)
    const taken = answerNow(core, () => take(core, claim, limits))
    if (taken !== BUSY) return taken
    // It has its place in the queue all the same, and hears of the change when it can try again.
    soon(core, () => {
      if (core.tickets.has(claim.ticket)) enqueue(core, claim, limits)
    })
    return false
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
  pausedUntil: (provider, now) => {
    const { connection } = core
    const query = 'select until from pauses where provider = ? and until > ?'
    return connection.read(() => connection.one<{ until: number }>(query, provider, now)?.until)
  },
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
})
