/** Durations as people type them: seconds, or a number with `s`, `m` or `h`. */
import { SubagentError } from './errors.ts'

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 }
const FORM = /^(\d+(?:\.\d+)?)([smh]?)$/

/** Milliseconds; 0 = none. `field` is the flag or field as typed. */
export const parseDuration = (text: string, field = 'duration'): number => {
  const [, digits = '', unit = ''] = FORM.exec(text) ?? []
  const exact = digits === '' ? NaN : Number(digits) * (UNITS[unit] ?? 1_000)
  // A tiny duration must not become 0, which is none at all.
  const ms = exact > 0 ? Math.max(1, Math.round(exact)) : exact
  if (Number.isSafeInteger(ms)) return ms
  throw new SubagentError(
    'INVALID_REQUEST',
    'request',
    `Invalid ${field}: ${JSON.stringify(text)} is no duration. ` +
      'Give seconds (90), or a number with a unit: 90s, 10m, 1h, 1.5h; 0 means none.',
    { field },
  )
}

/** The largest unit that fits without a rest; 0 is `none`. */
export const formatDuration = (ms: number): string => {
  if (ms === 0) return 'none'
  for (const unit of ['h', 'm'] as const) {
    const size = UNITS[unit] ?? 1
    if (ms % size === 0) return `${ms / size}${unit}`
  }
  return `${ms / 1_000}s`
}
