/** What a turn has used, summed over its steps. */
import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import type { Usage } from '../contract/result.ts'
import type { CostOf } from './models/cost.ts'

export class Spending {
  readonly #costOf: CostOf | undefined
  #usage: Usage | undefined

  constructor(costOf?: CostOf) {
    this.#costOf = costOf
  }

  /** Undefined before the first step has ended. */
  get usage(): Usage | undefined {
    return this.#usage
  }

  get tokens(): number {
    return this.#usage === undefined ? 0 : this.#usage.inputTokens + this.#usage.outputTokens
  }

  /** One step whose cost is unknown makes the sum unknown, not smaller. */
  add(step: LanguageModelV4Usage): void {
    const before = this.#usage ?? { inputTokens: 0, outputTokens: 0, costUsd: 0 }
    const cost = this.#costOf?.(step)
    const known = cost !== undefined && before.costUsd !== undefined
    this.#usage = {
      inputTokens: before.inputTokens + (step.inputTokens.total ?? 0),
      outputTokens: before.outputTokens + (step.outputTokens.total ?? 0),
      ...(known && { costUsd: before.costUsd + cost }),
    }
  }
}
