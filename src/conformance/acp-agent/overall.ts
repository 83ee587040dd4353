/** The requirements that are judged by all that every check heard. Pure. */
import { shown } from '../failure.ts'
import type { Conversation } from './conversation.ts'
import type { Settings } from './options.ts'
import type { Outcome } from './outcome.ts'
import type { ProtocolSchema } from './schema.ts'

export interface Seen {
  /** The requirement that was checked. */
  readonly id: string
  readonly conversations: readonly Conversation[]
}

export const overall = (
  id: string,
  seen: readonly Seen[],
  { planted }: Settings,
  schema: ProtocolSchema,
): Outcome => {
  const faults =
    id === 'SUBGATE-SCHEMA-001'
      ? invalid(seen, schema)
      : planted === undefined
        ? undefined
        : leaks(seen, planted)
  if (faults === undefined)
    return { id, status: 'not_tested', detail: 'No credential was put into its environment.', durationMs: 0 }
  if (faults.length === 0) return { id, status: 'passed', durationMs: 0 }
  const [first] = faults
  const more = faults.length === 1 ? '' : ` (and ${faults.length - 1} more)`
  return { id, status: 'failed', detail: `${first}${more}`, transcript: faults.slice(0, 50), durationMs: 0 }
}

/** In version 1, that is: it may answer another one to who asks for that, in the words of that version. */
const invalid = (seen: readonly Seen[], schema: ProtocolSchema): readonly string[] => {
  const found = new Map<string, string>()
  for (const { id, conversations } of seen)
    for (const { heard, version } of conversations)
      for (const message of isNewer(version) ? [] : heard) {
        const words = schema.faults(message).join('; ')
        if (words !== '' && !found.has(words))
          found.set(words, `in ${id}: ${words} in ${shown(message.text)}`)
      }
  return [...found.values()]
}

const isNewer = (version: unknown): boolean => Number.isInteger(version) && Number(version) > 1

/** Its value, or the mask that stands for it. */
const leaks = (
  seen: readonly Seen[],
  { name, value }: { readonly name: string; readonly value: string },
): readonly string[] => {
  const holds = (text: string): boolean => text.includes(value) || text.includes(`[${name}]`)
  return seen.flatMap(({ id, conversations }) =>
    conversations.flatMap((conversation) => [
      ...(conversation.heard.some(({ text }) => holds(text)) ? [`in ${id}: ${name} on stdout`] : []),
      ...(holds(conversation.stderr()) ? [`in ${id}: ${name} on stderr`] : []),
    ]),
  )
}
