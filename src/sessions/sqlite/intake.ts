/** Takes sessions in from elsewhere, with their whole logs. */
import { randomUUID } from 'node:crypto'
import { SubagentError } from '../../contract/errors.ts'
import type { LogEntry } from '../../contract/events.ts'
import { sessionId } from '../../contract/ids.ts'
import type { SessionId } from '../../contract/ids.ts'
import { present } from '../../contract/present.ts'
import type { Arrival, Intake, PrefixPart, SessionHeader } from '../store.ts'
import type { Connection } from './connection.ts'
import { answer } from './core.ts'
import type { Core } from './core.ts'
import { sweep } from './removal.ts'
import { indexRun } from './run-rows.ts'
import { insertSession, logKey } from './session-rows.ts'
import { discard, place, stage } from './staging.ts'

const taken = (id: SessionId): SubagentError =>
  new SubagentError(
    'INVALID_REQUEST',
    'request',
    `A session ${id} is stored here already. Nothing was imported; import it under ids of its own with --new-ids.`,
    { field: '--new-ids' },
  )

/** Where the logs of an arrival have been written. */
interface Staged {
  readonly own: number
  /** Absent where nothing was shared. */
  readonly shared?: number
}

/** What was shared elsewhere gets a log of its own, which lasts as long as somebody shares it. */
const placeShared = (core: Core, { inherited }: Arrival, { shared }: Staged): readonly PrefixPart[] => {
  if (shared === undefined) return []
  const id = sessionId(`inherited_${randomUUID()}`)
  place(core, shared, id, false)
  return [{ sessionId: id, count: inherited.length }]
}

/** A name that is in use stays with who has it. */
const free = (connection: Connection, { name, ...header }: Arrival['header']): Arrival['header'] => {
  if (name === undefined) return header
  const query = 'select 1 from sessions where name = ? and provider = ? and cwd = ? limit 1'
  return connection.one(query, name, header.provider, header.cwd) === undefined ? { ...header, name } : header
}

const insert = (core: Core, arrival: Arrival, staged: Staged): void => {
  const { connection } = core
  const { header: arrived, inherited, entries, registers } = arrival
  const { id, createdAt } = arrived
  // Its log may be there still, where a copy shares it.
  if (logKey(connection, id) !== undefined) throw taken(id)
  place(core, staged.own, id, true)
  const header: SessionHeader = {
    ...free(connection, arrived),
    prefix: placeShared(core, arrival, staged),
  }
  const log = insertSession(connection, {
    header,
    registers,
    lastSeq: inherited.length + entries.length,
    at: entries.at(-1)?.at ?? createdAt,
    log: staged.own,
  })
  for (const entry of entries) indexRun(connection, log, entry)
}

export const intake = (core: Core): Intake => ({
  take: async (arrivals) => {
    const staged: (Staged & { readonly arrival: Arrival })[] = []
    const written: number[] = []
    const write = async (entries: readonly LogEntry[]): Promise<number> => {
      const key = await stage(core, entries)
      written.push(key)
      return key
    }
    try {
      for (const arrival of arrivals) {
        const { inherited, entries } = arrival
        const shared = inherited.length === 0 ? undefined : await write(inherited)
        staged.push({ arrival, own: await write(entries), ...present({ shared }) })
      }
      await answer(core, () => {
        for (const each of staged) insert(core, each.arrival, each)
      })
    } catch (error) {
      discard(core, written)
      sweep(core)
      throw error
    }
  },
})
