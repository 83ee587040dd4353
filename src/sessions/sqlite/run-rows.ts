/** The index of runs, kept up with the edges of each log. */
import type { LogEntry } from '../../contract/events.ts'
import type { RunId, SessionId } from '../../contract/ids.ts'
import { present } from '../../contract/present.ts'
import type { RunStatus, Usage } from '../../contract/result.ts'
import type { StoredRun } from '../store.ts'
import type { Connection } from './connection.ts'

interface RunRow {
  readonly id: RunId
  readonly session_id: SessionId
  readonly provider: string
  readonly depth: number
  readonly parent_id: SessionId | null
  readonly label: string | null
  readonly first_seq: number
  readonly last_seq: number | null
  readonly started_at: number
  readonly settled_at: number | null
  readonly status: RunStatus | null
  readonly usage: string | null
}

const runOf = (row: RunRow): StoredRun => ({
  id: row.id,
  sessionId: row.session_id,
  provider: row.provider,
  depth: row.depth,
  firstSeq: row.first_seq,
  startedAt: row.started_at,
  ...present({
    parentSessionId: row.parent_id ?? undefined,
    label: row.label ?? undefined,
    lastSeq: row.last_seq ?? undefined,
    settledAt: row.settled_at ?? undefined,
    status: row.status ?? undefined,
    usage: row.usage === null ? undefined : (JSON.parse(row.usage) as Usage),
  }),
})

/** In the transaction of the entry. */
export const indexRun = (connection: Connection, log: number, { seq, at, runId, event }: LogEntry): void => {
  if (runId === undefined) return
  if (event.type === 'run/started') {
    connection.run(
      `insert or replace into runs (id, log, provider, depth, parent_id, label, first_seq, started_at)
      values (?, ?, ?, ?, ?, ?, ?, ?)`,
      runId,
      log,
      event.provider,
      event.depth,
      event.parentSessionId ?? null,
      event.label ?? null,
      seq,
      at,
    )
  } else if (event.type === 'run/settled') {
    connection.run(
      'update runs set last_seq = ?, settled_at = ?, status = ?, usage = ? where id = ? and log = ?',
      seq,
      at,
      event.status,
      event.usage === undefined ? null : JSON.stringify(event.usage),
      runId,
      log,
    )
  }
}

const SELECT = 'select runs.*, logs.id as session_id from runs join logs on logs.key = runs.log'

export const runById = (connection: Connection, id: RunId): StoredRun | undefined => {
  const row = connection.one<RunRow>(`${SELECT} where runs.id = ? limit 1`, id)
  return row && runOf(row)
}

export const runsOf = (connection: Connection, id: SessionId): readonly StoredRun[] =>
  connection.all<RunRow>(`${SELECT} where logs.id = ? order by runs.first_seq`, id).map(runOf)

const NEWEST = `${SELECT} join json_each(?) as wanted on wanted.value = runs.log
  where runs.first_seq = (select max(first_seq) from runs as own where own.log = wanted.value)`

/** The newest run of each of these logs that has one, by the log's key; in one query, as lists are long. */
export const newestRuns = (connection: Connection, logs: readonly number[]): ReadonlyMap<number, StoredRun> =>
  new Map(
    connection
      .all<RunRow & { readonly log: number }>(NEWEST, JSON.stringify(logs))
      .map((row) => [row.log, runOf(row)]),
  )
