/** What a tool of the built-in agent is, and what a call of it has at hand. */
import type { ToolCallContent, ToolCallLocation, ToolKind } from '../../contract/content.ts'
import type { ApprovalDecision } from '../../contract/events.ts'
import type { JsonObject } from '../../contract/json.ts'
import type { SandboxMode } from '../../contract/request.ts'

export interface ToolResult {
  /** What the model reads. */
  readonly text: string
  readonly isError?: boolean
  /** What people are shown beside it, such as a diff. */
  readonly content?: readonly ToolCallContent[]
}

export type { ApprovalDecision } from '../../contract/events.ts'

/** A question to the approval service: what exactly would be done, and why it needs asking. */
export interface ApprovalQuestion {
  readonly title: string
  readonly kind: ToolKind
  readonly reason: string
  /** What would have let it go on unasked, as a person writes it. */
  readonly flag?: string
  readonly locations?: readonly ToolCallLocation[]
  readonly content?: readonly ToolCallContent[]
}

export interface ToolContext {
  readonly callId: string
  /** Aborts when the run is being stopped; a tool that outlives it is no longer waited for. */
  readonly signal: AbortSignal
  readonly cwd: string
  /** cwd and the additional directories, absolute. */
  readonly roots: readonly string[]
  /** The session's policy now: the last `sandbox/mode` event, else the deployment's default. */
  sandbox(): SandboxMode
  /** An explicit `deny`, `ask` or `allow-reads` of the run: what writes asks inside the workspace too (B4.4). */
  readonly asksForWrites: boolean
  ask(question: ApprovalQuestion): Promise<ApprovalDecision>
  /** Progress for people, while the call runs. */
  report(progress: {
    readonly title?: string
    readonly locations?: readonly ToolCallLocation[]
    readonly content?: readonly ToolCallContent[]
  }): void
  readonly outputs: LargeOutputs
}

/** Cuts what is too large for the model; the whole lies in the session's own folder and goes with the session. */
export interface LargeOutputs {
  /** The text itself when it fits, else its head and tail with a handle that the `read` tool takes. */
  fit(text: string): Promise<string>
  /** The whole text behind a handle; undefined when there is none of that name in this session. */
  find(handle: string): Promise<string | undefined>
}

export interface Tool {
  readonly name: string
  readonly description: string
  readonly kind: ToolKind
  readonly inputSchema: JsonObject
  /** Families share one paragraph of prompt guidance, which is given only while one of them is in view (B7.5). */
  readonly family?: string
  /** A short title for people, made from the input. */
  title?(input: JsonObject): string
  /** Never rejects for what the model did wrong: that is a result with `isError`. */
  run(input: JsonObject, context: ToolContext): Promise<ToolResult>
}
