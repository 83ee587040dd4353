/** Errors about a field of the request, told with the flag that was typed. */
import { expect, test } from 'vitest'
import { asTyped } from '../../../src/cli/run/as-typed.ts'
import { SubagentError } from '../../../src/contract/errors.ts'

const told = (message: string, field: string) => {
  const {
    message: said,
    data,
    phase,
  } = asTyped(new SubagentError('INVALID_REQUEST', 'resolve', message, { field }))
  return { said, field: (data as { readonly field?: string }).field, phase }
}

test.each([
  ['cwd', '"cwd" is "/no", which can\'t be opened.', '--cwd (-C) is "/no", which can\'t be opened.'],
  ['additionalDirectories.1', '"additionalDirectories.1" is "x".', '--add-dir is "x".'],
  ['label', 'Invalid request: "label": too long.', 'Invalid request: --label: too long.'],
])('%s', (field, message, said) => {
  expect(told(message, field)).toEqual({ said, field, phase: 'resolve' })
})

test('a word that a message quotes further on, such as a key of configuration, stays', () => {
  const message = 'No model is named. Set "model" in the configuration.'
  expect(told(message, 'model')).toEqual({ said: message, field: 'model', phase: 'resolve' })
})

test('other fields and other errors stay as they are', () => {
  expect(told('"meta" is no object.', 'meta').said).toBe('"meta" is no object.')
  const other = new SubagentError('CLOSED', 'request', '"cwd" is closed.', {})
  expect(asTyped(other)).toBe(other)
})

test.each([
  [{ outputSchema: '{}' }, '(--json-schema)', '(--output-schema)'],
  [{ maxBudgetUsd: '1' }, '(--max-cost)', '(--max-budget-usd)'],
  [{ session: 'work' }, '(--resume)', '(--session)'],
  [{}, '(--json-schema)', '(--json-schema)'],
])('of a control with two flags %j, the one that was typed is named (law 1)', (flags, first, typed) => {
  const data = { provider: 'p', missing: [], fields: [], alternatives: [] }
  const refusal = new SubagentError('UNSUPPORTED_CAPABILITY', 'gate', `"x" ${first} was asked for.`, data)
  const named = asTyped(refusal, flags)
  expect(named.message).toBe(`"x" ${typed} was asked for.`)
  expect(named).toMatchObject({ code: 'UNSUPPORTED_CAPABILITY', phase: 'gate', data })
})
