/** Standard output, whole also through a slow pipe: nobody exits before what was written is taken (C39). */
import type { Writable } from 'node:stream'

/** Small pieces are joined, up to this much or until the event loop has handled what has arrived. */
const JOINED = 64 * 1024

export class Output {
  readonly #stream: Writable
  readonly #write: Writable['write']
  #joined = ''
  #scheduled: NodeJS.Immediate | undefined
  #pending = 0
  #waiting: (() => void)[] = []
  #broken = false
  #fault: string | undefined

  constructor(stream: Writable) {
    this.#stream = stream
    this.#write = stream.write.bind(stream)
    stream.on('error', ({ code = 'EIO' }: NodeJS.ErrnoException) => {
      // The reader went away, as with `| head`: there is nobody left to tell. A full disk is something to tell.
      if (code !== 'EPIPE') this.#fault ??= code
      this.#broken = true
      this.#pending = 0
      this.#wake()
    })
  }

  get isTTY(): boolean {
    return (this.#stream as { isTTY?: boolean }).isTTY === true
  }

  /** Columns of a terminal; absent for a pipe or a file. */
  get width(): number | undefined {
    return this.isTTY ? (this.#stream as { columns?: number }).columns || 80 : undefined
  }

  /** False once the reader is gone. */
  get open(): boolean {
    return !this.#broken
  }

  /** Why something could not be written, other than that nobody reads any more. */
  get fault(): string | undefined {
    return this.#fault
  }

  /** From now on whoever else writes to the stream, such as a provider that logs, writes to `others`. */
  keep(others: Writable): void {
    this.#stream.write = others.write.bind(others)
  }

  write(text: string): void {
    if (this.#broken || text === '') return
    this.#joined += text
    // A terminal has stderr's lines between ours: the order in which they were written is the one that is seen.
    if (this.isTTY || this.#joined.length >= JOINED) this.#send()
    else this.#scheduled ??= setImmediate(() => this.#send())
  }

  #send(): void {
    clearImmediate(this.#scheduled)
    this.#scheduled = undefined
    const text = this.#joined
    this.#joined = ''
    if (this.#broken || text === '') return
    this.#pending += 1
    this.#write(text, () => {
      this.#pending -= 1
      if (this.#pending <= 0) this.#wake()
    })
  }

  json(document: object): void {
    this.write(`${JSON.stringify(document)}\n`)
  }

  /** The reader can't take more for now. */
  get full(): boolean {
    return this.#stream.writableNeedDrain
  }

  /** Resolves when the reader can take more. */
  ready(): Promise<void> {
    return this.full ? this.flushed() : Promise.resolve()
  }

  /** Resolves when all that was written is taken, or the reader is gone. */
  flushed(): Promise<void> {
    this.#send()
    if (this.#pending <= 0 || this.#broken) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
