/** What this command line's agent said before, as it is remembered under the identity of its program (law 1). */
import which from 'which'
import { commandKey } from '../../capabilities/remembered.ts'
import type { Answers } from '../../capabilities/remembered.ts'
import { monotonicMs } from '../../contract/monotonic.ts'
import type { AgentOffer } from '../../contract/offer.ts'
import type { AcpProviderOptions } from './provider-options.ts'

/** One start asks a dozen times; a program isn't looked at again for each. */
const LOOKED_AT_MS = 250

interface Look {
  readonly at: number
  readonly key: string | undefined
  readonly answers: Answers
}

export class Recalled {
  readonly #options: AcpProviderOptions
  #look: Look | undefined

  constructor(options: AcpProviderOptions) {
    this.#options = options
  }

  /** Undefined where nothing can be remembered, as behind a launcher. */
  get key(): string | undefined {
    return this.#lately().key
  }

  get answers(): Answers {
    return this.#lately().answers
  }

  /** However long ago they were given. */
  get everAnswered(): Answers {
    return this.#options.answers.recall(this.key, Infinity) ?? {}
  }

  get offer(): AgentOffer {
    return this.#options.offers?.recall(this.key) ?? {}
  }

  remember(answers: Answers): void {
    this.#look = undefined
    this.#options.answers.remember(this.key, { ...this.answers, ...answers })
    this.#look = undefined
  }

  rememberOffer(offer: AgentOffer): void {
    this.#options.offers?.remember(this.key, offer)
  }

  #lately(): Look {
    const now = monotonicMs()
    if (this.#look !== undefined && now - this.#look.at < LOOKED_AT_MS) return this.#look
    const key = this.#identity()
    this.#look = { at: now, key, answers: this.#options.answers.recall(key) ?? {} }
    return this.#look
  }

  /** An answer holds as long as what bounded it: another declaration is another key. */
  #identity(): string | undefined {
    const { known, asks, gateway, inherited } = this.#options
    const [command, ...args] = this.#options.command
    const program = which.sync(command, { nothrow: true, path: inherited['PATH'] ?? '' })
    return program === null ? undefined : commandKey(program, args, '.', [known?.name, asks, gateway])
  }
}
