/** The gate: what a request needs against what a provider advertises. Pure, and names all that is missing at once. */
import type { CapabilityId, SubagentCapabilities } from '../contract/capabilities.ts'
import { SubagentError } from '../contract/errors.ts'
import { atLeast, CAPABILITY_IDS, CATALOG } from './catalog.ts'
import type { Ask, GateInput } from './catalog.ts'

export interface Subject {
  readonly name: string
  /** What messages call it. */
  readonly title?: string
  readonly capabilities: SubagentCapabilities
}

interface Miss extends Ask {
  readonly id: CapabilityId
}

const missed = (capabilities: SubagentCapabilities, input: GateInput): readonly Miss[] =>
  CAPABILITY_IDS.flatMap((id) =>
    CATALOG[id]
      .asks(input)
      .filter(({ least }) => !atLeast(capabilities[id], least))
      .map((ask) => ({ id, ...ask })),
  )

/** The rows that a request needs at all, whoever is asked. */
export const needed = (input: GateInput): readonly CapabilityId[] =>
  CAPABILITY_IDS.filter((id) => CATALOG[id].asks(input).length > 0)

const list = (words: readonly string[]): string => words.join(', ')

const sentence = (subject: Subject, misses: readonly Miss[], alternatives: readonly string[]): string => {
  const asked = misses.map(({ id, field }) => {
    const flag = field.startsWith('preset.') ? '--agent' : CATALOG[id].flag
    return flag === undefined ? `"${field}"` : `"${field}" (${flag})`
  })
  const controls = [...new Set(misses.map(({ id }) => CATALOG[id].title.toLowerCase()))]
  const way =
    alternatives.length > 0
      ? `Leave it out, or use a provider that can: ${list(alternatives)}.`
      : 'Leave it out: no provider here can.'
  return `${list(asked)} was asked for, but ${subject.title ?? subject.name} can't honour it (${list(controls)}). ${way}`
}

/**
 * The refusal of this request by this provider, or undefined when everything asked for can be honoured.
 * `others` are the providers that the refusal may name as alternatives.
 */
export const gate = (
  subject: Subject,
  input: GateInput,
  others: () => readonly Subject[] = () => [],
): SubagentError<'UNSUPPORTED_CAPABILITY'> | undefined => {
  const misses = missed(subject.capabilities, input)
  if (misses.length === 0) return undefined
  const alternatives = others()
    .filter(({ name, capabilities }) => name !== subject.name && missed(capabilities, input).length === 0)
    .map(({ name }) => name)
  return new SubagentError('UNSUPPORTED_CAPABILITY', 'gate', sentence(subject, misses, alternatives), {
    provider: subject.name,
    missing: [...new Set(misses.map(({ id }) => id))],
    fields: [...new Set(misses.map(({ field }) => field))],
    alternatives,
  })
}
