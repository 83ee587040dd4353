/** What a model's failure means for a run: an error of the catalogue, and whether and when to try again. Pure. */
import { SubagentError } from '../../contract/errors.ts'
import { readFailure } from './failure.ts'
import type { Failure } from './failure.ts'
import type { AgentModel } from './model.ts'
import { PROVIDERS } from './providers.ts'

type FaultyModel = Pick<AgentModel, 'ref' | 'redact'>

export type ModelFault = SubagentError | 'context_overflow'

const MOST_SAID = 300
/** Keys that aren't ours to know, such as one that a proxy holds and quotes. */
const LIKE_A_KEY = /\b(?:sk|pk|rk|key|AIza|gsk|xai|Bearer)[-_ ]?[\w*.-]{12,}/gu

/** One bounded line of the service's own words; never of the request. */
const quoted = ({ said }: Failure, { redact }: FaultyModel): string => {
  const masked = (redact?.(said) ?? said).replaceAll(LIKE_A_KEY, '[key]').replaceAll(/\s+/gu, ' ').trim()
  if (masked === '') return ''
  return ` It said: ${masked.length > MOST_SAID ? `${masked.slice(0, MOST_SAID)}…` : masked}`
}

const keysOf = (ref: string): readonly string[] =>
  PROVIDERS.find(({ name }) => ref.startsWith(`${name}/`))?.keys ?? []

const failed = (model: FaultyModel, what: string, then: string, failure: Failure): SubagentError =>
  new SubagentError(
    'MODEL_ERROR',
    'prompt',
    `The model ${model.ref} ${what}. ${then}${quoted(failure, model)}`,
    failure.status === undefined ? {} : { agentCode: failure.status },
  )

const http = ({ status }: Failure): string => (status === undefined ? '' : ` (HTTP ${status})`)

/** The cause isn't kept: it holds the whole request. A `SubagentError` is itself. */
export const modelFault = (error: unknown, model: FaultyModel): ModelFault => {
  if (SubagentError.is(error)) return error
  const failure = readFailure(error)
  switch (failure.kind) {
    case 'context_overflow':
      return failure.kind
    case 'auth': {
      // What the service says here may quote the key.
      const keys = keysOf(model.ref)
      const then = keys.length === 0 ? 'Check its key.' : `Check the key in ${keys.join(' or ')}.`
      return new SubagentError(
        'AUTH_REQUIRED',
        'prompt',
        `The model ${model.ref} refused the key that was sent${http(failure)}. ${then}`,
        { methods: [], withheld: [...keys] },
      )
    }
    case 'busy': {
      const then = failure.spent
        ? 'Its quota is spent: raise it there, or name another model.'
        : 'Try again later.'
      return new SubagentError(
        'AGENT_BUSY',
        'prompt',
        `The model ${model.ref} is rate limited or overloaded${http(failure)}. ${then}${quoted(failure, model)}`,
        failure.retryAfterMs === undefined ? {} : { retryAfterMs: failure.retryAfterMs },
      )
    }
    case 'server':
      return failed(model, `failed${http(failure)}`, 'Try again later.', failure)
    case 'refused':
      return failed(
        model,
        `refused the request${http(failure)}`,
        "Check the model's name and what it supports.",
        failure,
      )
    case 'network':
      return failed(
        model,
        "couldn't be reached, or its answer broke off",
        'Check the network and its address.',
        failure,
      )
    case 'garbage':
      // Its words may be the whole answer; they help nobody.
      return failed(model, 'gave an answer that is not of its protocol', 'Check its address.', {
        ...failure,
        said: '',
      })
    case 'aborted':
      return failed(model, 'was stopped before it had answered', 'Start again.', failure)
  }
}

/** Whether the same request may succeed a little later. */
export const isTransient = (error: unknown): boolean => {
  if (SubagentError.is(error)) return false
  const { kind, status, spent } = readFailure(error)
  switch (kind) {
    case 'busy':
      return !spent
    case 'server':
      return status !== 501 && status !== 505
    case 'network':
    case 'garbage':
      return true
    case 'refused':
      return status === 408 || status === 409 || status === 425
    case 'auth':
    case 'context_overflow':
    case 'aborted':
      return false
  }
}

const FIRST_MS = 500
const LONGEST_MS = 30_000
/** A service that wants to be left alone for longer isn't waited for. */
const LONGEST_ASKED_MS = 120_000

/**
 * Milliseconds before the attempt after `attempt`, which counts from 1; undefined when trying again is no use.
 * `random` is in [0, 1). What the service asks for is never undercut.
 */
export const retryDelay = (attempt: number, error: unknown, random: () => number): number | undefined => {
  if (!isTransient(error)) return undefined
  const asked = readFailure(error).retryAfterMs
  const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1))
  if (asked === undefined) return Math.round(ceiling / 2 + (random() * ceiling) / 2)
  return asked > LONGEST_ASKED_MS ? undefined : asked + Math.round((random() * ceiling) / 4)
}
