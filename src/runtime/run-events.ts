/** The events of one run, from `run/started` to `run/settled` (law 7). */
import type { LogEntry } from '../contract/events.ts'
import type { RunId } from '../contract/ids.ts'
import { follow, nothing } from '../sessions/cursor.ts'
import type { SessionLog } from '../sessions/session-log.ts'
import type { SessionStore } from '../sessions/store.ts'
import type { RunJournal } from './run-journal.ts'

/** Where a run's events lie in its session's log. */
export type RunSpan = Readonly<Pick<RunJournal, 'firstSeq' | 'lastSeq' | 'unwritten'>>

export interface EventOptions {
  readonly after?: number
  readonly signal?: AbortSignal
}

export const runEvents = (
  store: SessionStore,
  log: SessionLog,
  { firstSeq, lastSeq, unwritten }: RunSpan,
  run: RunId,
  { after = 0, signal }: EventOptions,
): AsyncIterable<LogEntry> => {
  const from = Math.max(after, firstSeq - 1)
  if (lastSeq !== undefined && from >= lastSeq) return nothing()
  return follow(store, log, {
    after: from,
    isLast: ({ event, runId }) => event.type === 'run/settled' && runId === run,
    signal: AbortSignal.any([unwritten, ...(signal === undefined ? [] : [signal])]),
  })
}
