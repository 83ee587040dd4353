/** Text that is given to an agent while its turn runs. */
import type { ContentBlock } from '../contract/content.ts'

/** One for each session. What comes in enters the conversation before the next model step. */
export class Inbox {
  #texts: (readonly ContentBlock[])[] = []
  #open = false
  #arrival: PromiseWithResolvers<void> | undefined

  /** False when no turn runs: then the text wasn't taken. */
  steer(content: readonly ContentBlock[]): boolean {
    if (!this.#open) return false
    this.#texts.push(content)
    this.#arrival?.resolve()
    this.#arrival = undefined
    return true
  }

  open(): void {
    this.#open = true
  }

  take(): readonly (readonly ContentBlock[])[] {
    const texts = this.#texts
    this.#texts = []
    return texts
  }

  /** Resolves when something waits to be read. */
  arrival(): Promise<void> {
    if (this.#texts.length > 0) return Promise.resolve()
    this.#arrival ??= Promise.withResolvers<void>()
    return this.#arrival.promise
  }

  /** Ends the turn if nothing waits to be read, so that no text slips in between. */
  closeIfEmpty(): boolean {
    if (this.#texts.length > 0) return false
    this.#open = false
    return true
  }

  /** The turn ends whatever waits: text for this turn goes with it. */
  close(): void {
    this.#open = false
    this.#texts = []
  }
}
