/** The steps that a fake agent plays: plain JSON, one verb each. */

/**
 * In every string of a step `{name}` is replaced when the name is known: `{i}` (round of the innermost
 * `repeat`, from 0), `{sessionId}`, `{prompt}`, `{promptBytes}`, `{promptSha256}` (text of the prompt in hand), `{answer}` (JSON of the last answer
 * to a request of the fake), `{pid}`, `{grandchild}` (pid of the last one). All else in braces stays as it is.
 */
export type FakeText = string | { readonly fill: string; readonly times: number }

export type FakeStep =
  | Listening
  | Speaking
  | Asking
  | Behaving
  /** Rounds without an end, or a number of them. Ended early when its turn is cancelled. */
  | { readonly repeat: number | 'forever'; readonly steps: readonly FakeStep[] }
  /** All that the steps write leaves in one write. */
  | { readonly inOneWrite: readonly FakeStep[] }
  /** All that the steps write leaves in pieces of so many bytes, one a round of the event loop. */
  | { readonly inPieces: number; readonly steps: readonly FakeStep[] }
  /** Whenever a message of this method arrives that the script doesn't expect, plays the steps beside it. */
  | { readonly on: string; readonly do: readonly FakeStep[] }

type Listening =
  /** Waits for the next request or notification of this method; a request is then the one in hand. */
  | { readonly expect: string }
  /** Waits for a line of any kind that contains the text. */
  | { readonly expectLine: string }
  /** Waits until stdin has ended; keeps the fake from exiting then. */
  | { readonly expectEnd: true }

type Speaking =
  /** Answers the request in hand, or the newest open one of the method `to`. */
  | { readonly reply: unknown; readonly to?: string }
  | { readonly fail: FakeFailure; readonly to?: string }
  /** One `agent_message_chunk`. */
  | { readonly say: FakeText; readonly sessionId?: string }
  | { readonly update: unknown; readonly sessionId?: string }
  | { readonly notify: string; readonly params?: unknown }
  /** Bytes as they are; no LF is added. */
  | { readonly write: FakeText | { readonly base64: string } }
  | { readonly stderr: FakeText }
  /** One `agent_message_chunk` whose text is a JSON object of these facts about the fake. */
  | { readonly dump: readonly FakeFact[] }

type Asking =
  /** Sends a request and waits for its answer unless `wait` is false; the answer is logged. */
  | { readonly request: string; readonly params?: unknown; readonly id?: FakeId; readonly wait?: false }
  /** Asks for permission; `chosen` has the steps for each option, for `cancelled` and for `error`. */
  | {
      readonly permission: { readonly toolCall?: unknown; readonly options?: readonly unknown[] }
      readonly id?: FakeId
      readonly wait?: false
      readonly sessionId?: string
      readonly chosen?: { readonly [optionId: string]: readonly FakeStep[] }
    }

type Behaving =
  | { readonly sleep: number }
  /** Waits for ever, or until its turn is cancelled. */
  | { readonly hang: true }
  /** From here on: signals don't end the fake, the end of stdin doesn't, cancel isn't answered. */
  | { readonly ignore: readonly ('SIGTERM' | 'SIGINT' | 'SIGHUP' | 'eof' | 'cancel')[] }
  | { readonly close: 'stdout' | 'stderr' | 'stdin' }
  | { readonly exit: number }
  /** Ends itself by a signal. */
  | { readonly kill: 'SIGKILL' | 'SIGTERM' | 'SIGINT' | 'SIGHUP' }
  /**
   * Starts a process that does nothing for `forMs` (a minute when absent): with `detached` in a session of its
   * own, with `bare` without the fake's environment, with `holdsStdout` with the fake's stdout and stderr open.
   */
  | {
      readonly grandchild: {
        readonly ignore?: readonly ('SIGTERM' | 'SIGINT' | 'SIGHUP')[]
        readonly detached?: boolean
        readonly bare?: boolean
        readonly holdsStdout?: boolean
        readonly forMs?: number
      }
    }
  /** From here on appends a JSON line for each fact to this file: see `FakeLogEntry`. */
  | { readonly log: string }
  /** Writes and reads envelopes without the `jsonrpc` member, as the Codex app-server does. */
  | { readonly lenient: true }

export type FakeId = string | number | null
export type FakeFact = 'env' | 'cwd' | 'argv' | 'pid' | 'received'

export interface FakeFailure {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** One line of the log file. */
export type FakeLogEntry =
  | { readonly started: { readonly pid: number; readonly cwd: string; readonly argv: readonly string[] } }
  /** A request or notification. */
  | { readonly received: unknown }
  /** A line on stdin that isn't JSON. */
  | { readonly line: string }
  | { readonly answer: unknown; readonly to: FakeId }
  | { readonly grandchild: number }
  | { readonly signal: string }
  | { readonly eof: true }
