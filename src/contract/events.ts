/** The event vocabulary of a session's log: ACP's updates plus the runtime's own edges (design.md §7). */
import type {
  ContentBlock,
  PermissionOption,
  PermissionOutcome,
  SessionUpdate,
  ToolCallUpdate,
  ToolKind,
} from './content.ts'
import type { ErrorJson } from './errors.ts'
import type { PermissionId, RunId, SessionId } from './ids.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type { Letter, LetterId } from './letters.ts'
import type { Denial, EndingCategory, RunStatus, Usage } from './result.ts'
import type { RunLimits, SandboxMode } from './request.ts'

export interface RunStarted {
  readonly type: 'run/started'
  readonly provider: string
  readonly depth: number
  readonly parentSessionId?: SessionId
  readonly label?: string
  /** The tool call of the parent that delegates. */
  readonly toolCallId?: string
  /** Controls that the operator switched off for this provider, such as `sandbox: provider-managed`. */
  readonly providerManaged?: readonly string[]
  /** The cap that holds from this run on, where one is known (B2.4). */
  readonly maxDepth?: number
  /** What the run was asked to keep to, or inherited; children in other processes inherit it too (law 11). */
  readonly limits?: RunLimits
  /** What was asked; the agent's own echo of it, if there is one, is an update like any other. */
  readonly prompt?: readonly ContentBlock[]
  /** The letters that the prompt consists of. */
  readonly letters?: readonly LetterId[]
}

export interface RunSettled {
  readonly type: 'run/settled'
  readonly status: RunStatus
  readonly category?: EndingCategory
  readonly denied: readonly Denial[]
  readonly structured?: JsonValue
  readonly usage?: Usage
  readonly error?: ErrorJson
  readonly durationMs: number
}

export interface PermissionRequested {
  readonly type: 'permission/requested'
  readonly id: PermissionId
  readonly toolCall: ToolCallUpdate
  readonly options: readonly PermissionOption[]
  /** Labels from the root's child down to the session that asks; empty on a root. */
  readonly path: readonly string[]
  /** The agent asks for a subagent of its own, by its id for it. */
  readonly childId?: string
}

export interface PermissionResolved {
  readonly type: 'permission/resolved'
  readonly id: PermissionId
  readonly outcome: PermissionOutcome
  readonly by: 'person' | 'policy' | 'cancel'
}

/** A person is asked by a form, or led to a web page, by ACP's `elicitation/create`; `elicitation/resolved` follows. */
export interface ElicitationRequested {
  readonly type: 'elicitation/requested'
  /** Unique among those of the session that are open. */
  readonly id: string
  readonly message: string
}

export interface ElicitationResolved {
  readonly type: 'elicitation/resolved'
  readonly id: string
  /** What the person did; `cancel` also for a question that was withdrawn. What was filled in isn't kept. */
  readonly action: 'accept' | 'decline' | 'cancel'
}

export interface Notice {
  readonly type: 'notice'
  readonly severity: 'info' | 'warning' | 'error'
  readonly title: string
  readonly detail?: string
  readonly data?: JsonObject
}

/** `never`: every ask is rejected before anybody is asked (B4.1). */
export type ApprovalPolicy = 'ask' | 'never'

/** `unavailable` fails closed like `rejected`; only `allowed` lets the call go on (B4). */
export type ApprovalDecision = 'allowed' | 'rejected' | 'cancelled' | 'unavailable'

/** The approval service of an agent of ours was asked; `approval/decided` with the same id follows. */
export interface ApprovalAsked {
  readonly type: 'approval/asked'
  readonly id: string
  readonly title: string
  readonly kind: ToolKind
  readonly reason: string
  /** What would have let it go on unasked, as a person writes it. */
  readonly flag?: string
  readonly toolCallId?: string
}

export interface ApprovalDecided {
  readonly type: 'approval/decided'
  readonly id: string
  readonly decision: ApprovalDecision
  readonly by: 'policy' | 'answerer' | 'cancel' | 'nobody'
}

/** A letter that the session's agent has read, in the transaction that takes it out of the mailbox (B11.2). */
export interface LetterReceived {
  readonly type: 'letter/received'
  readonly letter: Letter
}

/**
 * What an agent says of a subagent that it runs itself, in its own session's log, so that nobody takes it for the
 * agent's own words. A subagent's announcement (ACP's `subagent_update`) precedes whatever else names it.
 */
export interface SubagentUpdated {
  readonly type: 'subagent/update'
  /** The agent's own id of it. */
  readonly childId: string
  /** The subagent to which it belongs; absent = the session's agent itself. */
  readonly parentChildId?: string
  readonly update: SessionUpdate
}

/** What a provider may put into the log while its turn runs. */
export type ProviderEvent =
  | { readonly type: 'session/update'; readonly update: SessionUpdate }
  | SubagentUpdated
  | Notice
  | ApprovalAsked
  | ApprovalDecided

/** Events of the session itself; they precede `run/started` or stand between two runs. */
export type SetupEvent =
  | Notice
  /** Came after its turn had ended: kept, but part of no result. */
  | { readonly type: 'session/late_update'; readonly update: SessionUpdate }
  | SubagentUpdated
  | ElicitationRequested
  | ElicitationResolved
  /** The agent's own id of this conversation, apart from ours. */
  | { readonly type: 'session/native_id'; readonly nativeId: string }
  | { readonly type: 'permission/preset'; readonly preset: string; readonly source: 'delegation' }
  | { readonly type: 'sandbox/mode'; readonly mode: SandboxMode; readonly source: 'delegation' | 'request' }
  | {
      readonly type: 'approval/policy'
      readonly policy: ApprovalPolicy
      readonly source: 'delegation' | 'request'
    }
  | ApprovalAsked
  | ApprovalDecided
  | SubagentDescriptor

/** How a child was created (B9.1). `persona` and `toolFilter` stand only in historical versions. */
export interface SubagentDescriptor {
  readonly type: 'subagent/descriptor'
  readonly version: number
  readonly provider: string
  readonly mode: 'one-shot' | 'kept'
  readonly label?: string
  readonly preset?: string
  readonly model?: string
  readonly persona?: string
  readonly toolFilter?: ToolFilter
}

export interface ToolFilter {
  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
}

export type SessionEvent =
  | RunStarted
  | RunSettled
  | PermissionRequested
  | PermissionResolved
  | ProviderEvent
  | LetterReceived
  | SetupEvent

/** One line of a log. `seq` counts from 1 without gaps within a session; `at` is epoch milliseconds. */
export interface LogEntry {
  readonly seq: number
  readonly at: number
  readonly runId?: RunId
  readonly event: SessionEvent
}
