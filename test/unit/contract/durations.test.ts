import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatDuration, parseDuration } from '../../../src/contract/durations.ts'
import { errorOf } from '../config/house.ts'

test.for([
  ['90', 90_000],
  ['90s', 90_000],
  ['10m', 600_000],
  ['1h', 3_600_000],
  ['1.5h', 5_400_000],
  ['0.25', 250],
  ['0', 0],
  ['0s', 0],
] as const)('the duration %s is %i milliseconds', ([text, ms]) => {
  expect(parseDuration(text)).toBe(ms)
})

test.for(['', ' 5', '5 m', '-1', '+1', '1d', '5ms', '1h30m', 'NaN', 'Infinity', '1e3', '.5', '0x10', 'none'])(
  '%j is no duration, and the error shows the forms that are',
  (text) => {
    const error = errorOf(() => parseDuration(text, '--timeout'))
    expect(error.code).toBe('INVALID_REQUEST')
    expect(error.data).toEqual({ field: '--timeout' })
    expect(error.message).toBe(
      `Invalid --timeout: ${JSON.stringify(text)} is no duration. ` +
        'Give seconds (90), or a number with a unit: 90s, 10m, 1h, 1.5h; 0 means none.',
    )
  },
)

test('a duration too great for a safe integer is refused', () => {
  expect(errorOf(() => parseDuration('9007199254740992')).code).toBe('INVALID_REQUEST')
})

test('a duration below a millisecond never becomes 0, which would be no limit at all', () => {
  expect(parseDuration('0.0001s')).toBe(1)
})

test.for([
  [0, 'none'],
  [250, '0.25s'],
  [90_000, '90s'],
  [600_000, '10m'],
  [5_400_000, '90m'],
  [7_200_000, '2h'],
] as const)('%i milliseconds read as %s', ([ms, text]) => {
  expect(formatDuration(ms)).toBe(text)
})

test('a duration that was formatted parses back to itself', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e12 }), (ms) => {
      expect(parseDuration(formatDuration(ms))).toBe(ms)
    }),
  )
})
