/** What comes to an agent while its turn runs: steering, and the results of what it left in the background. */
import type { ContentBlock } from '../contract/content.ts'

export interface Letter {
  readonly from: 'steer' | 'background'
  readonly content: readonly ContentBlock[]
}

/** A background result that is still to come; it counts once. */
export interface Expectation {
  deliver(content: readonly ContentBlock[]): void
  withdraw(): void
}

/** One for each session. Letters enter the conversation before the next model step. */
export class Inbox {
  #letters: Letter[] = []
  #expected = 0
  #open = false
  #arrival: PromiseWithResolvers<void> | undefined

  /** How many background results are still to come. */
  get expected(): number {
    return this.#expected
  }

  /** False when no turn runs: then the text wasn't taken. */
  steer(content: readonly ContentBlock[]): boolean {
    if (!this.#open) return false
    this.#put({ from: 'steer', content })
    return true
  }

  /** The turn goes on until it has come. One that comes when no turn runs is read at the start of the next. */
  expect(): Expectation {
    this.#expected += 1
    let open = true
    const close = (): boolean => {
      if (open) this.#expected -= 1
      const first = open
      open = false
      return first
    }
    return {
      deliver: (content) => {
        if (close()) this.#put({ from: 'background', content })
      },
      withdraw: () => {
        if (close()) this.#wake()
      },
    }
  }

  open(): void {
    this.#open = true
  }

  take(): readonly Letter[] {
    const letters = this.#letters
    this.#letters = []
    return letters
  }

  /** Resolves at the next letter, or when one isn't expected any longer. */
  arrival(): Promise<void> {
    if (this.#letters.length > 0) return Promise.resolve()
    this.#arrival ??= Promise.withResolvers<void>()
    return this.#arrival.promise
  }

  /** Ends the turn if nothing waits to be read, so that no text slips in between. */
  closeIfEmpty(): boolean {
    if (this.#letters.length > 0 || this.#expected > 0) return false
    this.#open = false
    return true
  }

  /** The turn ends whatever waits. Text for this turn goes with it; background results stay. */
  close(): void {
    this.#open = false
    this.#letters = this.#letters.filter(({ from }) => from === 'background')
  }

  #put(letter: Letter): void {
    this.#letters.push(letter)
    this.#wake()
  }

  #wake(): void {
    this.#arrival?.resolve()
    this.#arrival = undefined
  }
}
