/** Failures as 0.171.0 tells them, and what each is for the caller. */
import { expect, test } from 'vitest'
import { failureOf } from '../../../src/providers/codex/errors.ts'

const NOW = new Date(2026, 11, 1, 4, 0, 0).getTime()
const failed = (info: unknown, message: string, resetMs?: number) =>
  failureOf({ message, codexErrorInfo: info, additionalDetails: null }, 'codex', { now: NOW, resetMs })

test.each<[string, unknown, string, string, boolean, string]>([
  [
    'not signed in',
    { httpConnectionFailed: { httpStatusCode: 401 } },
    'unexpected status 401 Unauthorized: The API key is missing or wrong',
    'AUTH_REQUIRED',
    false,
    'codex login',
  ],
  [
    'forbidden',
    { httpConnectionFailed: { httpStatusCode: 403 } },
    'unexpected status 403 Forbidden: No.',
    'AUTH_REQUIRED',
    false,
    'codex login',
  ],
  [
    'too many requests',
    { responseTooManyFailedAttempts: { httpStatusCode: 429 } },
    'exceeded retry limit, last status: 429 Too Many Requests',
    'AGENT_BUSY',
    true,
    'Try again later.',
  ],
  [
    'a rate limit in mid-answer',
    'rateLimitExceeded',
    'rate limit exceeded: Please try again in 11.5s.',
    'AGENT_BUSY',
    true,
    'Try again in 12 s.',
  ],
  [
    'a quota',
    'usageLimitExceeded',
    'Quota exceeded. Check your plan and billing details.',
    'AGENT_BUSY',
    true,
    'billing',
  ],
  [
    'a request that is too large',
    { httpConnectionFailed: { httpStatusCode: 413 } },
    'unexpected status 413 Payload Too Large',
    'AGENT_ERROR',
    false,
    'refused its request',
  ],
  [
    'an overloaded service',
    'serverOverloaded',
    'Selected model is at capacity. Please try a different model.',
    'AGENT_BUSY',
    true,
    'at capacity',
  ],
  [
    'a service that is down for now',
    { httpConnectionFailed: { httpStatusCode: 503 } },
    'unexpected status 503 Service Unavailable: x',
    'AGENT_BUSY',
    true,
    'Try again',
  ],
  ['an unknown model', 'modelNotFound', 'The model `x` does not exist', 'AGENT_ERROR', false, '--model'],
  [
    'an address without the model',
    { httpConnectionFailed: { httpStatusCode: 404 } },
    'unexpected status 404 Not Found: x',
    'AGENT_ERROR',
    false,
    '--model',
  ],
  [
    'a request that the service refused',
    'other',
    '{"error":{"message":"Invalid image.","type":"invalid_request_error","param":null,"code":null}}',
    'AGENT_ERROR',
    false,
    'refused its request: Invalid image. Check',
  ],
  [
    'a failing service',
    'internalServerError',
    'We’re currently experiencing high demand, which may cause temporary errors.',
    'MODEL_ERROR',
    true,
    'high demand',
  ],
  [
    'a service that is down',
    { httpConnectionFailed: { httpStatusCode: null } },
    'error sending request',
    'MODEL_ERROR',
    true,
    'failed: error sending request',
  ],
  [
    'an answer that broke off',
    'other',
    'stream disconnected before completion: stream closed before response.completed',
    'MODEL_ERROR',
    true,
    'stream closed',
  ],
])('%s', (_, info, message, code, retryable, words) => {
  const failure = failed(info, message)
  if (!('error' in failure)) throw new Error('truncated')
  const { error } = failure
  expect([error.code, error.retryable]).toEqual([code, retryable])
  expect(error.message).toContain(words)
})

test('a full context is no error, but the end of the answer', () => {
  expect(failed('contextWindowExceeded', 'Codex ran out of room')).toEqual({ truncated: 'max_tokens' })
})

test('the time at which a limit begins anew comes as a number, or in words', () => {
  const said = 'You’ve hit your usage limit. Upgrade to Pro or try again at 5:10 AM.'
  const waits = (...more: readonly number[]) => {
    const failure = failed('usageLimitExceeded', said, ...more)
    return 'error' in failure ? failure.error.data : undefined
  }
  expect(waits()).toEqual({ retryAfterMs: 4_200_000 })
  expect(waits(4_230_000)).toEqual({ retryAfterMs: 4_230_000 })
})
