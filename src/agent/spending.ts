/** What a turn has used, summed over its steps. */
import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import type { Usage } from '../contract/result.ts'

/** US dollars of one step, or undefined when the model's price isn't known. */
export type PriceOf = (usage: LanguageModelV4Usage) => number | undefined

export class Spending {
  readonly #priceOf: PriceOf | undefined
  #usage: Usage | undefined

  constructor(priceOf?: PriceOf) {
    this.#priceOf = priceOf
  }

  /** Undefined before the first step has ended. */
  get usage(): Usage | undefined {
    return this.#usage
  }

  get tokens(): number {
    return this.#usage === undefined ? 0 : this.#usage.inputTokens + this.#usage.outputTokens
  }

  /** One step whose price is unknown makes the sum unknown, not smaller. */
  add(step: LanguageModelV4Usage): void {
    const before = this.#usage ?? { inputTokens: 0, outputTokens: 0, costUsd: 0 }
    const price = this.#priceOf?.(step)
    const known = price !== undefined && before.costUsd !== undefined
    this.#usage = {
      inputTokens: before.inputTokens + (step.inputTokens.total ?? 0),
      outputTokens: before.outputTokens + (step.outputTokens.total ?? 0),
      ...(known && { costUsd: before.costUsd + price }),
    }
  }
}
