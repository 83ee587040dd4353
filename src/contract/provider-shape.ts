/** Whether a value that code or a module gives is a provider at all, said before anything is started on it. */
import { isRecord } from './json.ts'
import type { SubagentProvider } from './provider.ts'

/** What the value lacks, in words that go on after "it"; undefined when it is a provider. */
export const lackOf = (value: unknown): string | undefined => {
  if (!isRecord(value)) return 'is no object'
  const { name, open, run, capabilities, negotiated, check } = value
  if (typeof name !== 'string' || name === '') return 'has no name'
  if (typeof open !== 'function')
    return typeof run === 'function' ? 'has "run", but no "open" function' : 'has no "open" function'
  if (!isRecord(capabilities)) return 'has no "capabilities"'
  if (!Array.isArray(negotiated)) return 'has no list "negotiated"'
  if (check !== undefined && typeof check !== 'function') return 'has a "check" that is no function'
  return undefined
}

export const isProvider = (value: unknown): value is SubagentProvider => lackOf(value) === undefined
