/** Named entries of one agent over those it inherits: the nearest scope of a name wins, disposal leaves nothing. */
import { SubagentError } from '../contract/errors.ts'

export class Scope<T> implements Disposable {
  readonly #what: string
  readonly #parent: Scope<T> | undefined
  readonly #own = new Map<string, T>()

  /** `what` names an entry in messages, such as "prompt section". A parent never refers to its children. */
  constructor(what: string, parent?: Scope<T>) {
    this.#what = what
    this.#parent = parent
  }

  get parent(): Scope<T> | undefined {
    return this.#parent
  }

  get own(): ReadonlyMap<string, T> {
    return this.#own
  }

  /** A second entry of a name in the same scope is refused; one in a child scope shadows. */
  add(name: string, value: T): Disposable {
    if (this.#own.has(name)) {
      throw new SubagentError(
        'INVALID_CONFIG',
        'session',
        `The ${this.#what} "${name}" is there already. Dispose the first one, or use another name.`,
        { key: name },
      )
    }
    this.#own.set(name, value)
    return {
      [Symbol.dispose]: () => {
        if (this.#own.get(name) === value) this.#own.delete(name)
      },
    }
  }

  /** All that is in view; what is inherited keeps its place when it is shadowed. */
  all(): Map<string, T> {
    const all = this.#parent?.all() ?? new Map<string, T>()
    for (const [name, value] of this.#own) all.set(name, value)
    return all
  }

  [Symbol.dispose](): void {
    this.#own.clear()
  }
}
