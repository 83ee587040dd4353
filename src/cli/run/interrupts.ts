/** Ctrl-C and its kind: the first asks the run to stop, the second ends everything at once. */
import type { Interruption } from '../documents.ts'

const SIGNALS: readonly Interruption[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

export class Interrupts implements Disposable {
  /** Aborts at the first signal, for a start that is on its way. */
  readonly signal: AbortSignal
  received: Interruption | undefined
  readonly #abort = new AbortController()
  readonly #scope = new DisposableStack()

  constructor(onFirst: () => void, onSecond: () => void) {
    this.signal = this.#abort.signal
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
      }
      process.on(name, hear)
      this.#scope.defer(() => process.off(name, hear))
    }
  }

  [Symbol.dispose](): void {
    this.#scope.dispose()
  }
}
