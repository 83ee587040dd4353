/** Errors that foreign code throws where nobody can catch them, as in a timer: they end the run with a word. */
import { SubagentError } from '../../contract/errors.ts'

const EVENTS = ['uncaughtException', 'unhandledRejection'] as const

export class Faults implements Disposable {
  readonly #raised = Promise.withResolvers<never>()
  readonly #scope = new DisposableStack()
  #provider = 'subgate'

  constructor() {
    this.#raised.promise.catch(() => {})
    for (const name of EVENTS) {
      const hear = (error: unknown): void => this.#raised.reject(this.#fault(error))
      process.on(name, hear)
      this.#scope.defer(() => process.off(name, hear))
    }
  }

  /** Whose code runs from now on. */
  of(provider: string): void {
    this.#provider = provider
  }

  /** What the work gives, unless such an error comes first: then `PROVIDER_FAULT`. */
  unless<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#raised.promise])
  }

  [Symbol.dispose](): void {
    this.#scope.dispose()
  }

  #fault(error: unknown): SubagentError {
    if (SubagentError.is(error)) return error
    const said = error instanceof Error ? error.message : String(error)
    const provider = this.#provider
    return new SubagentError(
      'PROVIDER_FAULT',
      'prompt',
      `The run with ${provider} ended: its code threw where nobody catches (${said}). Report it to its author.`,
      { provider },
      { cause: error },
    )
  }
}
