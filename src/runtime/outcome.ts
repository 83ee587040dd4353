/** Holds what a provider says of its turn's end against the contract: nothing else may decide how a run ends. */
import { SubagentError } from '../contract/errors.ts'
import { isRecord } from '../contract/json.ts'
import type { TurnOutcome } from '../contract/result.ts'

const CUTS: ReadonlySet<unknown> = new Set(['max_tokens', 'max_turns', 'budget'])
const ENDS: ReadonlySet<unknown> = new Set(['completed', 'empty', 'refused', 'cancelled'])

const isAmount = (value: unknown): boolean =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0

const isUsage = (value: unknown): boolean =>
  isRecord(value) &&
  isAmount(value['inputTokens']) &&
  isAmount(value['outputTokens']) &&
  (value['costUsd'] === undefined || isAmount(value['costUsd']))

const isDenial = (value: unknown): boolean =>
  isRecord(value) && ['title', 'kind', 'flag'].every((key) => typeof value[key] === 'string')

const isJson = (value: unknown): boolean => {
  try {
    return JSON.stringify(value) !== undefined
  } catch {
    return false
  }
}

/** The first thing that is wrong, in words. */
const fault = (outcome: unknown): string | undefined => {
  if (!isRecord(outcome)) return 'it is no object'
  const { ended, category, usage, denied, structured, structuredOnly } = outcome
  if (ended === 'truncated') {
    if (!CUTS.has(category)) return '"category" must say what the turn was cut by'
  } else if (!ENDS.has(ended)) return '"ended" is no known end'
  if (usage !== undefined && !isUsage(usage)) return '"usage" must hold numbers of at least 0'
  if (denied !== undefined && !(Array.isArray(denied) && denied.every((each) => isDenial(each)))) {
    return '"denied" must be a list of denials'
  }
  if (structuredOnly !== undefined && typeof structuredOnly !== 'boolean')
    return '"structuredOnly" is no boolean'
  return structured === undefined || isJson(structured) ? undefined : '"structured" is no JSON'
}

/** The outcome as it is, or `PROVIDER_FAULT`. */
export const checkedOutcome = (outcome: unknown, provider: string): TurnOutcome => {
  const wrong = fault(outcome)
  if (wrong === undefined) return outcome as TurnOutcome
  throw new SubagentError(
    'PROVIDER_FAULT',
    'prompt',
    `The provider ${provider} ended its turn with an invalid outcome: ${wrong}. Its "prompt" must resolve with a TurnOutcome.`,
    { provider },
  )
}
