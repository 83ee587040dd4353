/** Failures of models as errors of the catalogue, and when another try is worth it. */
import { describe, expect, test } from 'vitest'
import { isTransient, modelFault, retryDelay } from '../../../../src/agent/models/fault.ts'
import { readFailure } from '../../../../src/agent/models/failure.ts'
import { SubagentError } from '../../../../src/contract/errors.ts'

const KEY = 'planted-key-93ab'
const model = {
  ref: 'anthropic/claude-opus-4-8',
  redact: (text: string) => text.replaceAll(KEY, '[ANTHROPIC_API_KEY]'),
}

const http = (
  statusCode: number,
  error: object = {},
  headers: Readonly<Record<string, string>> = {},
): Error =>
  Object.assign(new Error('from the service'), {
    name: 'AI_APICallError',
    statusCode,
    responseHeaders: headers,
    requestBodyValues: { prompt: 'the secret prompt' },
    data: { error },
  })

const network = (code: string): Error =>
  new Error('Cannot connect', { cause: Object.assign(new Error(code), { code }) })

describe('codes', () => {
  test.each([
    [401, {}, 'AUTH_REQUIRED', false],
    [403, {}, 'AUTH_REQUIRED', false],
    [429, { type: 'rate_limit_error' }, 'AGENT_BUSY', true],
    [429, { code: 'insufficient_quota' }, 'AGENT_BUSY', false],
    [529, {}, 'AGENT_BUSY', true],
    [503, { status: 'UNAVAILABLE' }, 'AGENT_BUSY', true],
    [503, { type: 'overloaded_error' }, 'AGENT_BUSY', true],
    [503, {}, 'MODEL_ERROR', true],
    [500, {}, 'MODEL_ERROR', true],
    [502, {}, 'MODEL_ERROR', true],
    [501, {}, 'MODEL_ERROR', false],
    [400, {}, 'MODEL_ERROR', false],
    [402, {}, 'MODEL_ERROR', false],
    [404, {}, 'MODEL_ERROR', false],
    [408, {}, 'MODEL_ERROR', true],
  ])('HTTP %i %j is %s, transient: %s', (status, error, code, transient) => {
    const thrown = http(status, error)
    expect(modelFault(thrown, model)).toMatchObject({ code, phase: 'prompt' })
    expect(isTransient(thrown)).toBe(transient)
  })

  test.each(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'UND_ERR_SOCKET'])('%s is MODEL_ERROR', (code) => {
    expect(modelFault(network(code), model)).toMatchObject({ code: 'MODEL_ERROR', data: {} })
    expect(isTransient(network(code))).toBe(true)
  })

  test.each([
    undefined,
    null,
    'garbage',
    7,
    [],
    {},
    new Error('anything'),
    new TypeError('x is no function'),
  ])('anything else, such as %s, is MODEL_ERROR and quotes nothing', (thrown) => {
    const fault = modelFault(thrown, model)
    expect(fault).toMatchObject({
      code: 'MODEL_ERROR',
      message:
        'The model anthropic/claude-opus-4-8 gave an answer that is not of its protocol. Check its address.',
    })
  })

  test('an error of ours stays itself', () => {
    const ours = new SubagentError('INVALID_REQUEST', 'prompt', 'no', {})
    expect(modelFault(ours, model)).toBe(ours)
    expect(isTransient(ours)).toBe(false)
  })

  test('an error whose causes go round is read all the same', () => {
    const round = new Error('round')
    round.cause = round
    expect(modelFault(round, model)).toMatchObject({ code: 'MODEL_ERROR' })
  })
})

describe('a context that overflows', () => {
  test.each([
    [400, { code: 'context_length_exceeded', message: 'x' }],
    [400, { type: 'exceed_context_size_error', message: 'x' }],
    [400, { type: 'invalid_request_error', message: 'prompt is too long: 3 tokens > 2 maximum' }],
    [400, { message: "This model's maximum context length is 65536 tokens." }],
    [413, { message: 'prompt is too long' }],
  ])('is known by %i %j', (status, error) => {
    expect(modelFault(http(status, error), model)).toBe('context_overflow')
  })

  test.each([
    [500, { message: 'prompt is too long' }],
    [429, { message: "This model's maximum context length is 10 tokens" }],
    [400, { message: 'the tool said: prompt is too long' }],
  ])('is not read into %i %j', (status, error) => {
    expect(modelFault(http(status, error), model)).toBeInstanceOf(SubagentError)
  })
})

describe('what an error shows', () => {
  test("is the service's words in one bounded line, without keys and without the request", () => {
    const fault = modelFault(
      http(500, { message: `with ${KEY} and sk-abcdefghijklmnop:\n${'long '.repeat(200)}` }),
      model,
    )
    const message = fault instanceof SubagentError ? fault.message : ''
    expect(message).toMatch(/It said: with \[ANTHROPIC_API_KEY\] and \[key\]: long long .*…$/u)
    expect(message.length).toBeLessThan(450)
    expect(JSON.stringify(fault)).not.toContain('the secret prompt')
    expect(fault instanceof SubagentError && fault.cause).toBeUndefined()
  })

  test('quotes nothing where a key was refused', () => {
    const fault = modelFault(http(401, { message: 'Incorrect key: whatever-it-was' }), model)
    expect(fault).toMatchObject({
      message:
        'The model anthropic/claude-opus-4-8 refused the key that was sent (HTTP 401). Check the key in ANTHROPIC_API_KEY.',
      data: { withheld: ['ANTHROPIC_API_KEY'] },
    })
  })
})

describe('when a service wants to be asked again', () => {
  const now = Date.parse('2026-11-30T12:00:00Z')
  test.each([
    [{ 'retry-after': '7' }, {}, 7_000],
    [{ 'retry-after': '0.5' }, {}, 500],
    [{ 'retry-after': 'Mon, 30 Nov 2026 12:00:05 GMT' }, {}, 5_000],
    [{ 'retry-after': 'Mon, 30 Nov 2026 11:00:00 GMT' }, {}, 0],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, {}, 250],
    [{ 'retry-after': 'soon' }, {}, undefined],
    [{ 'retry-after': '-3' }, {}, undefined],
    [{}, { details: [{ '@type': 'x' }, { retryDelay: '34s' }] }, 34_000],
    [{}, {}, undefined],
  ])('%j %j is %s ms', (headers, error, expected) => {
    expect(readFailure(http(429, error, headers), now).retryAfterMs).toBe(expected)
  })
})

describe('the wait before another try', () => {
  test('doubles up to half a minute, with half of it left to chance', () => {
    const waits = [1, 2, 3, 20].map((attempt) => [
      retryDelay(attempt, http(500), () => 0),
      retryDelay(attempt, http(500), () => 1),
    ])
    expect(waits).toEqual([
      [250, 500],
      [500, 1_000],
      [1_000, 2_000],
      [15_000, 30_000],
    ])
  })

  test('is never shorter than what the service asks for, and little longer', () => {
    const busy = http(429, {}, { 'retry-after': '20' })
    expect([0, 1].map((chance) => retryDelay(1, busy, () => chance))).toEqual([20_000, 20_125])
  })

  test('is none where two minutes are not enough, or another try is no use', () => {
    expect(retryDelay(1, http(429, {}, { 'retry-after': '121' }), () => 0)).toBeUndefined()
    expect(retryDelay(1, http(400), () => 0)).toBeUndefined()
    expect(retryDelay(1, http(429, { code: 'insufficient_quota' }), () => 0)).toBeUndefined()
  })
})
