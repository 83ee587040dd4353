/** How Claude Code's result line ends a turn (B10.3, C21): by `is_error` and its reason, never by its words. Pure. */
import { SubagentError } from '../../contract/errors.ts'
import type { JsonValue } from '../../contract/json.ts'
import { present } from '../../contract/present.ts'
import type { TurnOutcome, Usage } from '../../contract/result.ts'
import type { ResultLine } from './protocol.ts'

export interface EndFacts {
  readonly name: string
  readonly cancelRequested: boolean
  /** The `error` of the synthetic message that goes with a failed call of the model. */
  readonly errorKind: string | undefined
  /** Milliseconds until a limit that was reached begins anew. */
  readonly resetMs: number | undefined
  /** Names of variables that were kept back, one of which may be the key. */
  readonly withheld: readonly string[]
  /** Takes secrets out of the agent's words. */
  mask(text: string): string
}

const sum = (one: Usage, other: Usage): Usage =>
  present({
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    costUsd:
      one.costUsd === undefined || other.costUsd === undefined ? undefined : one.costUsd + other.costUsd,
  })

/** A turn may bring several results, each with the usage since the one before; the last one says how it ended. */
export const usageOf = (lines: readonly ResultLine[]): Usage | undefined =>
  lines
    .map(({ usage }) => usage)
    .filter((usage) => usage !== undefined)
    .reduce<Usage | undefined>((all, usage) => (all === undefined ? usage : sum(all, usage)), undefined)

const TOO_LONG = /prompt is too long/iu

export const outcomeOf = (lines: readonly ResultLine[], line: ResultLine, facts: EndFacts): TurnOutcome => {
  const more = present({
    usage: usageOf(lines),
    structured: line.structured as JsonValue | undefined,
  })
  const { subtype, terminalReason, stopReason } = line
  if (facts.cancelRequested || terminalReason?.startsWith('aborted') === true)
    return { ended: 'cancelled', ...more }
  if (subtype === 'error_max_turns') return { ended: 'truncated', category: 'max_turns', ...more }
  if (subtype === 'error_max_budget_usd') return { ended: 'truncated', category: 'budget', ...more }
  if (subtype === 'error_max_structured_output_retries') throw mismatch(facts.name, line)
  // It calls a refusal an error as well.
  if (stopReason === 'refusal') return { ended: 'refused', ...more }
  if (stopReason === 'max_tokens') return { ended: 'truncated', category: 'max_tokens', ...more }
  if (facts.errorKind === 'max_output_tokens' || (line.isError && TOO_LONG.test(line.result ?? '')))
    return { ended: 'truncated', category: 'max_tokens', ...more }
  if (line.isError || subtype !== 'success') throw failure(line, facts)
  return { ended: 'completed', ...more }
}

const mismatch = (name: string, { errors }: ResultLine): SubagentError =>
  new SubagentError(
    'SCHEMA_MISMATCH',
    'prompt',
    `${name} tried several times and gave no answer that fits the schema: ${errors.join(' ')}`,
    { detail: errors.join(' ').slice(0, 1000) },
  )

const wordsOf = ({ result, errors, subtype }: ResultLine): string => {
  const text = result ?? errors.join(' ')
  return (text === '' ? subtype : text).replaceAll(/\s+/gu, ' ').slice(0, 2000)
}

const LOGIN = { id: 'login', name: 'claude login', command: 'claude /login' }

const SIGN_IN: ReadonlySet<string> = new Set([
  'authentication_failed',
  'oauth_org_not_allowed',
  'account_on_hold',
  'verification_required',
  'cloud_credential_error',
])
const BUSY: ReadonlySet<string> = new Set(['rate_limit', 'overloaded'])
const REFUSED: ReadonlySet<string> = new Set(['billing_error', 'invalid_request'])
/** Of the codes that blame the request these blame its moment. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429])

const isRefusal = (status: number): boolean => status >= 400 && status < 500 && !PASSING.has(status)

const failure = (line: ResultLine, facts: EndFacts): SubagentError => {
  const { name, errorKind: kind = '', resetMs, withheld } = facts
  const words = facts.mask(wordsOf(line))
  const { apiStatus: status } = line
  if (SIGN_IN.has(kind) || status === 401 || status === 403 || /not logged in/iu.test(words)) {
    const text = `${name} is not signed in, or its key was refused: ${words} Sign in: type claude and then /login, or give its key by --env.`
    return new SubagentError('AUTH_REQUIRED', 'prompt', text, { methods: [LOGIN], withheld })
  }
  if (BUSY.has(kind) || status === 429 || status === 529) {
    const retryAfterMs = resetMs ?? resetOf(words)
    const when = retryAfterMs === undefined ? 'later' : `in ${Math.ceil(retryAfterMs / 60_000)} min`
    const text = `${name} is rate limited or its service overloaded: ${words} Try again ${when}.`
    return new SubagentError('AGENT_BUSY', 'prompt', text, present({ retryAfterMs }))
  }
  const agentCode = status
  if (kind === 'model_not_found' || status === 404) {
    const text = `${name} doesn't know the model that it was asked for: ${words} Name another one with --model.`
    return new SubagentError('AGENT_ERROR', 'prompt', text, present({ agentCode }))
  }
  if (REFUSED.has(kind) || (status !== undefined && isRefusal(status))) {
    const text = `The model service of ${name} refused the request: ${words} Trying again will not help.`
    return new SubagentError('AGENT_ERROR', 'prompt', text, present({ agentCode }))
  }
  const text = `The model service of ${name} failed: ${words}`
  return new SubagentError('MODEL_ERROR', 'prompt', text, present({ agentCode }))
}

/** A usage limit may name the second at which it ends, behind a bar. */
const resetOf = (words: string, now: number = Date.now()): number | undefined => {
  const [, seconds] = /\|(\d{10})\b/u.exec(words) ?? []
  return seconds === undefined ? undefined : Math.max(Number(seconds) * 1000 - now, 0)
}
