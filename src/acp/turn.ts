/** One prompt of the editor: from its arrival, through the start of a run, to its answer. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { SubagentError } from '../contract/errors.ts'
import type { RunId } from '../contract/ids.ts'

export class PromptTurn {
  readonly #abort = new AbortController()
  readonly #delivered = Promise.withResolvers<void>()
  #fault: SubagentError | undefined
  /** What it was answered by, once that has begun. */
  run: RunId | undefined

  /** Aborts the start, and cancels the run once there is one. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** What the provider threw outside of its turn. */
  get fault(): SubagentError | undefined {
    return this.#fault
  }

  /** Resolves when all of the run's updates have been taken by the editor. */
  get settled(): Promise<void> {
    return this.#delivered.promise
  }

  cancel(): void {
    this.#abort.abort()
  }

  fail(fault: SubagentError): void {
    this.#fault ??= fault
    this.#abort.abort()
  }

  delivered(): void {
    this.#delivered.resolve()
  }
}

/** Tells whose prompt some code works for, also when it throws in a timer of its own (C02). */
export const currentTurn: AsyncLocalStorage<PromptTurn> = new AsyncLocalStorage()
