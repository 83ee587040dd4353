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

const error = (data: ErrorJson['data'], more: Partial<ErrorJson> = {}): ErrorJson => ({
  code: 'AGENT_EXITED',
  message: 'acp exited with code 3.',
  phase: 'prompt',
  retryable: false,
  data,
  ...more,
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

  test('one line of it that stands in the message already is not said again', () => {
    const message = 'node exited with code 1 before it was ready. Its last words: no luck'
    expect(errorHints(error({ stderr: 'no luck\n' }, { message }))).toEqual([])
    expect(errorHints(error({ stderr: 'why\nno luck\n' }, { message }))).toEqual([
      'The agent wrote on stderr:',
      '  why',
      '  no luck',
    ])
  })

  test("C32: of an agent that gave up at its start, the variables that it didn't get: keys first, a shell's own left out", () => {
    const withheld = ['EDITOR', 'MY_TOKEN', 'OLDPWD', 'SHLVL', '_']
    expect(errorHints(error({ withheld }, { phase: 'initialize' }))).toEqual([
      'Not passed to the agent: MY_TOKEN, EDITOR. Pass one with --env NAME.',
    ])
  })

  test('C32: five names at most', () => {
    const withheld = ['A', 'B', 'C', 'D', 'E', 'F', 'AWS_SECRET_ACCESS_KEY']
    expect(errorHints(error({ withheld }, { phase: 'initialize' }))).toEqual([
      'Not passed to the agent: AWS_SECRET_ACCESS_KEY, A, B, C, D and 2 more. Pass one with --env NAME.',
    ])
  })

  test.each<[string, Partial<ErrorJson>, boolean]>([
    ['a sign-in that is wanted', { code: 'AUTH_REQUIRED' }, true],
    ['a service that speaks of a key', { code: 'AGENT_ERROR', message: 'x: Invalid API key' }, true],
    ['a model service that forbids', { code: 'MODEL_ERROR', message: 'HTTP 403' }, true],
    ['an agent that ended in mid-turn', {}, false],
    ['any other error of an agent', { code: 'AGENT_ERROR', message: 'x: no such file' }, false],
    ['a program that is no agent', { code: 'AGENT_NOT_ACP', phase: 'initialize' }, false],
    ['a program that is not there', { code: 'AGENT_NOT_FOUND', phase: 'spawn' }, false],
    ['a limit', { code: 'STARTUP_TIMEOUT', phase: 'initialize' }, false],
  ])('C32: whether variables are spoken of: %s', (_, more, spoken) => {
    expect(errorHints(error({ withheld: ['MY_KEY'] }, more)).length > 0).toBe(spoken)
  })

  test('C32: a variable that the message names is not named again', () => {
    const message = 'x wants a sign-in (no). To go on, pass its key with --env MY_KEY.'
    expect(errorHints(error({ withheld: ['MY_KEY'] }, { code: 'AUTH_REQUIRED', message }))).toEqual([])
  })

  test('nothing where there is nothing to say', () => {
    expect(errorHints(error({}))).toEqual([])
    expect(errorHints(error({ stderr: '\n', withheld: ['_'] }, { phase: 'initialize' }))).toEqual([])
  })
})
