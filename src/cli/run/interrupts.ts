/** Ctrl-C and its kind: the first asks the run to stop, the second ends everything at once. */
import { SubagentError } from '../../contract/errors.ts'
import type { Interruption } from '../documents.ts'

const SIGNALS: readonly Interruption[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

export class Interrupts implements Disposable {
  /** Aborts at the first signal, for a start that is on its way. */
  readonly signal: AbortSignal
  received: Interruption | undefined
  readonly #abort = new AbortController()
  readonly #scope = new DisposableStack()

  /** Rejects at the first signal, for work that takes no signal. */
  readonly #interrupted = Promise.withResolvers<never>()

  constructor(onFirst: () => void, onSecond: () => void) {
    this.signal = this.#abort.signal
    this.#interrupted.promise.catch(() => {})
    for (const name of SIGNALS) {
      const hear = (): void => {
        if (this.received !== undefined) {
          onSecond()
          return
        }
        this.received = name
        // A run that is open hears of the signal itself; a start that is on its way is aborted.
        onFirst()
        this.#abort.abort()
        this.#interrupted.reject(
          new SubagentError('CANCELLED', 'request', 'Cancelled before anything was started.', {
            by: 'signal',
          }),
        )
      }
      process.on(name, hear)
      this.#scope.defer(() => process.off(name, hear))
    }
  }

  /** What the work gives, unless a signal comes first: then `CANCELLED`, and the work is left to itself. */
  unless<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#interrupted.promise])
  }

  [Symbol.dispose](): void {
    this.#scope.dispose()
  }
}
