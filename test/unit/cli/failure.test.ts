/** What a person is told of a run that did not simply complete. */
import { describe, expect, test } from 'vitest'
import { errorHints, failureLines } from '../../../src/cli/run/failure.ts'
import type { ResultDocument } from '../../../src/cli/documents.ts'
import { runId, sessionId } from '../../../src/contract/ids.ts'
import type { ErrorJson } from '../../../src/contract/errors.ts'

const lines = (more: Partial<ResultDocument>): readonly string[] =>
  failureLines({
    type: 'result',
    runId: runId('r'),
    sessionId: sessionId('s'),
    provider: 'acp',
    depth: 0,
    status: 'completed',
    text: '',
    denied: [],
    durationMs: 1,
    exitCode: 0,
    ...more,
  })

const error = (data: ErrorJson['data']): ErrorJson => ({
  code: 'AGENT_EXITED',
  message: 'acp exited with code 3.',
  phase: 'prompt',
  retryable: false,
  data,
})

test('a completed run needs no words', () => {
  expect(lines({})).toEqual([])
})

test.each([
  ['empty', 'no_text', 'The run ended without an answer.'],
  ['truncated', 'max_tokens', 'The run was cut short (max_tokens).'],
  ['refused', 'refusal', 'The model declined the task.'],
  ['cancelled', 'signal', 'Cancelled.'],
  ['timed_out', 'idle', 'The run timed out.'],
  ['failed', 'provider', 'The run failed.'],
  ['interrupted', 'owner_lost', 'The run was interrupted: its owner died.'],
] as const)('%s without an error says so', (status, category, line) => {
  expect(lines({ status, category })).toEqual([line])
})

test("the error's own words stand in place of ours", () => {
  expect(lines({ status: 'failed', category: 'process', error: error({}) })).toEqual([
    'acp exited with code 3.',
  ])
})

test('B10.3: each denial names the flag that would have allowed it, also when the run completed', () => {
  const denied = [{ title: 'Write a.md', kind: 'edit', flag: '--permission allow' }] as const
  expect(lines({ denied })).toEqual(['Denied by policy: Write a.md (--permission allow would allow it).'])
  expect(lines({ denied, status: 'empty', category: 'no_text' })).toEqual([
    'Denied by policy: Write a.md (--permission allow would allow it).',
    'The run ended without an answer.',
  ])
})

describe('hints', () => {
  test("the last ten lines of the agent's stderr", () => {
    const stderr = Array.from({ length: 12 }, (_, index) => `line ${index}\n`).join('')
    expect(errorHints(error({ stderr }))).toEqual([
      'The agent wrote on stderr:',
      ...Array.from({ length: 10 }, (_, index) => `  line ${index + 2}`),
    ])
  })

  test("C32: names of variables that the agent didn't get, without a shell's own bookkeeping", () => {
    expect(
      errorHints(error({ withheld: ['AWS_SECRET_ACCESS_KEY', 'MY_TOKEN', 'OLDPWD', 'SHLVL', '_'] })),
    ).toEqual([
      "Variables that the agent didn't get (pass one with --env NAME): AWS_SECRET_ACCESS_KEY, MY_TOKEN",
    ])
  })

  test('nothing where there is nothing to say', () => {
    expect(errorHints(error({}))).toEqual([])
    expect(errorHints(error({ stderr: '\n', withheld: ['_'] }))).toEqual([])
  })
})
