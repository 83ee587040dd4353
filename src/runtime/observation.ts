/** Shows runs to their observer: live events as they are committed, each once; what it throws harms nothing (B3.4). */
import type { ObservedRun, RunObserver } from '../contract/observer.ts'
import type { ResolvedStartRequest } from '../contract/request.ts'
import type { StartOptions } from '../contract/run.ts'
import { present } from '../contract/present.ts'
import type { SessionLog } from '../sessions/session-log.ts'
import type { Surroundings } from './options.ts'

const PAGE = 256

/** One start on its way, and then its run. */
export interface ObservedStart extends Disposable {
  /** With the trace that the agent is to be told of. */
  readonly request: ResolvedStartRequest
  /** Before `run/started` is appended. */
  follow(log: SessionLog): void
}

export class Observation {
  readonly #observer: RunObserver | undefined
  readonly #surroundings: Surroundings
  /** How far each session was shown: what stands between two runs goes with the later one. */
  readonly #shown = new WeakMap<SessionLog, number>()
  #warned = false

  constructor(observer: RunObserver | undefined, surroundings: Surroundings) {
    this.#observer = observer
    this.#surroundings = surroundings
  }

  begin(request: ResolvedStartRequest, provider: string, { toolCallId }: StartOptions): ObservedStart {
    const observer = this.#observer
    if (observer === undefined) return { request, follow: () => {}, [Symbol.dispose]: () => {} }
    const at = this.#surroundings.now()
    const run = this.#guarded(() =>
      observer.begin({ request: { ...request }, provider, at, ...present({ toolCallId }) }),
    )
    const trace = run === undefined ? undefined : this.#guarded(() => run.trace)
    const scope = new DisposableStack()
    if (run !== undefined) scope.defer(() => this.#guarded(() => run[Symbol.dispose]()))
    return {
      request: { ...request, ...present({ trace }) },
      follow: (log) => {
        if (run === undefined) return
        const { store } = this.#surroundings
        const show = (): void => this.#show(log, run)
        scope.use(store.onCommit(log.id, show))
        // What was committed last may not have been said yet.
        scope.defer(show)
      },
      [Symbol.dispose]: () => scope.dispose(),
    }
  }

  #show(log: SessionLog, run: ObservedRun): void {
    if (!log.published) return
    this.#guarded(() => {
      for (;;) {
        const after = this.#shown.get(log) ?? log.firstLiveSeq - 1
        const page = this.#surroundings.store.read(log.id, after, PAGE)
        for (const entry of page) {
          // Counted first: what the observer stumbled over is not shown again.
          this.#shown.set(log, entry.seq)
          run.event(entry)
        }
        if (page.length < PAGE) return
      }
    })
  }

  /** Whatever goes wrong there is said once. */
  #guarded<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      if (!this.#warned) this.#surroundings.log.warn({ error }, 'the observer of runs failed')
      this.#warned = true
      return undefined
    }
  }
}
