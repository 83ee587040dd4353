/** What can't be shown before something else has begun, by what that is; bounded. */
import type { LogEntry } from '../../contract/events.ts'
import type { Logger } from '../../contract/logger.ts'
import type { SubagentRun } from '../../contract/run.ts'

export interface Held {
  readonly run: SubagentRun
  readonly entry: LogEntry
  readonly live: boolean
}

/** Of what waits for a child that was never announced so much is kept. */
const MAX_HELD = 10_000

export class HeldEvents {
  readonly #log: Logger
  readonly #held = new Map<string, Held[]>()
  #count = 0

  constructor(log: Logger) {
    this.#log = log
  }

  hold(until: string, held: Held): void {
    if (this.#count === MAX_HELD) {
      this.#log.warn(
        { until },
        'too much waits for a subagent that was never announced; the rest is not shown',
      )
    }
    this.#count += 1
    if (this.#count > MAX_HELD) return
    const all = this.#held.get(until) ?? []
    all.push(held)
    this.#held.set(until, all)
  }

  take(key: string): readonly Held[] {
    const held = this.#held.get(key) ?? []
    this.#held.delete(key)
    this.#count -= held.length
    return held
  }
}
