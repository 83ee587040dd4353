/** The providers of one runtime, by name (B1.1, B1.2). */
import { SubagentError } from '../contract/errors.ts'
import { isRecord } from '../contract/json.ts'
import type { Logger } from '../contract/logger.ts'
import { closest } from '../contract/parse.ts'
import type { ProviderSettings, SubagentProvider } from '../contract/provider.ts'
import { lackOf } from '../contract/provider-shape.ts'

export interface Registered {
  readonly provider: SubagentProvider
  readonly settings: ProviderSettings
}

export type AdditionListener = (entry: Registered) => unknown

export class ProviderRegistry {
  readonly #entries = new Map<string, Registered>()
  readonly #aliases = new Map<string, string>()
  readonly #faults = new Map<string, SubagentError>()
  readonly #listeners = new Set<AdditionListener>()
  readonly #log: Logger
  #later: (() => void) | undefined

  constructor(log: Logger) {
    this.#log = log
  }

  /**
   * Disposing the answer blocks new starts and leaves running ones alone. A listener that throws at the
   * addition rolls it back.
   */
  add(
    provider: SubagentProvider,
    settings: ProviderSettings = {},
    aliases: readonly string[] = [],
  ): Disposable {
    refuseShapeless(provider)
    const { name } = provider
    this.#refuseTaken([name, ...aliases])
    const entry: Registered = { provider, settings }
    this.#entries.set(name, entry)
    for (const alias of aliases) this.#aliases.set(alias, name)
    const remove = (): void => {
      if (this.#entries.get(name) !== entry) return
      this.#entries.delete(name)
      for (const alias of aliases) this.#aliases.delete(alias)
    }
    try {
      for (const listener of this.#listeners) this.#tell(listener, entry)
    } catch (error) {
      remove()
      throw error
    }
    return { [Symbol.dispose]: remove }
  }

  /** A provider that is there by name only: each start on it is rejected with this error, and nothing else is. */
  fail(name: string, error: SubagentError, aliases: readonly string[] = []): void {
    this.#refuseTaken([name, ...aliases])
    this.#faults.set(name, error)
    for (const alias of aliases) this.#aliases.set(alias, name)
  }

  /** Why a provider of this name can't be had. */
  fault(name: string): SubagentError | undefined {
    return this.#faults.get(this.#canonical(name) ?? name)
  }

  /** Providers that are looked for only when a name isn't known yet, or all are wanted. */
  later(add: () => void): void {
    this.#later = add
  }

  onAdded(listener: AdditionListener): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) }
  }

  find(name: string): Registered | undefined {
    if (this.#canonical(name) === undefined) this.#complete()
    const canonical = this.#canonical(name)
    return canonical === undefined ? undefined : this.#entries.get(canonical)
  }

  get(name: string): Registered {
    const found = this.find(name)
    if (found !== undefined) return found
    const fault = this.fault(name)
    if (fault !== undefined) throw fault
    const known = this.names()
    const guess = closest(name, [...known, ...this.#aliases.keys()])
    const hint = guess === undefined ? '' : ` Did you mean "${guess}"?`
    const all = known.length === 0 ? 'None is here.' : `Known here: ${known.join(', ')}.`
    this.#log.debug({ name, known }, 'unknown provider')
    throw new SubagentError(
      'PROVIDER_NOT_FOUND',
      'resolve',
      `No provider is named "${name}".${hint} ${all}`,
      {
        provider: name,
        known,
      },
    )
  }

  names(): readonly string[] {
    this.#complete()
    return [...this.#entries.keys()]
  }

  all(): readonly Registered[] {
    this.#complete()
    return [...this.#entries.values()]
  }

  /** What throws later than at the addition can't roll it back any more. */
  #tell(listener: AdditionListener, entry: Registered): void {
    const answer = listener(entry)
    void Promise.resolve(answer).catch((error: unknown) => {
      this.#log.warn({ error, provider: entry.provider.name }, 'a listener of the registry failed')
    })
  }

  #complete(): void {
    const add = this.#later
    this.#later = undefined
    add?.()
  }

  #refuseTaken(words: readonly string[]): void {
    const taken = words.find((word) => this.#canonical(word) !== undefined)
    if (taken === undefined) return
    throw new SubagentError(
      'DUPLICATE_PROVIDER',
      'resolve',
      `A provider named "${taken}" is registered already; the new one was left out. Give it another name.`,
      { provider: taken },
    )
  }

  #canonical(name: string): string | undefined {
    return this.#entries.has(name) || this.#faults.has(name) ? name : this.#aliases.get(name)
  }
}

/** What isn't written in TypeScript comes here as it is. */
const refuseShapeless = (provider: unknown): void => {
  const lack = lackOf(provider)
  if (lack === undefined) return
  const named = isRecord(provider) && typeof provider['name'] === 'string' ? ` "${provider['name']}"` : ''
  throw new SubagentError(
    'INVALID_REQUEST',
    'request',
    `A provider${named} was given, but it ${lack}. Make it with defineProvider.`,
    { field: 'provider' },
  )
}
