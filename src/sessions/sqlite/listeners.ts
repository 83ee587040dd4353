/** Who wants to hear of what; one that throws is told of, and starves nobody. */

export class Listeners<K, Args extends readonly unknown[]> {
  readonly #byKey = new Map<K, Set<(...args: Args) => void>>()
  readonly #threw: (error: unknown) => void

  constructor(threw: (error: unknown) => void) {
    this.#threw = threw
  }

  get size(): number {
    return this.#byKey.size
  }

  has(key: K): boolean {
    return this.#byKey.has(key)
  }

  keys(): readonly K[] {
    return [...this.#byKey.keys()]
  }

  add(key: K, listener: (...args: Args) => void): Disposable {
    // The same function may listen twice.
    const own = (...args: Args): void => listener(...args)
    const all = this.#byKey.get(key) ?? new Set()
    this.#byKey.set(key, all.add(own))
    return {
      [Symbol.dispose]: () => {
        all.delete(own)
        if (all.size === 0 && this.#byKey.get(key) === all) this.#byKey.delete(key)
      },
    }
  }

  tell(key: K, ...args: Args): void {
    // Who begins to listen meanwhile hears of the next.
    const now = [...(this.#byKey.get(key) ?? [])]
    for (const listener of now) {
      try {
        listener(...args)
      } catch (error) {
        this.#threw(error)
      }
    }
  }

  clear(): void {
    this.#byKey.clear()
  }
}
