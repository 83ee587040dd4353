/** Reads what a model's package threw, or put in its stream, by its shape: no package is loaded for it. Pure. */
import { isRecord } from '../../contract/json.ts'
import { retryAfterMs } from './retry-after.ts'

export interface Failure {
  /**
   * `network`: no answer, or a stream that broke off; `garbage`: an answer outside the protocol; `aborted`: by
   * whoever holds the signal; the others by what the service said.
   */
  readonly kind:
    | 'auth'
    | 'busy'
    | 'context_overflow'
    | 'server'
    | 'refused'
    | 'network'
    | 'garbage'
    | 'aborted'
  /** HTTP status; of an error within a stream, the one that its type stands for. */
  readonly status?: number
  /** The service's own words, whole and unmasked. */
  readonly said: string
  /** Busy for good: a spent quota is no matter of seconds. */
  readonly spent: boolean
  readonly retryAfterMs?: number
}

/** What a stream that ended without its end is read as. */
export const STREAM_CUT = { type: 'stream_cut', message: 'the answer broke off' } as const

/** Types and codes of the services' errors within a stream, where no status comes with them. */
const STATUS_OF: Readonly<Record<string, number>> = {
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  overloaded_error: 529,
  api_error: 500,
  server_error: 500,
  invalid_request_error: 400,
  context_length_exceeded: 400,
}

const OVERFLOW_CODES =
  /^(?:context_length_exceeded|exceed_context_size_error|model_context_window_exceeded)$/u
/** Services without a code for it; their words count only where the request itself was refused. */
const OVERFLOW_WORDS =
  /^prompt is too long\b|^the input token count\b.*\bexceeds the maximum\b|\bmaximum context length is \d+/iu
const OVERLOADED = /overload|unavailable|capacity|slow_down/iu
const SPENT = /^insufficient_quota$/u

const chain = function* (error: unknown): Iterable<Record<string, unknown>> {
  const seen = new Set<unknown>()
  for (let at = error; isRecord(at) && !seen.has(at); at = at['cause']) {
    seen.add(at)
    yield at
  }
}

const parsed = (text: unknown): unknown => {
  if (typeof text !== 'string') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined // An error page of something in between.
  }
}

/** The error object of the service's answer, however deep it is wrapped. */
const bodyOf = (error: Record<string, unknown>): Record<string, unknown> => {
  const outer = error['data'] ?? parsed(error['responseBody']) ?? error
  const first = Array.isArray(outer) ? (outer[0] as unknown) : outer
  const response = isRecord(first) ? first['response'] : undefined
  const holder = isRecord(response) ? response : first
  const inner = isRecord(holder) ? (holder['error'] ?? holder) : {}
  return isRecord(inner) ? inner : {}
}

const NETWORK = /^(?:E[A-Z]+|UND_ERR_\w+|Connection\w+|FailedToOpenSocket)$/u
const isNetwork = (error: unknown): boolean =>
  [...chain(error)].some(
    ({ code, message }) =>
      (typeof code === 'string' && NETWORK.test(code)) ||
      message === 'terminated' ||
      message === 'fetch failed',
  )

const ABORTS = new Set(['AbortError', 'ResponseAborted', 'TimeoutError'])

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const kindOf = (status: number, words: readonly string[], said: string, waits: boolean): Failure['kind'] => {
  const asked = status === 400 || status === 413
  if (words.some((word) => OVERFLOW_CODES.test(word)) || (asked && OVERFLOW_WORDS.test(said)))
    return 'context_overflow'
  if (status === 401 || status === 403) return 'auth'
  if (status === 429 || status === 529) return 'busy'
  if (status === 503 && (waits || words.some((word) => OVERLOADED.test(word)))) return 'busy'
  return status >= 500 ? 'server' : 'refused'
}

export const readFailure = (error: unknown, now: number = Date.now()): Failure => {
  const [top] = chain(error)
  if (top === undefined) return { kind: 'garbage', said: textOf(error), spent: false }
  const body = bodyOf(top)
  const said = textOf(body['message']) || textOf(top['message'])
  if (ABORTS.has(textOf(top['name']))) return { kind: 'aborted', said, spent: false }
  if (top['type'] === STREAM_CUT.type || isNetwork(error)) return { kind: 'network', said, spent: false }
  const words = [body, top].flatMap((part) => [part['code'], part['type'], part['status']]).map(textOf)
  const fromWords = words.map((word) => STATUS_OF[word]).find((found) => found !== undefined)
  const numbers = [top['statusCode'], body['code'], fromWords]
  const status = numbers.find((found) => typeof found === 'number' && found >= 300)
  if (typeof status !== 'number') return { kind: 'garbage', said, spent: false }
  const headers = isRecord(top['responseHeaders']) ? top['responseHeaders'] : {}
  const wait = retryAfterMs(headers, body['details'], now)
  const kind = kindOf(status, words, said, wait !== undefined)
  const spent = words.some((word) => SPENT.test(word))
  return { kind, status, said, spent, ...(wait !== undefined && { retryAfterMs: wait }) }
}
