/** The lifecycle automaton of a session's log: it refuses events that come in an illegal order (law 4). */
import type { LogEntry } from '../contract/events.ts'
import type { PermissionId, RunId } from '../contract/ids.ts'

export interface LifecycleState {
  readonly seq: number
  readonly openRun?: RunId
  readonly asked: ReadonlySet<PermissionId>
}

export const FRESH: LifecycleState = { seq: 0, asked: new Set() }

/** Thrown at whoever appends; the log stays as it was. */
export class IllegalOrder extends Error {
  override readonly name = 'IllegalOrder'
}

const refuse = (entry: LogEntry, why: string): never => {
  throw new IllegalOrder(`Event ${entry.seq} (${entry.event.type}) is out of order: ${why}.`)
}

/** One event further, or `IllegalOrder`. */
export const advance = (state: LifecycleState, entry: LogEntry): LifecycleState => {
  const { event, runId, seq } = entry
  if (seq !== state.seq + 1) refuse(entry, `after ${state.seq} comes ${state.seq + 1}`)
  const next = { ...state, seq }
  switch (event.type) {
    case 'run/started': {
      if (state.openRun !== undefined) refuse(entry, 'a run is open')
      return runId === undefined ? refuse(entry, 'it names no run') : { ...next, openRun: runId }
    }
    case 'run/settled': {
      inRun(state, entry)
      if (state.asked.size > 0) refuse(entry, 'a permission is open')
      return { seq, asked: state.asked }
    }
    case 'session/update':
      inRun(state, entry)
      return next
    case 'permission/requested': {
      inRun(state, entry)
      if (state.asked.has(event.id)) refuse(entry, 'the permission was asked for before')
      return { ...next, asked: new Set([...state.asked, event.id]) }
    }
    case 'permission/resolved': {
      inRun(state, entry)
      if (!state.asked.has(event.id)) refuse(entry, 'no such permission is open')
      return { ...next, asked: new Set([...state.asked].filter((id) => id !== event.id)) }
    }
    case 'notice':
    case 'letter/received':
    case 'approval/asked':
    case 'approval/decided':
    case 'subagent/update':
    case 'elicitation/requested':
    case 'elicitation/resolved':
      if (runId !== undefined) inRun(state, entry)
      return next
    case 'session/late_update':
    case 'session/native_id':
    case 'subagent/descriptor':
    case 'sandbox/mode':
    case 'permission/preset':
    case 'approval/policy':
      if (runId !== undefined) refuse(entry, 'it belongs to no run')
      return next
  }
}

const inRun = (state: LifecycleState, entry: LogEntry): void => {
  if (state.openRun === undefined) refuse(entry, 'no run is open')
  if (state.openRun !== entry.runId) refuse(entry, 'another run is open')
}
