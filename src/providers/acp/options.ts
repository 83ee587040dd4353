/** Chooses values of an agent's session options: model, effort and mode. Pure. */
import type { SubagentCapabilities } from '../../contract/capabilities.ts'
import { SubagentError } from '../../contract/errors.ts'
import { isRecord } from '../../contract/json.ts'
import { closest } from '../../contract/parse.ts'

export interface ConfigChoice {
  readonly configId: string
  readonly value: string
}

const list = (value: unknown): readonly Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter((item) => isRecord(item)) : []

/** Flat or grouped options, as one list. */
const values = (option: Record<string, unknown>): readonly Record<string, unknown>[] =>
  list(option['options']).flatMap((entry) =>
    Array.isArray(entry['options']) ? list(entry['options']) : [entry],
  )

const byCategory = (session: unknown, category: string): Record<string, unknown> | undefined =>
  list(isRecord(session) ? session['configOptions'] : undefined).find(
    (option) => option['category'] === category && option['type'] === 'select',
  )

const CATEGORIES = { model: 'model', effort: 'thought_level' } as const

type Field = keyof typeof CATEGORIES

/** Rows that only the session's own answer can decide. */
export const optionRows = (session: unknown): Pick<SubagentCapabilities, Field> => ({
  model: byCategory(session, CATEGORIES.model) === undefined ? 'none' : 'native',
  effort: byCategory(session, CATEGORIES.effort) === undefined ? 'none' : 'native',
})

/** The option's value that was asked for, by value or name; one that isn't offered is `INVALID_REQUEST`. */
export const configChoice = (
  session: unknown,
  field: Field,
  asked: string | undefined,
  agent: string,
): ConfigChoice | undefined => {
  const option = byCategory(session, CATEGORIES[field])
  if (asked === undefined || option === undefined) return undefined
  const offered = values(option)
  const match = offered.find(({ value, name }) => value === asked || name === asked)
  if (match !== undefined) return { configId: String(option['id']), value: String(match['value']) }
  const known = offered.map(({ value }) => String(value))
  const guess = closest(asked, known)
  throw new SubagentError(
    'INVALID_REQUEST',
    'session',
    `${agent} doesn't offer the ${field} "${asked}". It offers: ${known.join(', ') || 'none'}.`,
    { field, ...(guess !== undefined && { suggestion: guess }) },
  )
}

/** Whether the session offers this mode. */
export const offersMode = (session: unknown, modeId: string): boolean => {
  const modes = isRecord(session) && isRecord(session['modes']) ? session['modes'] : {}
  return list(modes['availableModes']).some(({ id }) => id === modeId)
}
