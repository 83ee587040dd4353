/** What a caller holds: the runtime, and one run on one session (design.md §5). */
import type { Client } from './client.ts'
import type { ContentBlock, PermissionOutcome } from './content.ts'
import type { LogEntry } from './events.ts'
import type { PermissionId, RunId, SessionId } from './ids.ts'
import type { AgentChoice } from './offer.ts'
import type { SubagentStartRequest } from './request.ts'
import type { EndingCategory, RunStatus, SubagentResult, Usage } from './result.ts'

/** Why a start waits before anything of it happens. */
export interface StartWait {
  readonly provider: string
  /** `capacity`: all slots are taken. `paused`: the provider reported a rate limit. */
  readonly reason: 'capacity' | 'paused'
  /** Epoch milliseconds of the end of a pause. */
  readonly until?: number
}

export interface StartOptions {
  /** Aborting before publish rejects the start; after it the run is cancelled. */
  readonly signal?: AbortSignal
  /** Somebody answers this root's permission requests, and those of its descendants, with `respond`. */
  readonly answers?: boolean
  /** Its files, terminals and forms are there for this session and all below it, from when its agent is set up. */
  readonly client?: Client
  /** The parent's tool call that starts this child, for whoever observes it. */
  readonly toolCallId?: string
  /** Choices among what the agent itself offers, for one that is set up now. */
  readonly choices?: readonly AgentChoice[]
  /** The conversation of a face that a new session becomes part of; one that is taken up stays where it is. */
  readonly chat?: { readonly id: string; readonly from?: { readonly id: string; readonly until: number } }
  /** Told once when the start must wait for a slot. */
  readonly onWait?: (wait: StartWait) => void
}

export interface SubagentRuntime extends AsyncDisposable {
  /** The only verb. Rejects with a `SubagentError` and nothing left behind (law 3). */
  start(request: SubagentStartRequest, options?: StartOptions): Promise<SubagentRun>
  /** A whole tree, ordered per session; all trees without `root`. Ends when the runtime is disposed. */
  watch(options?: WatchOptions): AsyncIterable<WatchedEvent>
  /** Ends a kept session, its descendants first, and waits until all of it is gone (law 5, B11.3). */
  close(sessionId: SessionId): Promise<void>
}

export interface WatchOptions {
  readonly root?: SessionId
  /** Cursors by session: only later events are yielded. */
  readonly after?: Readonly<Record<SessionId, number>>
  readonly signal?: AbortSignal
}

export interface WatchedEvent {
  readonly run: SubagentRun
  readonly event: LogEntry
}

export interface SubagentRun extends AsyncDisposable {
  readonly id: RunId
  readonly sessionId: SessionId
  readonly parentSessionId: SessionId | undefined
  readonly provider: string
  readonly depth: number
  readonly label: string | undefined
  /** Never rejects (law 6). */
  readonly result: Promise<SubagentResult>
  /** From `run/started` to `run/settled`: replays after the cursor, then follows. */
  events(options?: { readonly after?: number; readonly signal?: AbortSignal }): AsyncIterable<LogEntry>
  /** A second or late answer is dropped. */
  respond(id: PermissionId, outcome: PermissionOutcome): void
  /** Nobody can answer after all: policy does. */
  giveUp(id: PermissionId): void
  steer(content: readonly ContentBlock[]): Promise<void>
  /** `signal`: a person pressed Ctrl-C; `request`: anyone else. Idempotent. */
  cancel(reason?: 'signal' | 'request'): void
}

/** Lifecycle listeners hear both edges, paired by run id; observe-only (B10.1). */
export type LifecycleEvent = {
  readonly runId: RunId
  readonly sessionId: SessionId
  readonly parentSessionId?: SessionId
  readonly provider: string
  readonly depth: number
  readonly at: number
} & (
  | { readonly type: 'subagent/start' }
  | {
      readonly type: 'subagent/end'
      readonly status: RunStatus
      readonly category?: EndingCategory
      readonly durationMs: number
      readonly usage?: Usage
    }
)
