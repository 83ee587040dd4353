/** Events as rows: written once, read in pages across the logs that a fork shares. */
import type { LogEntry, SessionEvent } from '../../contract/events.ts'
import type { RunId } from '../../contract/ids.ts'
import type { PrefixPart } from '../store.ts'
import type { Connection } from './connection.ts'
import { logKey } from './session-rows.ts'
import type { SessionRow } from './session-rows.ts'

interface EventRow {
  readonly seq: number
  readonly at: number
  readonly run: RunId | null
  readonly event: string
}

/** An entry with its event as it is stored. */
export interface Line {
  readonly entry: LogEntry
  readonly text: string
}

export const lineOf = (entry: LogEntry): Line => ({ entry, text: JSON.stringify(entry.event) })

export const insertEvent = (connection: Connection, log: number, { entry, text }: Line): void => {
  connection.run(
    'insert into events (log, seq, at, run, event) values (?, ?, ?, ?, ?)',
    log,
    entry.seq,
    entry.at,
    entry.runId ?? null,
    text,
  )
}

const entryOf = ({ seq, at, run, event }: EventRow): LogEntry => ({
  seq,
  at,
  ...(run !== null && { runId: run }),
  event: JSON.parse(event) as SessionEvent,
})

const page = (
  connection: Connection,
  log: number,
  after: number,
  through: number,
  limit: number,
): readonly LogEntry[] =>
  connection
    .all<EventRow>(
      'select seq, at, run, event from events where log = ? and seq > ? and seq <= ? order by seq limit ?',
      log,
      after,
      through,
      limit,
    )
    .map(entryOf)

/** A shared event has the same `seq` in the log that holds it. */
export const readEvents = (
  connection: Connection,
  { key, prefix, last_seq: last }: SessionRow,
  after: number,
  limit: number,
): readonly LogEntry[] => {
  const entries: LogEntry[] = []
  let through = 0
  const take = (log: number | undefined): void => {
    const from = Math.max(after, entries.at(-1)?.seq ?? 0)
    if (log === undefined || from >= through || entries.length >= limit) return
    entries.push(...page(connection, log, from, through, limit - entries.length))
  }
  if (prefix !== '[]') {
    for (const { sessionId, count } of JSON.parse(prefix) as readonly PrefixPart[]) {
      through += count
      if (after < through) take(logKey(connection, sessionId))
    }
  }
  through = last
  take(key)
  return entries
}
