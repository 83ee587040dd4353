/** How an effort that was asked for is said to a model service, and what is refused before it is asked. Pure. */
import { SubagentError } from '../../contract/errors.ts'
import type { JsonObject } from '../../contract/json.ts'

/** Every level that some service knows. */
export const EFFORT_LEVELS: readonly string[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

export interface EffortRule {
  /** The models known to honour an effort; of all others none is promised. */
  readonly models: RegExp
  readonly levels: readonly string[]
  /** Provider options, under the provider's own name. */
  options(level: string): JsonObject
}

/** Refuses a level that the model doesn't have: a package would drop it without a word. */
export const effortOptions = (ref: string, rule: EffortRule, effort: string): JsonObject => {
  if (rule.levels.includes(effort)) return rule.options(effort)
  throw new SubagentError(
    'INVALID_REQUEST',
    'resolve',
    `Invalid effort: ${JSON.stringify(effort)} is none that ${ref} has. Give one of ${rule.levels.join(', ')}.`,
    { field: 'effort' },
  )
}
