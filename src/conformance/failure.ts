/** What a check throws: which requirement, what was expected, what was seen. */
import type { Requirement } from './manifest.ts'

export class ConformanceFailure extends Error {
  override readonly name = 'ConformanceFailure'
  readonly requirement: string
  readonly expected: string
  readonly seen: string

  constructor({ id }: Requirement, expected: string, seen: string, options?: ErrorOptions) {
    super(`${id}: expected ${expected}, but saw ${seen}`, options)
    this.requirement = id
    this.expected = expected
    this.seen = seen
  }
}

/** Thrown by checks, which don't know their requirement; `verify` adds it. */
export class Unmet extends Error {
  readonly expected: string
  readonly seen: string

  constructor(expected: string, seen: string) {
    super(`expected ${expected}, but saw ${seen}`)
    this.expected = expected
    this.seen = seen
  }
}

export function hold(condition: boolean, expected: string, seen: string): asserts condition {
  if (!condition) throw new Unmet(expected, seen)
}

export const shown = (value: unknown): string => {
  const words = JSON.stringify(value) ?? String(value)
  return words.length > 400 ? `${words.slice(0, 400)}…` : words
}
