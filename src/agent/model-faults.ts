/** What the loop needs to know of a model's failure, and how often and when it tries again. */
import type { SubagentError } from '../contract/errors.ts'
import { isTransient, modelFault, retryDelay } from './models/fault.ts'
import type { AgentModel } from './models/model.ts'

export type Fault =
  /** May pass by itself, after `delayMs` if it is known. `error` ends the turn if it doesn't pass. */
  | { readonly kind: 'transient'; readonly error: SubagentError; readonly delayMs?: number }
  | { readonly kind: 'context_overflow' }
  | { readonly kind: 'fatal'; readonly error: SubagentError }

/** Reads whatever a model package threw or streamed as an error; `attempt` counts the requests of a step. */
export interface FaultReader {
  read(error: unknown, attempt: number): Fault
}

export interface RetryPolicy {
  /** Requests for one step, the first included. */
  readonly attempts: number
  /** Before the second request, where the fault says none; doubles with each. */
  readonly firstDelayMs: number
  /** What asks for a longer wait ends the turn instead. */
  readonly longestDelayMs: number
}

export const DEFAULT_RETRY: RetryPolicy = { attempts: 4, firstDelayMs: 500, longestDelayMs: 120_000 }

/** Milliseconds until the next request after `attempt` requests, or undefined when there is none. */
export const retryAfter = (
  attempt: number,
  fault: Fault,
  { attempts, firstDelayMs, longestDelayMs }: RetryPolicy,
): number | undefined => {
  if (fault.kind !== 'transient' || attempt >= attempts) return undefined
  const delay = fault.delayMs ?? firstDelayMs * 2 ** (attempt - 1)
  return delay <= longestDelayMs ? delay : undefined
}

/** `random` is in [0, 1). */
export const faultReader = (
  model: Pick<AgentModel, 'ref' | 'redact'>,
  random: () => number,
): FaultReader => ({
  read: (error, attempt) => {
    const fault = modelFault(error, model)
    if (fault === 'context_overflow') return { kind: fault }
    if (!isTransient(error)) return { kind: 'fatal', error: fault }
    const delayMs = retryDelay(attempt, error, random)
    // What the service wants to be left alone for too long is no matter for this turn.
    return delayMs === undefined
      ? { kind: 'fatal', error: fault }
      : { kind: 'transient', error: fault, delayMs }
  },
})
