/** Listeners of the two edges of every run (B10.1): observe-only, and none can starve another (B1.2). */
import type { Logger } from '../contract/logger.ts'
import { present } from '../contract/present.ts'
import type { SubagentResult } from '../contract/result.ts'
import type { LifecycleEvent, SubagentRun } from '../contract/run.ts'

export type LifecycleListener = (event: LifecycleEvent) => unknown

export class Lifecycle {
  readonly #listeners = new Set<LifecycleListener>()
  readonly #log: Logger

  constructor(log: Logger) {
    this.#log = log
  }

  on(listener: LifecycleListener): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) }
  }

  tell(event: LifecycleEvent): void {
    for (const listener of this.#listeners) {
      Promise.try(listener, event).catch((error: unknown) => {
        this.#log.warn({ error, event: event.type, runId: event.runId }, 'a lifecycle listener failed')
      })
    }
  }
}

const factsOf = (
  { id, sessionId, parentSessionId, provider, depth }: SubagentRun,
  at: number,
): Omit<Extract<LifecycleEvent, { type: 'subagent/start' }>, 'type'> => ({
  runId: id,
  sessionId,
  provider,
  depth,
  at,
  ...present({ parentSessionId }),
})

export const startOf = (run: SubagentRun, at: number): LifecycleEvent => ({
  type: 'subagent/start',
  ...factsOf(run, at),
})

export const endOf = (
  run: SubagentRun,
  { status, category, durationMs, usage }: SubagentResult,
  at: number,
): LifecycleEvent => ({
  type: 'subagent/end',
  ...factsOf(run, at),
  ...present({ status, category, durationMs, usage }),
})
