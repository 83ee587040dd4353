/** The runs that this process still holds: all open ones, and the last settled ones for late watchers. */
import type { SessionLog } from '../sessions/session-log.ts'
import type { Surroundings } from './options.ts'
import type { Watchable, WatchSource } from './watch.ts'

/** Settled runs stay reachable for a watcher that comes late; older ones are in the store alone. */
const KEPT = 256

export class LiveRuns {
  readonly #open = new Set<Watchable>()
  readonly #settled: Watchable[] = []
  readonly #listeners = new Set<(run: Watchable) => void>()
  readonly #forgetters = new Set<(log: SessionLog) => void>()

  add(run: Watchable): void {
    this.#open.add(run)
    for (const listener of this.#listeners) listener(run)
  }

  settle(run: Watchable): void {
    this.#open.delete(run)
    this.#settled.push(run)
    if (this.#settled.length > KEPT) this.#settled.shift()
  }

  /** Settled ones first, both in order. */
  all(): readonly Watchable[] {
    return [...this.#settled, ...this.#open]
  }

  /** Nothing more will come of this log. */
  forget(log: SessionLog): void {
    for (const listener of this.#forgetters) listener(log)
  }

  source({ store, now, log }: Surroundings, closed: AbortSignal): WatchSource {
    return {
      store,
      now,
      log,
      closed,
      runs: () => this.all(),
      onRun: (listener) => this.onRun(listener),
      onForgotten: (listener) => this.onForgotten(listener),
    }
  }

  onForgotten(listener: (log: SessionLog) => void): Disposable {
    this.#forgetters.add(listener)
    return { [Symbol.dispose]: () => this.#forgetters.delete(listener) }
  }

  onRun(listener: (run: Watchable) => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) }
  }
}
