/** The steps that a scripted provider plays: plain JSON, one verb each. */
import type { ContentBlock, SessionUpdate, ToolKind } from '../contract/content.ts'
import { text } from '../contract/content.ts'
import type { ErrorCode } from '../contract/errors.ts'
import type { JsonObject, JsonValue } from '../contract/json.ts'
import type { SubagentStartRequest } from '../contract/request.ts'
import type { TurnOutcome, Usage } from '../contract/result.ts'

/** What a script can say of itself, as a JSON object with one field. */
export type Reportable =
  | 'model'
  | 'effort'
  | 'sandbox'
  | 'maxDepth'
  | 'outputSchema'
  | 'instructions'
  | 'tools'
  | 'additionalDirectories'
  | 'mcpServers'
  | 'images'
  | 'audio'
  | 'resources'
  | 'memory'
  | 'cwd'
  | 'permission'

export type ScriptStep =
  /** One chunk of the agent's message. */
  | { readonly say: string }
  | { readonly update: SessionUpdate }
  /** Says what it got: `{"model":"m-1"}`; null where it got nothing. */
  | { readonly report: Reportable }
  /** Asks for permission; plays `granted` or `denied`. */
  | {
      readonly ask: string
      readonly kind?: ToolKind
      readonly granted?: readonly ScriptStep[]
      readonly denied?: readonly ScriptStep[]
    }
  /** Calls one of its tools: a tool call that plays `do`, or a failed one when the tool isn't there for it. */
  | { readonly tool: string; readonly do?: readonly ScriptStep[] }
  /** From here on it has one tool more. */
  | { readonly addTool: string }
  /** Writes a file, as far as its sandbox lets it. */
  | { readonly write: string }
  /** Delegates to agents of its own, so many levels down; the lowest plays `do`. */
  | { readonly nest: number; readonly do: readonly ScriptStep[] }
  /** Starts a child through the gateway, and says how that ended: `[completed] text` or `[DEPTH_EXCEEDED]`. */
  | { readonly delegate: Omit<SubagentStartRequest, 'parent'> }
  /** Keeps a word in its conversation. */
  | { readonly remember: string }
  | { readonly spend: { readonly turns?: number; readonly tokens?: number; readonly costUsd?: number } }
  | { readonly wait: number }
  /** Until the turn is cancelled. */
  | { readonly hang: true }
  /** Waits for text that is given in mid-turn, and says it. */
  | { readonly hear: true }
  /** The answer to an output schema; without one it has no meaning. */
  | { readonly value: JsonValue }
  | { readonly usage: Usage }
  | { readonly end: TurnOutcome['ended']; readonly category?: 'max_tokens' | 'max_turns' | 'budget' }
  /** Rejects with a typed error. */
  | { readonly fail: ErrorCode; readonly message?: string; readonly data?: JsonObject }
  /** Rejects with something that is no typed error. */
  | { readonly throw: string }
  /** Its process ends in mid-turn. */
  | { readonly die: true }

/** A prompt that carries a script, and other content beside it. */
export const playing = (
  steps: readonly ScriptStep[],
  ...content: readonly ContentBlock[]
): readonly ContentBlock[] => [text(JSON.stringify(steps)), ...content]

/** The script in a prompt's text; a prompt without one is said back. */
export const scriptIn = (prompt: readonly ContentBlock[]): readonly ScriptStep[] => {
  const words = prompt.map((block) => (block.type === 'text' ? block.text : '')).join('')
  return words.startsWith('[{') ? (JSON.parse(words) as ScriptStep[]) : [{ say: words }]
}
