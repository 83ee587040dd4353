/** Turns foreign values into contract types at a border: strict, and with a suggestion for a mistyped key. */
import leven from 'leven'
import type * as z from 'zod/mini'
import { SubagentError } from './errors.ts'

export interface Complaint {
  /** Dotted path of the value, `''` for the whole. */
  readonly path: string
  readonly message: string
  readonly suggestion?: string
}

/** The nearest known word, when it is near enough to be a slip of the fingers. */
export const closest = (word: string, known: readonly string[]): string | undefined => {
  const ranked = known
    .map((candidate) => ({ candidate, distance: leven(word.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance)
  const [best] = ranked
  return best !== undefined && best.distance <= Math.max(1, Math.floor(word.length / 3))
    ? best.candidate
    : undefined
}

type Issue = z.core.$ZodIssue

/** Of a union's failed options, the issue of the option that the value came nearest to. */
const nearest = (issue: Issue): Issue => {
  if (issue.code !== 'invalid_union') return issue
  const options = issue.errors.toSorted((a, b) => score(a) - score(b))
  const [first] = options[0] ?? []
  return first === undefined ? issue : nearest({ ...first, path: [...issue.path, ...first.path] })
}

/** An option whose discriminator doesn't match is far off, however few its other faults. */
const score = (issues: readonly Issue[]): number =>
  issues.length + issues.filter((issue) => issue.path[0] === 'type').length * 100

/** The first thing wrong with a value, in words; `known` are the keys allowed where an unknown one stands. */
export const complaint = (error: z.core.$ZodError, known: readonly string[]): Complaint => {
  const [outer] = error.issues
  if (outer === undefined) return { path: '', message: 'the value is invalid' }
  const issue = nearest(outer)
  const path = issue.path.map(String).join('.')
  if (issue.code !== 'unrecognized_keys') return { path, message: issue.message }
  const [key = ''] = issue.keys
  const suggestion = closest(key, known)
  const full = path === '' ? key : `${path}.${key}`
  return { path: full, message: `unknown key "${full}"`, ...(suggestion !== undefined && { suggestion }) }
}

/** Composition that callers try to pass directly; it belongs to a preset (B1.6). */
const COMPOSITION: ReadonlySet<string> = new Set([
  'persona',
  'toolFilter',
  'allowedTools',
  'disallowedTools',
  'systemPrompt',
])

/** Parses a request; the error says which field is wrong and, where it can, what was meant. */
export const parseRequest = <T>(schema: z.ZodMiniType<T>, value: unknown, known: readonly string[]): T => {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const { path, message, suggestion } = complaint(parsed.error, known)
  const hint = COMPOSITION.has(path)
    ? ' Instructions and tool lists belong to a preset: name one in "preset".'
    : suggestion === undefined
      ? ''
      : ` Did you mean "${suggestion}"?`
  const where = path === '' || message.includes(path) ? '' : `"${path}": `
  throw new SubagentError('INVALID_REQUEST', 'request', `Invalid request: ${where}${message}.${hint}`, {
    ...(path !== '' && { field: path }),
    ...(suggestion !== undefined && { suggestion }),
  })
}
