/** The way to the editor: what is said in one breath goes in one piece, and whoever says more than a window of it waits. */
import { Buffer } from 'node:buffer'

/** Calls back once the bytes were taken, or with why they can't be. */
export type Write = (chunk: Uint8Array, done: (error?: Error | null) => void) => unknown

/** So many bytes may be on their way before a writer waits: back-pressure that reaches the agent. */
const WINDOW_BYTES = 256 * 1024
/** What a pipe holds: while it is read, the next piece is made. */
const PIECE_BYTES = 64 * 1024

export class Outlet {
  readonly #write: Write
  readonly #waiting: Uint8Array[] = []
  /** Not yet taken: what waits, and what is being written. */
  #bytes = 0
  #flushing: Promise<void> | undefined
  /** Resolves with the next piece that is taken, or at the end of it all. */
  #progress = Promise.withResolvers<void>()
  #broken: Error | undefined
  readonly #gone = Promise.withResolvers<void>()

  constructor(write: Write) {
    this.#write = write
  }

  /** Resolves when the other end is gone, which a writer that was done hears from nobody else. */
  get gone(): Promise<void> {
    return this.#gone.promise
  }

  /** Resolves when more may be said. Rejects once the other end is gone, also for what was said before. */
  async say(chunk: Uint8Array): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken
    this.#waiting.push(chunk)
    this.#bytes += chunk.length
    this.#flushing ??= this.#flush()
    while (this.#bytes >= WINDOW_BYTES && this.#broken === undefined) await this.#progress.promise
    if (this.#broken !== undefined) throw this.#broken
  }

  /** Resolves when everything was taken, or can't be any more. */
  async flushed(): Promise<void> {
    await this.#flushing
  }

  async #flush(): Promise<void> {
    // Who speaks now has more to say in most cases.
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    try {
      while (this.#waiting.length > 0) {
        const piece = this.#piece()
        await new Promise<void>((resolve, reject) => {
          this.#write(piece, (error) => (error ? reject(error) : resolve()))
        })
        this.#bytes -= piece.length
        this.#advance()
      }
    } catch (error) {
      this.#broken = error as Error
      this.#gone.resolve()
      this.#advance()
    }
    this.#flushing = undefined
  }

  #piece(): Uint8Array {
    let length = 0
    let count = 0
    for (const chunk of this.#waiting) {
      if (count > 0 && length + chunk.length > PIECE_BYTES) break
      length += chunk.length
      count += 1
    }
    return Buffer.concat(this.#waiting.splice(0, count), length)
  }

  #advance(): void {
    this.#progress.resolve()
    this.#progress = Promise.withResolvers()
  }
}
