/** Events as rows: written once, read in pages across the logs that a fork shares. */
import type { SQLInputValue } from 'node:sqlite'
import type { LogEntry, SessionEvent } from '../../contract/events.ts'
import type { RunId } from '../../contract/ids.ts'
import type { PrefixPart } from '../store.ts'
import type { Connection } from './connection.ts'
import { logKey } from './session-rows.ts'

type EventRow = readonly [seq: number, at: number, run: RunId | null, event: string]

/** An event as it is stored. */
export const textOf = ({ event }: LogEntry): string => JSON.stringify(event)

const COLUMNS = 5
const insertOf = (rows: number): string =>
  `insert into events (log, seq, at, run, event) values ${Array(rows).fill('(?, ?, ?, ?, ?)').join(', ')}`

/** Of many rows most go so many at once, which costs half. */
const MANY = 16
const INSERT_MANY = insertOf(MANY)
const INSERT_ONE = insertOf(1)

/** `texts` are those of the entries. */
export const insertEvents = (
  connection: Connection,
  log: number,
  entries: readonly LogEntry[],
  texts: readonly string[],
): void => {
  const many = entries.length - (entries.length % MANY)
  let values: SQLInputValue[] = []
  for (const [index, { seq, at, runId }] of entries.entries()) {
    values.push(log, seq, at, runId ?? null, texts[index]!)
    if (index < many && values.length < MANY * COLUMNS) continue
    connection.run(index < many ? INSERT_MANY : INSERT_ONE, ...values)
    values = []
  }
}

const entryOf = ([seq, at, run, text]: EventRow): LogEntry => {
  const event = JSON.parse(text) as SessionEvent
  return run === null ? { seq, at, event } : { seq, at, runId: run, event }
}

const page = (
  connection: Connection,
  log: number,
  after: number,
  through: number,
  limit: number,
): readonly LogEntry[] =>
  connection
    .tuples<EventRow>(
      'select seq, at, run, event from events where log = ? and seq > ? and seq <= ? order by seq limit ?',
      log,
      after,
      through,
      limit,
    )
    .map(entryOf)

/** Where a session's events lie. */
export interface LogSpan {
  readonly key: number
  readonly prefix: readonly PrefixPart[]
  readonly lastSeq: number
}

/** A shared event has the same `seq` in the log that holds it. */
export const readEvents = (
  connection: Connection,
  { key, prefix, lastSeq }: LogSpan,
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
  for (const { sessionId, count } of prefix) {
    through += count
    if (after < through) take(logKey(connection, sessionId))
  }
  through = lastSeq
  take(key)
  return entries
}
