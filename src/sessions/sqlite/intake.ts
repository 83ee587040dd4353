/** Takes sessions in from elsewhere, with their whole logs. */
import { randomUUID } from 'node:crypto'
import { SubagentError } from '../../contract/errors.ts'
import type { LogEntry } from '../../contract/events.ts'
import { sessionId } from '../../contract/ids.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { Arrival, Intake, PrefixPart, SessionHeader } from '../store.ts'
import type { Connection } from './connection.ts'
import { answer } from './core.ts'
import type { Core } from './core.ts'
import { insertEvent, lineOf } from './event-rows.ts'
import { indexRun } from './run-rows.ts'
import { insertSession, logKey } from './session-rows.ts'

const taken = (id: SessionId): SubagentError =>
  new SubagentError(
    'INVALID_REQUEST',
    'request',
    `A session ${id} is stored here already. Nothing was imported; import it under ids of its own with --new-ids.`,
    { field: '--new-ids' },
  )

/** What was shared elsewhere gets a log of its own, which lasts as long as somebody shares it. */
const insertShared = (connection: Connection, entries: readonly LogEntry[]): readonly PrefixPart[] => {
  if (entries.length === 0) return []
  const id = sessionId(`inherited_${randomUUID()}`)
  const log = connection.run('insert into logs (id) values (?)', id).id
  for (const entry of entries) insertEvent(connection, log, lineOf(entry))
  return [{ sessionId: id, count: entries.length }]
}

/** A name that is in use stays with who has it. */
const free = (connection: Connection, { name, ...header }: Arrival['header']): Arrival['header'] => {
  if (name === undefined) return header
  const query = 'select 1 from sessions where name = ? and provider = ? and cwd = ? limit 1'
  return connection.one(query, name, header.provider, header.cwd) === undefined ? { ...header, name } : header
}

const insert = ({ connection }: Core, { header: arrived, inherited, entries, registers }: Arrival): void => {
  const { id, createdAt } = arrived
  // Its log may be there still, where a copy shares it.
  if (logKey(connection, id) !== undefined) throw taken(id)
  const prefix = insertShared(connection, inherited)
  const header: SessionHeader = { ...free(connection, arrived), prefix }
  const last = entries.at(-1)
  const key = insertSession(connection, {
    header,
    registers,
    lastSeq: inherited.length + entries.length,
    at: last?.at ?? createdAt,
  })
  for (const entry of entries) {
    insertEvent(connection, key, lineOf(entry))
    indexRun(connection, key, entry)
  }
}

export const intake = (core: Core): Intake => ({
  take: (arrivals) =>
    answer(core, () => {
      for (const arrival of arrivals) insert(core, arrival)
    }),
})
