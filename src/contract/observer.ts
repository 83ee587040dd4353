/** The port through which the runs of a runtime are observed, as by telemetry: it sees live events and changes nothing. */
import type { LogEntry } from './events.ts'
import type { ResolvedStartRequest } from './request.ts'
import type { TraceContext } from './trace.ts'

/** A start that passed every check and whose agent is about to be opened. */
export interface BegunRun {
  readonly request: ResolvedStartRequest
  readonly provider: string
  /** Epoch milliseconds. */
  readonly at: number
  /** The parent's tool call that starts it. */
  readonly toolCallId?: string
}

export interface RunObserver {
  begin(begun: BegunRun): ObservedRun
}

/** Disposed when nothing more comes: after `run/settled`, or when the start was refused after all. */
export interface ObservedRun extends Disposable {
  /** What the agent is told of the trace that it works in. */
  readonly trace: TraceContext | undefined
  /**
   * The session's committed events, each to one run and once: from `firstLiveSeq` on for a new session, so that a
   * fork's history is never seen, and from what the run before left for one that goes on.
   */
  event(entry: LogEntry): void
}
