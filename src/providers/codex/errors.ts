/** Codex's failures as typed errors (B10.3): by its `codexErrorInfo` and HTTP status, never by its words. Pure. */
import { SubagentError } from '../../contract/errors.ts'
import { isRecord } from '../../contract/json.ts'
import { present } from '../../contract/present.ts'
import type { TurnError } from './protocol.ts'
import { retryAfter } from './retry-time.ts'

interface Info {
  readonly kind: string
  readonly status?: number
}

const infoOf = (info: unknown): Info => {
  if (typeof info === 'string') return { kind: info }
  if (!isRecord(info)) return { kind: 'other' }
  const [kind = 'other'] = Object.keys(info)
  const inner = info[kind]
  const status = isRecord(inner) ? inner['httpStatusCode'] : undefined
  return { kind, ...(typeof status === 'number' && { status }) }
}

const SIGN_IN = 'Sign in: type codex login, or give its key by --env.'

/** What one failed turn is for the caller; `truncated` is no error but an ending of its own. */
export type Failure = { readonly error: SubagentError } | { readonly truncated: 'max_tokens' }

export interface Moment {
  /** Milliseconds of the clock. */
  readonly now: number
  /** Until the account's used-up window begins anew, where Codex has told it. */
  readonly resetMs?: number | undefined
}

export const failureOf = (
  { message, codexErrorInfo, additionalDetails }: TurnError,
  name: string,
  { now, resetMs }: Moment,
): Failure => {
  const { kind, status } = infoOf(codexErrorInfo)
  const refusal = refusalIn(message)
  const words = [refusal ?? message, additionalDetails]
    .filter((part) => typeof part === 'string' && part !== '')
    .join(' ')
  if (kind === 'contextWindowExceeded') return { truncated: 'max_tokens' }
  if (kind === 'unauthorized' || status === 401 || status === 403) {
    const text = `${name} is not signed in, or its key was refused: ${words} ${SIGN_IN}`
    return { error: new SubagentError('AUTH_REQUIRED', 'prompt', text, { methods: [LOGIN], withheld: [] }) }
  }
  if (isBusy(kind, status)) {
    // What was told as a number is exact; words are to the minute.
    const retryAfterMs = resetMs ?? retryAfter(message, now)
    const when = retryAfterMs === undefined ? 'later' : `in ${Math.ceil(retryAfterMs / 1000)} s`
    const text = `${name} is rate limited or its service overloaded: ${words} Try again ${when}.`
    return { error: new SubagentError('AGENT_BUSY', 'prompt', text, present({ retryAfterMs })) }
  }
  if (kind === 'sandboxError') {
    const text = `The sandbox of ${name} could not be set up: ${words} It needs user namespaces; see codex sandbox --help.`
    return { error: new SubagentError('AGENT_ERROR', 'prompt', text, {}) }
  }
  if (kind === 'modelNotFound' || status === 404) {
    const text = `${name} doesn't know the model that it was asked for: ${words} Name another one with --model.`
    return { error: new SubagentError('AGENT_ERROR', 'prompt', text, present({ agentCode: status })) }
  }
  if (kind === 'badRequest' || REFUSALS.has(status ?? 0) || refusal !== undefined) {
    const text = `The model service of ${name} refused its request: ${words} Check the model and what was attached.`
    return { error: new SubagentError('AGENT_ERROR', 'prompt', text, present({ agentCode: status })) }
  }
  const text = `The model service of ${name} failed: ${words}`
  return { error: new SubagentError('MODEL_ERROR', 'prompt', text, present({ agentCode: status })) }
}

/** What the service itself answered, handed on as it came: that the request is wrong, in its own shape. */
const refusalIn = (message: string): string | undefined => {
  if (!message.startsWith('{')) return undefined
  try {
    const said: unknown = JSON.parse(message)
    const error = isRecord(said) ? said['error'] : undefined
    if (!isRecord(error) || error['type'] !== 'invalid_request_error') return undefined
    return typeof error['message'] === 'string' ? error['message'] : undefined
  } catch {
    return undefined
  }
}

const LOGIN = { id: 'login', name: 'codex login', command: 'codex login' }

const BUSY: ReadonlySet<string> = new Set([
  'rateLimitExceeded',
  'usageLimitExceeded',
  'sessionBudgetExceeded',
  'serverOverloaded',
  'flexUnavailable',
  'policyCapacityUnavailable',
])

/** They blame the request, and not its moment. */
const REFUSALS: ReadonlySet<number> = new Set([400, 413, 422])

const isBusy = (kind: string, status: number | undefined): boolean =>
  BUSY.has(kind) || status === 429 || status === 529 || status === 503
