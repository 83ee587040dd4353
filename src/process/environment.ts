/** Decides which variables a child gets: an allow-list, what was named for it, and the gateway's own (C32). */
import { INHERITED_NAMES, SESSION_MARKERS } from './environment-names.ts'
import type { NamePattern } from './environment-names.ts'

export interface EnvironmentRequest {
  /** The gateway's own environment. */
  readonly inherited: Readonly<Record<string, string | undefined>>
  /** The known agent's own names. */
  readonly agentNames: readonly NamePattern[]
  /** From configuration and `--env`: a value, or `true` to pass the gateway's own value by name. */
  readonly given: Readonly<Record<string, string | true>>
  /** The gateway's own (lineage, markers): these always win. */
  readonly extra: Readonly<Record<string, string>>
}

export interface ChildEnvironment {
  readonly env: Record<string, string>
  /** Sorted names that were set and not passed, session markers apart; never values. */
  readonly withheld: readonly string[]
}

/** A name that a person gave explicitly passes, even a session marker; nothing else lets a marker through. */
export function childEnvironment(request: EnvironmentRequest): ChildEnvironment {
  const allowed = matcher([...INHERITED_NAMES, ...request.agentNames])
  const env = new Map<string, string>()
  const withheld: string[] = []
  for (const [name, value] of Object.entries(request.inherited)) {
    if (value === undefined) continue
    if (isMarker(name)) continue
    if (allowed(name)) env.set(name, value)
    else withheld.push(name)
  }
  for (const [name, given] of Object.entries(request.given)) {
    const value = given === true ? own(request.inherited, name) : given
    if (value !== undefined) env.set(name, value)
  }
  for (const [name, value] of Object.entries(request.extra)) env.set(name, value)
  return {
    env: Object.fromEntries(env),
    withheld: withheld.filter((name) => !env.has(name)).toSorted(),
  }
}

const matcher = (patterns: readonly NamePattern[]): ((name: string) => boolean) => {
  const exact = new Set(patterns.filter((pattern) => !pattern.endsWith('*')))
  const prefixes = patterns.filter((pattern) => pattern.endsWith('*')).map((pattern) => pattern.slice(0, -1))
  return (name) => exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix))
}

const isMarker: (name: string) => boolean = matcher(SESSION_MARKERS)

const own = (record: Readonly<Record<string, string | undefined>>, name: string): string | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined
