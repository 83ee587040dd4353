/** Sessions as they go on: published, appended to, read, and held by one process at a time. */
import { SubagentError } from '../../contract/errors.ts'
import type { LogEntry } from '../../contract/events.ts'
import type { SessionId } from '../../contract/ids.ts'
import { IllegalOrder } from '../automaton.ts'
import { LetterTaken } from '../letter-taken.ts'
import { prefixLength } from '../prefix.ts'
import type { SessionStore, Together } from '../store.ts'
import { answer, soon } from './core.ts'
import type { Core } from './core.ts'
import { EntriesJob } from './entries-job.ts'
import { readEvents } from './event-rows.ts'
import type { LogSpan } from './event-rows.ts'
import { Held } from './held.ts'
import { hasLetter } from './letters.ts'
import { enter, livingOwner } from './owners.ts'
import { headerOf, sessionRow, storedOf } from './session-rows.ts'
import type { SessionRow } from './session-rows.ts'

const busy = (id: SessionId, why: string): SubagentError =>
  new SubagentError(
    'SESSION_BUSY',
    'session',
    `Session ${id} can't be taken up: ${why}. Wait until its run has settled, or end it.`,
    { sessionId: id },
  )

/** In a transaction: makes the session this process's. */
export const hold = ({ connection, self }: Core, row: SessionRow): void => {
  connection.run('update sessions set owner = ? where key = ?', self.id, row.key)
}

export const heldFrom = (row: SessionRow): Held => new Held({ ...storedOf(row), key: row.key })

const claimable = (core: Core, id: SessionId): SessionRow => {
  const row = sessionRow(core.connection, id)
  if (row === undefined) {
    const message = `There is no session ${id} in the store. List the sessions that there are.`
    throw new SubagentError('SESSION_NOT_FOUND', 'session', message, { sessionId: id })
  }
  const owner = livingOwner(core, row.owner)
  if (owner !== undefined && owner.id !== core.self.id) throw busy(id, `process ${owner.pid} holds it open`)
  if (row.open_run !== null) throw busy(id, 'a run of it is open')
  return row
}

const claim = async (core: Core, id: SessionId): Promise<void> => {
  const held = core.held.get(id)
  if (held !== undefined && held.fault === undefined) {
    if (held.registers.openRun !== undefined) throw busy(id, 'a run of it is open')
    held.released = false
    return
  }
  const row = await answer(core, () => {
    const found = claimable(core, id)
    enter(core)
    hold(core, found)
    return found
  })
  if (core.held.get(id)?.fault !== undefined || !core.held.has(id)) core.held.set(id, heldFrom(row))
}

/** What may be appended to: what this process holds; in memory, whatever there is. */
const mustHold = (core: Core, id: SessionId): Held => {
  const held = core.held.get(id)
  if (held !== undefined) return held
  const row = core.inMemory ? sessionRow(core.connection, id) : undefined
  if (row === undefined) throw new IllegalOrder(`Session ${id} is not held by this process.`)
  hold(core, row)
  const taken = heldFrom(row)
  core.held.set(id, taken)
  return taken
}

const checkLetters = ({ connection }: Core, held: Held, { deliver = [] }: Together): void => {
  for (const letter of deliver) {
    const there = connection.read(() => hasLetter(connection, held.id, letter))
    if (!there || held.delivering.has(letter)) throw new LetterTaken(letter)
  }
}

const release = (core: Core, id: SessionId): void => {
  const held = core.held.get(id)
  if (held === undefined) return
  const { connection, self } = core
  held.released = true
  const gone = (): void => {
    if (!held.released || core.held.get(id) !== held) return
    core.held.delete(id)
    core.tails.drop(id)
    core.feed.look()
  }
  const write = (): void => {
    if (held.released)
      connection.run('update sessions set owner = null where id = ? and owner = ?', id, self.id)
  }
  if (connection.isOpen) soon(core, write, gone)
  else gone()
}

/** Of a session that is held here it is known without a query. */
const spanOf = ({ connection, held }: Core, id: SessionId): LogSpan | undefined => {
  const here = held.get(id)
  if (here !== undefined) {
    const { key, header, committed } = here
    return key === undefined ? undefined : { key, prefix: header.prefix, lastSeq: committed }
  }
  const row = sessionRow(connection, id)
  return row && { key: row.key, prefix: headerOf(row).prefix, lastSeq: row.last_seq }
}

const read = (core: Core, id: SessionId, after: number, limit: number): readonly LogEntry[] => {
  const { connection, held, tails } = core
  const here = held.get(id)
  if (here !== undefined) {
    if (here.key === undefined || after >= here.committed) return []
    const tail = tails.read(id, after, limit)
    if (tail !== undefined) return tail
  }
  return connection.read(() => {
    const span = spanOf(core, id)
    return span === undefined ? [] : readEvents(connection, span, after, limit)
  })
}

export const sessionStore = (core: Core): SessionStore => {
  const { connection, queue, held, feed } = core
  /** Of each session the job that further entries can join. */
  const open = new Map<SessionId, EntriesJob>()

  const add = (job: EntriesJob, session: Held, urgent: boolean): void => {
    queue.add(job, urgent || core.inMemory)
    if (session.fault !== undefined) throw session.fault
  }

  return {
    publish: (header, entries, registers, together) => {
      const lastSeq = prefixLength(header.prefix)
      const session = new Held({ header, registers, lastSeq })
      const job = new EntriesJob(core, session, true)
      session.check(entries)
      for (const entry of entries) job.add(entry, registers, entry === entries.at(-1) ? together : undefined)
      const before = held.get(header.id)
      held.set(header.id, session)
      try {
        add(job, session, true)
      } catch (error) {
        if (before === undefined) held.delete(header.id)
        else held.set(header.id, before)
        throw error
      }
    },
    append: (id, given, registers, urgent, together) => {
      const entries: readonly LogEntry[] = 'seq' in given ? [given] : given
      const session = mustHold(core, id)
      session.check(entries)
      if (together !== undefined) checkLetters(core, session, together)
      const joined = open.get(id)
      const joins = joined?.takes(session) === true
      const job = joins ? joined : new EntriesJob(core, session, false)
      for (const entry of entries) job.add(entry, registers, entry === entries.at(-1) ? together : undefined)
      if (joins) {
        queue.hurry(urgent || core.inMemory)
        if (session.fault !== undefined) throw session.fault
        return
      }
      open.set(id, job)
      add(job, session, urgent)
      if (job.over) open.delete(id)
    },
    flushed: (id) => {
      const here = held.get(id)
      if (here === undefined) return Promise.resolve()
      const flushed = here.flushed()
      // Somebody waits, so the rest of a burst doesn't.
      if (here.jobs > 0) queue.hurry(true)
      return flushed
    },
    get: (id) => {
      const here = held.get(id)
      if (here !== undefined) {
        const { header, registers, committed } = here
        return here.exists ? { header, registers, lastSeq: committed } : undefined
      }
      const row = connection.read(() => sessionRow(connection, id))
      return row && storedOf(row)
    },
    read: (id, after, limit) => read(core, id, after, limit),
    claim: (id) => claim(core, id),
    release: (id) => {
      open.delete(id)
      release(core, id)
    },
    onCommit: (id, listener) => feed.onCommit(id, listener),
    onFault: (id, listener) => feed.faults.add(id, listener),
  }
}
