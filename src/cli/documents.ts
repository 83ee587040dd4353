/** The JSON documents of the CLI (design.md §7). Pure. */
import { ERROR_CATALOG } from '../contract/error-catalog.ts'
import { exitCodeOf } from '../contract/endings.ts'
import { SubagentError } from '../contract/errors.ts'
import type { ErrorJson } from '../contract/errors.ts'
import type { LogEntry } from '../contract/events.ts'
import type { RunId, SessionId } from '../contract/ids.ts'
import type { SubagentResult } from '../contract/result.ts'

export interface ErrorDocument {
  readonly type: 'error'
  readonly error: ErrorJson
  readonly exitCode: number
}

export type ResultDocument = { readonly type: 'result' } & SubagentResult & { readonly exitCode: number }

/** Why the process itself was told to stop, where it was. */
export type Interruption = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

export const SIGNAL_EXITS: { readonly [S in Interruption]: number } = {
  SIGHUP: 129,
  SIGINT: 130,
  SIGTERM: 143,
}

const KEY_ORDER = [
  'runId',
  'sessionId',
  'parentSessionId',
  'provider',
  'depth',
  'status',
  'category',
  'text',
  'structured',
  'denied',
  'usage',
  'durationMs',
  'error',
] as const

export const resultDocument = (
  result: SubagentResult,
  onDenied: 'fail' | 'continue',
  interruption?: Interruption,
): ResultDocument => {
  const known = KEY_ORDER.filter((key) => result[key] !== undefined).map((key) => [key, result[key]])
  const signalled = result.status === 'cancelled' && interruption !== undefined
  const exitCode = signalled ? SIGNAL_EXITS[interruption] : exitCodeOf(result, onDenied)
  return { type: 'result', ...(Object.fromEntries(known) as unknown as SubagentResult), exitCode }
}

export const errorDocument = (error: SubagentError, interruption?: Interruption): ErrorDocument => {
  const exitCode =
    error.code === 'CANCELLED' && interruption !== undefined
      ? SIGNAL_EXITS[interruption]
      : ERROR_CATALOG[error.code].exit
  return { type: 'error', error: error.toJSON(), exitCode }
}

/** Events of the session itself have no run. */
export const eventDocument = (
  runId: RunId | undefined,
  sessionId: SessionId,
  { seq, at, event }: LogEntry,
): object => ({
  type: 'event',
  ...(runId !== undefined && { runId }),
  sessionId,
  seq,
  at,
  event,
})

/** Anything thrown as an error of the catalogue; what isn't ours is a fault of the program. */
export const asSubagentError = (error: unknown): SubagentError =>
  SubagentError.is(error)
    ? error
    : new SubagentError(
        'PROVIDER_FAULT',
        'request',
        `Subgate failed: ${error instanceof Error ? error.message : String(error)}`,
        { provider: 'subgate' },
        { cause: error },
      )
