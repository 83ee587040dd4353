/** How old what `prune` removes must be, read from its flags. Pure. */
import { parseDuration } from '../../contract/durations.ts'
import { SubagentError } from '../../contract/errors.ts'
import type { PruneRule } from '../../gateway-store.ts'

export interface RuleFlags {
  readonly olderThan?: string
  readonly keep?: string
}

const DAY_MS = 86_400_000
const DEFAULT_AGE_MS = 30 * DAY_MS
const DAYS = /^(\d+(?:\.\d+)?)([dw])$/u

/** Without --older-than, --keep alone decides; without both, 30 days do. */
export const ruleOf = ({ olderThan, keep }: RuleFlags): PruneRule => ({
  olderThanMs: olderThan === undefined ? (keep === undefined ? DEFAULT_AGE_MS : 0) : ageOf(olderThan),
  keep: keep === undefined ? 0 : wholeNumber(keep),
})

const ageOf = (text: string): number => {
  const [, digits = '', unit] = DAYS.exec(text) ?? []
  if (digits !== '') return Math.round(Number(digits) * (unit === 'w' ? 7 * DAY_MS : DAY_MS))
  try {
    return parseDuration(text, '--older-than')
  } catch {
    throw usage('--older-than', `--older-than is "${text}". Give an age, such as 30d, 2w or 12h.`)
  }
}

const wholeNumber = (text: string): number => {
  if (/^\d+$/u.test(text) && Number.isSafeInteger(Number(text))) return Number(text)
  throw usage('--keep', `--keep is "${text}", but it must be a whole number of at least 0.`)
}

const usage = (field: string, message: string): SubagentError =>
  new SubagentError('INVALID_REQUEST', 'request', message, { field })
