/** The JSON documents of design.md §7: their keys, their order, their exit codes. */
import { describe, expect, test } from 'vitest'
import { asSubagentError, errorDocument, eventDocument, resultDocument } from '../../../src/cli/documents.ts'
import { SubagentError } from '../../../src/contract/errors.ts'
import { runId, sessionId } from '../../../src/contract/ids.ts'
import type { SubagentResult } from '../../../src/contract/result.ts'

const RESULT: SubagentResult = {
  durationMs: 12,
  denied: [],
  text: 'hello',
  status: 'completed',
  depth: 0,
  provider: 'codex',
  sessionId: sessionId('s'),
  runId: runId('r'),
}

test('a plain result has these keys in this order', () => {
  expect(JSON.stringify(resultDocument(RESULT, 'fail'))).toBe(
    '{"type":"result","runId":"r","sessionId":"s","provider":"codex","depth":0,"status":"completed",' +
      '"text":"hello","denied":[],"durationMs":12,"exitCode":0}',
  )
})

test('a full result has these keys in this order', () => {
  const error = new SubagentError('AGENT_ERROR', 'prompt', 'No.', { agentCode: 1 }).toJSON()
  const whole: SubagentResult = {
    ...RESULT,
    error,
    usage: { inputTokens: 1, outputTokens: 2, costUsd: 0.5 },
    structured: { n: 1 },
    category: 'provider',
    status: 'failed',
    parentSessionId: sessionId('p'),
    denied: [{ title: 'Write a.md', kind: 'edit', flag: '--permission allow' }],
  }
  expect(JSON.stringify(resultDocument(whole, 'fail'))).toBe(
    '{"type":"result","runId":"r","sessionId":"s","parentSessionId":"p","provider":"codex","depth":0,' +
      '"status":"failed","category":"provider","text":"hello","structured":{"n":1},' +
      '"denied":[{"title":"Write a.md","kind":"edit","flag":"--permission allow"}],' +
      '"usage":{"inputTokens":1,"outputTokens":2,"costUsd":0.5},"durationMs":12,' +
      '"error":{"code":"AGENT_ERROR","message":"No.","phase":"prompt","retryable":false,"data":{"agentCode":1}},' +
      '"exitCode":1}',
  )
})

test('an error is code, message, phase, retryable and data', () => {
  const error = new SubagentError('UNSUPPORTED_CAPABILITY', 'gate', 'No.', {
    provider: 'acp',
    missing: ['model'],
    fields: ['model'],
    alternatives: [],
  })
  expect(JSON.stringify(errorDocument(error))).toBe(
    '{"type":"error","error":{"code":"UNSUPPORTED_CAPABILITY","message":"No.","phase":"gate","retryable":false,' +
      '"data":{"provider":"acp","missing":["model"],"fields":["model"],"alternatives":[]}},"exitCode":6}',
  )
})

test('an event carries its run, session, place and time', () => {
  const entry = {
    seq: 3,
    at: 5,
    runId: runId('r'),
    event: { type: 'notice', severity: 'info', title: 'T' },
  } as const
  expect(JSON.stringify(eventDocument(runId('r'), sessionId('s'), entry))).toBe(
    '{"type":"event","runId":"r","sessionId":"s","seq":3,"at":5,"event":{"type":"notice","severity":"info","title":"T"}}',
  )
})

describe('B10.3: exit codes', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('cancelled by %s is %d, whether the run was open or on its way', (signal, code) => {
    const cancelled: SubagentResult = { ...RESULT, status: 'cancelled', category: 'signal' }
    expect(resultDocument(cancelled, 'fail', signal).exitCode).toBe(code)
    const error = new SubagentError('CANCELLED', 'spawn', 'Cancelled.', { by: 'signal' })
    expect(errorDocument(error, signal).exitCode).toBe(code)
  })

  test('a run that completed all the same keeps its own code', () => {
    expect(resultDocument(RESULT, 'fail', 'SIGINT').exitCode).toBe(0)
    expect(errorDocument(new SubagentError('CLOSED', 'request', 'x', {}), 'SIGINT').exitCode).toBe(1)
  })

  test('cancelled from elsewhere is 10', () => {
    expect(resultDocument({ ...RESULT, status: 'cancelled', category: 'request' }, 'fail').exitCode).toBe(10)
  })

  test('a denial is 5, or 0 when denials are to be ignored', () => {
    const denied: SubagentResult = { ...RESULT, denied: [{ title: 'W', kind: 'edit', flag: 'f' }] }
    expect(resultDocument(denied, 'fail').exitCode).toBe(5)
    expect(resultDocument(denied, 'continue').exitCode).toBe(0)
  })
})

test('what is thrown and is none of ours is a fault of the program', () => {
  expect(errorDocument(asSubagentError(new TypeError('x is undefined')))).toMatchObject({
    error: { code: 'PROVIDER_FAULT', message: 'Subgate failed: x is undefined' },
    exitCode: 1,
  })
  const ours = new SubagentError('CLOSED', 'request', 'x', {})
  expect(asSubagentError(ours)).toBe(ours)
})
