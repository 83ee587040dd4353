/** How Claude Code's result line ends a turn (B10.3, C21): by `is_error` and its reason, never by its words. Pure. */
import { SubagentError } from '../../contract/errors.ts'
import type { JsonValue } from '../../contract/json.ts'
import { present } from '../../contract/present.ts'
import type { TurnOutcome, Usage } from '../../contract/result.ts'
import type { ResultLine } from './protocol.ts'

export interface EndFacts {
  readonly name: string
  readonly cancelRequested: boolean
  /** What this process had cost before the turn. */
  readonly costBefore: number
  /** The `error` of the synthetic message that goes with a failed call of the model. */
  readonly errorKind: string | undefined
}

const usageOf = (line: ResultLine, costBefore: number): Usage | undefined => {
  const { inputTokens, outputTokens, costUsd } = line
  if (inputTokens === undefined || outputTokens === undefined) return undefined
  const cost = costUsd === undefined ? undefined : Math.max(costUsd - costBefore, 0)
  return present({ inputTokens, outputTokens, costUsd: cost })
}

export const outcomeOf = (line: ResultLine, facts: EndFacts): TurnOutcome => {
  const more = present({
    usage: usageOf(line, facts.costBefore),
    structured: line.structured as JsonValue | undefined,
  })
  const { subtype, terminalReason } = line
  if (facts.cancelRequested || terminalReason?.startsWith('aborted') === true)
    return { ended: 'cancelled', ...more }
  if (subtype === 'error_max_turns') return { ended: 'truncated', category: 'max_turns', ...more }
  if (subtype === 'error_max_budget_usd') return { ended: 'truncated', category: 'budget', ...more }
  if (subtype === 'error_max_structured_output_retries') throw mismatch(facts.name, line)
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

const failure = (line: ResultLine, { name, errorKind }: EndFacts): SubagentError => {
  const words = wordsOf(line)
  const { apiStatus: status } = line
  if (
    errorKind === 'authentication_failed' ||
    status === 401 ||
    status === 403 ||
    /not logged in/iu.test(words)
  ) {
    const text = `${name} is not signed in, or its key was refused: ${words} Sign in: type claude and then /login, or give its key by --env.`
    return new SubagentError('AUTH_REQUIRED', 'prompt', text, { methods: [LOGIN], withheld: [] })
  }
  if (errorKind === 'rate_limit' || errorKind === 'overloaded' || status === 429 || status === 529) {
    const text = `${name} is rate limited or its service overloaded: ${words} Try again later.`
    return new SubagentError('AGENT_BUSY', 'prompt', text, present({ retryAfterMs: resetOf(words) }))
  }
  if (errorKind === 'model_not_found' || status === 404) {
    const text = `${name} doesn't know the model that it was asked for: ${words} Name another one with --model.`
    return new SubagentError('MODEL_ERROR', 'prompt', text, present({ agentCode: status }))
  }
  const text = `The model service of ${name} failed: ${words}`
  return new SubagentError('MODEL_ERROR', 'prompt', text, present({ agentCode: status }))
}

/** A usage limit names the second at which it ends, behind a bar. */
const resetOf = (words: string, now: number = Date.now()): number | undefined => {
  const [, seconds] = /\|(\d{10})\b/u.exec(words) ?? []
  return seconds === undefined ? undefined : Math.max(Number(seconds) * 1000 - now, 0)
}
