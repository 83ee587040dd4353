/** What a person's client, such as an editor, does for agents: its files, its terminals, and questions with a form. */
import type { SessionId } from './ids.ts'
import type { JsonObject } from './json.ts'

/** ACP's methods of a client; each is there as far as its part of the offer says so. */
export type ClientMethod =
  | 'fs/read_text_file'
  | 'fs/write_text_file'
  | 'terminal/create'
  | 'terminal/output'
  | 'terminal/wait_for_exit'
  | 'terminal/kill'
  | 'terminal/release'
  | 'elicitation/create'

export interface ClientOffer {
  readonly readTextFile: boolean
  readonly writeTextFile: boolean
  readonly terminal: boolean
  /** Questions with a form, and those that a web page asks. */
  readonly elicitation: { readonly form: boolean; readonly url: boolean }
}

/** As a value: what went wrong at the client is an answer, in JSON-RPC's words. */
export type ClientAnswer =
  | { readonly result: JsonObject }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }

export interface ClientCall {
  readonly method: ClientMethod
  /** ACP's parameters without their `sessionId`, which the client has its own of. */
  readonly params: JsonObject
  /** The agent asks for a subagent of its own, by its id for it. */
  readonly childId?: string
  /** Labels below the asking session, when the agent is itself a gateway. */
  readonly path?: readonly string[]
  /** The answer is no longer wanted. */
  readonly signal: AbortSignal
}

/** A session's way to its person's client, lent to the provider. */
export interface SessionClient {
  /** As far as it is there for this session: its directories and its sandbox may leave less of it. */
  readonly offer: ClientOffer
  /**
   * What isn't offered is -32601. Always settles once `signal` has aborted: an elicitation with `cancel`, anything else
   * with an error.
   */
  request(call: ClientCall): Promise<ClientAnswer>
  /** What was asked by a web page is done; an elicitation of another session is left alone. */
  completeElicitation(elicitationId: string): void
}

/** A call with its place in the tree, and in the order of what its session has said. */
export interface PlacedCall extends ClientCall {
  readonly sessionId: SessionId
  /** Labels from the root's child down to whoever asks; empty on a root. */
  readonly path: readonly string[]
  /** The session's events up to this one come first (law 8). */
  readonly after: number
}

/** What a face gives with a start, for the session and all below it. */
export interface Client {
  readonly offer: ClientOffer
  /** The directories that its files are offered for. */
  readonly roots: readonly string[]
  /** Never rejects. */
  request(call: PlacedCall): Promise<ClientAnswer>
  completeElicitation(sessionId: SessionId, elicitationId: string): void
}
