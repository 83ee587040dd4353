/** Ends the run that a file leaves open: its process is elsewhere, and no run of an imported session goes on. Pure. */
import { SubagentError } from '../../contract/errors.ts'
import type { LogEntry, RunSettled, SessionEvent } from '../../contract/events.ts'
import type { RunId } from '../../contract/ids.ts'
import type { Denial } from '../../contract/result.ts'
import { RunFold } from '../run-fold.ts'
import { advance, FRESH } from '../automaton.ts'
import type { LifecycleState } from '../automaton.ts'

const LOST =
  'The run was open in the file that this session was imported from. What it had written by then is kept; resume the session to go on.'

const deniedIn = (entries: readonly LogEntry[], run: RunId): readonly Denial[] => {
  const fold = new RunFold()
  for (const { event, runId } of entries) if (runId === run) fold.take(event)
  return fold.denied
}

export const interrupted = (durationMs: number, denied: readonly Denial[] = []): RunSettled => ({
  type: 'run/settled',
  status: 'interrupted',
  category: 'owner_lost',
  denied,
  error: new SubagentError('OWNER_LOST', 'prompt', LOST, {}).toJSON(),
  durationMs: Math.max(durationMs, 0),
})

/** The entries, and what ends the open run, at the time of the last one. */
export const settleOpen = (entries: readonly LogEntry[]): readonly LogEntry[] => {
  const state = entries.reduce<LifecycleState>(advance, FRESH)
  const { openRun, seq } = state
  const last = entries.at(-1)
  if (openRun === undefined || last === undefined) return entries
  const started = entries.findLast(({ event }) => event.type === 'run/started')
  const ends: readonly SessionEvent[] = [
    ...[...state.asked].map(
      (id) => ({ type: 'permission/resolved', id, outcome: { outcome: 'cancelled' }, by: 'cancel' }) as const,
    ),
    interrupted(last.at - (started?.at ?? last.at), deniedIn(entries, openRun)),
  ]
  return [
    ...entries,
    ...ends.map((event, index) => ({ seq: seq + 1 + index, at: last.at, runId: openRun, event })),
  ]
}
