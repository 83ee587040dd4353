/** Standard output, whole also through a slow pipe: nobody exits before what was written is taken (C39). */
import type { Writable } from 'node:stream'

export class Output {
  readonly #stream: Writable
  #pending = 0
  #waiting: (() => void)[] = []
  #broken = false

  constructor(stream: Writable) {
    this.#stream = stream
    stream.on('error', () => {
      // The reader went away, as with `| head`: there is nobody left to tell.
      this.#broken = true
      this.#pending = 0
      this.#wake()
    })
  }

  get isTTY(): boolean {
    return (this.#stream as { isTTY?: boolean }).isTTY === true
  }

  /** False once the reader is gone. */
  get open(): boolean {
    return !this.#broken
  }

  write(text: string): void {
    if (this.#broken || text === '') return
    this.#pending += 1
    this.#stream.write(text, () => {
      this.#pending -= 1
      if (this.#pending <= 0) this.#wake()
    })
  }

  json(document: object): void {
    this.write(`${JSON.stringify(document)}\n`)
  }

  /** Resolves when the reader can take more. */
  ready(): Promise<void> {
    return this.#stream.writableNeedDrain ? this.flushed() : Promise.resolve()
  }

  /** Resolves when all that was written is taken, or the reader is gone. */
  flushed(): Promise<void> {
    if (this.#pending <= 0 || this.#broken) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
