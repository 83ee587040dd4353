/** How a run ends: a value that never rejects, folded from the log (law 6, B10.2, B10.3). */
import type { ErrorJson } from './errors.ts'
import type { RunId, SessionId } from './ids.ts'
import type { JsonValue } from './json.ts'
import type { ToolKind } from './content.ts'

export type RunStatus =
  | 'completed'
  | 'empty'
  | 'truncated'
  | 'refused'
  | 'cancelled'
  | 'timed_out'
  | 'failed'
  | 'interrupted'

export type EndingCategory =
  | 'no_text'
  | 'max_tokens'
  | 'max_turns'
  | 'budget'
  | 'refusal'
  | 'signal'
  | 'request'
  | 'idle'
  | 'total'
  | 'startup'
  | 'schema'
  | 'auth'
  | 'busy'
  | 'provider'
  | 'protocol'
  | 'process'
  | 'model'
  | 'owner_lost'

export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly costUsd?: number
}

/** A tool call that policy denied, and the flag that would have allowed it. */
export interface Denial {
  readonly title: string
  readonly kind: ToolKind
  readonly flag: string
}

export interface SubagentResult {
  readonly runId: RunId
  readonly sessionId: SessionId
  readonly parentSessionId?: SessionId
  readonly provider: string
  readonly depth: number
  readonly status: RunStatus
  readonly category?: EndingCategory
  /** The last assistant message that is not empty (B10.2); `''` when there is none. */
  readonly text: string
  readonly structured?: JsonValue
  readonly denied: readonly Denial[]
  readonly usage?: Usage
  readonly durationMs: number
  readonly error?: ErrorJson
}

/**
 * How the agent's turn ended, said by a provider. `error` belongs to `failed` alone.
 * A provider reports what the agent said; emptiness and schemas are judged by the runtime.
 */
export type TurnOutcome = {
  readonly structured?: JsonValue
  /** The agent has means of its own to give a value, so its text is never read as one (B13.1). */
  readonly structuredOnly?: boolean
  readonly usage?: Usage
  /** Denials that the agent's own gateway made, carried by `_meta.subgate`. */
  readonly denied?: readonly Denial[]
} & (
  | { readonly ended: 'completed' }
  | { readonly ended: 'empty' }
  | { readonly ended: 'truncated'; readonly category: 'max_tokens' | 'max_turns' | 'budget' }
  | { readonly ended: 'refused' }
  | { readonly ended: 'cancelled' }
)
