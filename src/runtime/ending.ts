/** How a run ends: from what stopped it, what its turn said, and what its log holds. Pure. */
import { boundedDetail } from '../contract/bounded.ts'
import { statusOfCategory } from '../contract/endings.ts'
import { SubagentError } from '../contract/errors.ts'
import type { ErrorPhase } from '../contract/errors.ts'
import type { JsonValue } from '../contract/json.ts'
import type { EndingCategory, RunStatus, TurnOutcome } from '../contract/result.ts'

/** What stopped a run from outside of its turn; the first one counts. */
export type Stop =
  | { readonly kind: 'cancel'; readonly by: 'signal' | 'request' }
  | { readonly kind: 'limit'; readonly which: 'idle' | 'total'; readonly limitMs: number }
  /** What happens can't be recorded any longer. */
  | { readonly kind: 'fault'; readonly error: SubagentError }

/** How the turn itself ended; absent when it didn't within the grace. */
export type Turned = { readonly outcome: TurnOutcome } | { readonly fault: SubagentError }

export interface Verdict {
  readonly status: RunStatus
  readonly category?: EndingCategory
  readonly error?: SubagentError
  readonly structured?: JsonValue
}

/** Tells whoever still listens to a run's signal that its turn has ended: one for all, as to make one takes time. */
export const OVER: SubagentError = new SubagentError('CANCELLED', 'prompt', 'The run is over.', {
  by: 'request',
})

const ended = (status: RunStatus, category?: EndingCategory): Verdict => ({
  status,
  ...(category !== undefined && { category }),
})

export const failedWith = (error: SubagentError): Verdict => {
  const category = error.category ?? 'provider'
  return { status: statusOfCategory(category), category, error }
}

const stopped = (stop: Stop): Verdict => {
  if (stop.kind === 'cancel') return ended('cancelled', stop.by)
  if (stop.kind === 'fault') return failedWith(stop.error)
  const { which, limitMs } = stop
  const code = which === 'idle' ? 'IDLE_TIMEOUT' : 'TOTAL_TIMEOUT'
  const seconds = `${limitMs / 1000} s`
  const words =
    which === 'idle'
      ? `The agent was silent for ${seconds}, the idle limit, and was ended. Raise it with --idle-timeout, or see why the agent hangs.`
      : `The run took longer than ${seconds}, its total limit, and was ended. Raise it with --timeout, or ask for less.`
  return failedWith(new SubagentError(code, 'prompt', words, { limitMs }))
}

const byOutcome = (outcome: TurnOutcome, hasText: boolean): Verdict => {
  switch (outcome.ended) {
    case 'completed':
      return hasText ? ended('completed') : ended('empty', 'no_text')
    case 'empty':
      return ended('empty', 'no_text')
    case 'truncated':
      return ended('truncated', outcome.category)
    case 'refused':
      return ended('refused', 'refusal')
    case 'cancelled':
      return ended('cancelled', 'request')
  }
}

export interface EndingInputs {
  readonly stop: Stop | undefined
  readonly turned: Turned | undefined
  readonly text: string
  /** The verdict on the value that a schema asked for; absent when none was asked for. */
  readonly schema?: { readonly value: JsonValue } | { readonly mismatch: SubagentError }
}

export const endingOf = ({ stop, turned, text, schema }: EndingInputs): Verdict => {
  if (stop !== undefined) return stopped(stop)
  if (turned === undefined) return ended('cancelled', 'request')
  if ('fault' in turned) return failedWith(turned.fault)
  const finished = turned.outcome.ended === 'completed' || turned.outcome.ended === 'empty'
  if (schema === undefined || !finished) return byOutcome(turned.outcome, text.trim() !== '')
  return 'value' in schema ? { ...ended('completed'), structured: schema.value } : failedWith(schema.mismatch)
}

const detailOf = (error: unknown): string =>
  boundedDetail(error instanceof Error ? error.message : String(error))

/** Any throw as a `SubagentError`: ours as it is, anything else as a fault of the provider. */
export const asFault = (error: unknown, provider: string, phase: ErrorPhase = 'prompt'): SubagentError =>
  SubagentError.is(error)
    ? error
    : new SubagentError(
        'PROVIDER_FAULT',
        phase,
        `The provider ${provider} failed: ${detailOf(error)}`,
        { provider },
        { cause: error },
      )

/** A log that can't be written: nothing may happen that isn't recorded. */
export const logFault = (error: unknown, provider: string, phase: ErrorPhase = 'prompt'): SubagentError =>
  SubagentError.is(error)
    ? error
    : new SubagentError(
        'PROVIDER_FAULT',
        phase,
        `The session's log could not be written, and the run of ${provider} was ended: ${detailOf(error)}`,
        { provider },
        { cause: error },
      )
