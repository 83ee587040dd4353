/** What a caller may ask for, and what a provider gets after all checks have passed (design.md §5). */
import type { ContentBlock, McpServer } from './content.ts'
import type { ToolFilter } from './events.ts'
import type { RunId, SessionId } from './ids.ts'
import type { JsonObject } from './json.ts'
import type { TraceContext } from './trace.ts'

export type SandboxMode = 'read-only' | 'workspace-write' | 'danger-full-access'

/** Narrow to wide (B4.4). */
export type PermissionPolicy = 'deny' | 'ask' | 'allow-reads' | 'allow'

export interface RunLimits {
  /** Milliseconds without a sign of life; 0 = none. A running tool or an open permission pauses it. */
  readonly idleMs?: number
  /** Milliseconds from `run/started`; 0 = none. */
  readonly totalMs?: number
  readonly maxTurns?: number
  readonly maxTokens?: number
  readonly maxCostUsd?: number
}

export type SessionOrigin =
  /** `name`: how a person finds the kept session again. */
  | { readonly from: 'new'; readonly name?: string }
  | { readonly from: 'resume'; readonly sessionId: SessionId }
  /** `through` is the last shared event's `seq`; absent = the last completed turn. */
  | { readonly from: 'fork'; readonly sessionId: SessionId; readonly through?: number }

/** A field counts as requested when it is present (B1.4). Plain JSON. */
export interface SubagentStartRequest {
  readonly provider: string
  readonly prompt: readonly ContentBlock[]
  readonly parent?: { readonly sessionId: SessionId }
  readonly session?: SessionOrigin
  readonly preset?: string
  readonly label?: string
  /** Absolute; absent = the parent's, else the process's. */
  readonly cwd?: string
  readonly additionalDirectories?: readonly string[]
  readonly model?: string
  readonly effort?: string
  readonly sandbox?: SandboxMode
  readonly permission?: PermissionPolicy
  readonly maxDepth?: number
  readonly outputSchema?: JsonObject
  readonly mcpServers?: readonly McpServer[]
  readonly limits?: RunLimits
  /** The session stays open for follow-ups after its run has settled. */
  readonly keep?: boolean
  readonly idempotencyKey?: string
  readonly meta?: JsonObject
}

/** A preset as the gate sees it: each part that is present asks for its capability (B1.6). */
export interface Preset {
  readonly name: string
  readonly instructions?: { readonly mode: 'append' | 'replace'; readonly text: string }
  readonly tools?: ToolFilter
  readonly model?: string
  /** Never widens: the narrowest of this, the request's and the parent's applies (law 11). */
  readonly sandbox?: SandboxMode
}

/** Where presets come from: files, or code that embeds Subgate. */
export interface PresetSource {
  find(name: string, cwd: string): Promise<Preset | undefined>
  names(cwd: string): Promise<readonly string[]>
}

/** The agent's side of a stored session that is taken up again. */
export type ResolvedOrigin =
  | { readonly from: 'new'; readonly name?: string }
  | { readonly from: 'resume'; readonly nativeId: string }
  | { readonly from: 'fork'; readonly nativeId: string }

/** A start that passed parse, capture, resolve, gate and depth. */
export interface ResolvedStartRequest {
  readonly runId: RunId
  readonly sessionId: SessionId
  readonly parentSessionId?: SessionId
  readonly rootSessionId: SessionId
  readonly depth: number
  /** The tree's cap, when one is known (B2.4). */
  readonly maxDepth?: number
  readonly origin: ResolvedOrigin
  readonly prompt: readonly ContentBlock[]
  readonly preset?: Preset
  /** Historical composition of a resumed child (B6, B7). */
  readonly persona?: string
  readonly toolFilter?: ToolFilter
  readonly label?: string
  readonly cwd: string
  readonly additionalDirectories: readonly string[]
  readonly model?: string
  readonly effort?: string
  readonly sandbox?: SandboxMode
  readonly permission: PermissionPolicy
  /** Controls as the caller typed them, for a provider that is itself a gateway (law 10). */
  readonly requested: RequestedControls
  readonly outputSchema?: JsonObject
  readonly mcpServers: readonly McpServer[]
  readonly limits: RunLimits
  readonly keep: boolean
  /** What the agent is told of the trace that it works in. */
  readonly trace?: TraceContext
  readonly meta?: JsonObject
}

export type RequestedControls = Pick<
  SubagentStartRequest,
  | 'preset'
  | 'model'
  | 'effort'
  | 'sandbox'
  | 'permission'
  | 'maxDepth'
  | 'keep'
  | 'label'
  | 'outputSchema'
  | 'limits'
>
