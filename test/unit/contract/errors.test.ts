/** The closed catalogue of errors: its codes with what each face makes of them, and the one error class. */
import { expect, test } from 'vitest'
import { ERROR_CATALOG } from '../../../src/contract/error-catalog.ts'
import { SubagentError } from '../../../src/contract/errors.ts'
import type { ErrorCode } from '../../../src/contract/errors.ts'

/** Code, exit code of the CLI, JSON-RPC code on the ACP face, category of a run that ends so. */
const PINNED: readonly [ErrorCode, number, number, string?][] = [
  ['INVALID_REQUEST', 2, -32602],
  ['INVALID_CONFIG', 2, -32602],
  ['PROVIDER_NOT_FOUND', 2, -32602],
  ['DUPLICATE_PROVIDER', 2, -32602],
  ['PRESET_NOT_FOUND', 2, -32602],
  ['SESSION_NOT_FOUND', 4, -32002],
  ['SESSION_BUSY', 4, -32600],
  ['NOT_RESUMABLE', 4, -32002],
  ['UNAUTHORIZED', 4, -32600],
  ['UNSUPPORTED_CAPABILITY', 6, -32602],
  ['DEPTH_EXCEEDED', 7, -32603],
  ['CAPACITY_EXCEEDED', 7, -32603],
  ['LINEAGE_INVALID', 7, -32603],
  ['AGENT_NOT_FOUND', 1, -32603, 'process'],
  ['AGENT_NOT_EXECUTABLE', 1, -32603, 'process'],
  ['AGENT_EXITED', 1, -32603, 'process'],
  ['AGENT_NOT_ACP', 1, -32603, 'protocol'],
  ['PROTOCOL_MISMATCH', 1, -32603, 'protocol'],
  ['PROTOCOL_ERROR', 1, -32603, 'protocol'],
  ['MESSAGE_TOO_LARGE', 1, -32603, 'protocol'],
  ['AGENT_ERROR', 1, -32603, 'provider'],
  ['PROVIDER_FAULT', 1, -32603, 'provider'],
  ['MODEL_ERROR', 1, -32603, 'model'],
  ['AGENT_BUSY', 12, -32603, 'busy'],
  ['AUTH_REQUIRED', 11, -32000, 'auth'],
  ['STARTUP_TIMEOUT', 3, -32603, 'startup'],
  ['IDLE_TIMEOUT', 3, -32603, 'idle'],
  ['TOTAL_TIMEOUT', 3, -32603, 'total'],
  ['SCHEMA_MISMATCH', 8, -32603, 'schema'],
  ['CANCELLED', 10, -32800, 'request'],
  ['OWNER_LOST', 1, -32603, 'owner_lost'],
  ['STORE_READONLY', 1, -32603, 'process'],
  ['STORE_FAILED', 1, -32603, 'process'],
  ['CLOSED', 1, -32603],
]

const RETRYABLE = [
  'SESSION_BUSY',
  'CAPACITY_EXCEEDED',
  'MODEL_ERROR',
  'AGENT_BUSY',
  'STARTUP_TIMEOUT',
  'IDLE_TIMEOUT',
  'OWNER_LOST',
  'STORE_FAILED',
]

test('B10.3: the catalogue holds these codes, with these exit and JSON-RPC codes, and no others', () => {
  const rows = Object.entries(ERROR_CATALOG).map(([code, { exit, jsonRpc, category }]) =>
    category === undefined ? [code, exit, jsonRpc] : [code, exit, jsonRpc, category],
  )
  expect(rows).toEqual(PINNED)
})

test('B10.3: these codes are worth another try, and no others', () => {
  const retryable = Object.entries(ERROR_CATALOG).filter(([, rule]) => rule.retryable)
  expect(retryable.map(([code]) => code)).toEqual(RETRYABLE)
})

test('each code says what it means, what to do, and what data it carries', () => {
  for (const [code, { meaning, action }] of Object.entries(ERROR_CATALOG)) {
    expect(meaning, code).toMatch(/\.$/u)
    expect(action, code).not.toBe('')
  }
  expect(ERROR_CATALOG.AGENT_ERROR.data).toBe('agentCode?, agentData?, withheld?')
  expect(ERROR_CATALOG.MODEL_ERROR.data).toBe('agentCode?, withheld?')
})

test('an error crosses a border as JSON and comes back as itself', () => {
  const error = new SubagentError('DEPTH_EXCEEDED', 'depth', 'Too deep.', { attempted: 2, max: 1 })
  const json = {
    code: 'DEPTH_EXCEEDED',
    message: 'Too deep.',
    phase: 'depth',
    retryable: false,
    data: { attempted: 2, max: 1 },
  }
  expect(JSON.parse(JSON.stringify(error))).toEqual(json)
  const back = SubagentError.fromJSON(json)
  expect(back).toBeInstanceOf(SubagentError)
  expect(back?.toJSON()).toEqual(json)
  expect([back?.category, error.retryable]).toEqual([undefined, false])
})

test('the category of an error is that of the run it ends', () => {
  const error = new SubagentError('AGENT_BUSY', 'prompt', 'Busy.', { retryAfterMs: 5 })
  expect([error.category, error.retryable, error.toJSON().data]).toEqual(['busy', true, { retryAfterMs: 5 }])
})

test.each([undefined, null, 'CLOSED', {}, { code: 'NOPE' }, { code: 'toString' }, { code: 1 }, ['CLOSED']])(
  'foreign JSON %j is not taken for one of ours',
  (value) => {
    expect(SubagentError.fromJSON(value)).toBeUndefined()
  },
)

test('of a foreign error, the phase is a known one, words and data are cut, and lists are lists', () => {
  const error = SubagentError.fromJSON({
    code: 'UNSUPPORTED_CAPABILITY',
    message: 'ü'.repeat(4096),
    phase: 'nowhere',
    data: { provider: 'x'.repeat(9000), missing: 'all', fields: null },
  })
  expect(error?.phase).toBe('prompt')
  expect(Buffer.byteLength(error?.message ?? '')).toBeLessThanOrEqual(4096)
  expect(error?.data).toMatchObject({ missing: [], fields: [] })
  expect(JSON.stringify(error?.data).length).toBeLessThan(5000)
  expect(SubagentError.fromJSON({ code: 'MODEL_ERROR', message: 'x', phase: 'session' })?.data).toEqual({})
  expect(SubagentError.fromJSON({ code: 'CLOSED', message: 1, data: {} })).toBeUndefined()
})

test('the brand also holds for an instance of another copy of the class', () => {
  const foreign = new Error('x')
  Object.defineProperty(foreign, Symbol.for('subgate.SubagentError'), { value: true })
  expect(SubagentError.is(foreign)).toBe(true)
  expect(SubagentError.is(new SubagentError('CLOSED', 'request', 'Closed.', {}))).toBe(true)
  for (const other of [new Error('x'), { code: 'CLOSED' }, undefined, null]) {
    expect(SubagentError.is(other)).toBe(false)
  }
})

test('the brand is not part of what is logged', () => {
  const error = new SubagentError('CLOSED', 'request', 'Closed.', {})
  expect(Object.keys(error)).not.toContain('brand')
  expect(Object.getOwnPropertySymbols(error.toJSON())).toEqual([])
})
