/** The fake's stdout: batched, in order, and without blocking the fake while nobody reads. */
import { closeSync, fstatSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import type { Writable } from 'node:stream'

/** What gathers before it is written, unless the script waits earlier. */
const BATCH = 64 * 1024

export class FakeOutput {
  readonly #stream: Writable
  #gathered: (string | Buffer)[] = []
  #size = 0
  #closed = false
  /** While steps are gathered for one write or for pieces, nothing leaves. */
  #holding = 0

  constructor() {
    // process.stdout blocks the whole process on a full pipe; a socket over the same descriptor doesn't.
    const kind = fstatSync(1)
    this.#stream =
      kind.isFIFO() || kind.isSocket()
        ? new Socket({ fd: 1, readable: false, writable: true })
        : process.stdout
    // The reader has gone: what a real agent would notice as EPIPE.
    this.#stream.on('error', () => this.close())
  }

  write(data: string | Buffer): void {
    if (this.#closed) return
    this.#gathered.push(data)
    this.#size += data.length
  }

  /** Resolves when the next step may write: at once, or after a reader has made room. */
  async ready(): Promise<void> {
    if (this.#size >= BATCH && this.#holding === 0) await this.flush()
  }

  /** Resolves when all that was written has left the process. */
  flush(): Promise<void> {
    return this.#holding > 0 ? Promise.resolve() : this.#send(this.#take())
  }

  async inPieces(bytes: number, steps: () => Promise<void>): Promise<void> {
    await this.flush()
    this.#holding += 1
    try {
      await steps()
    } finally {
      this.#holding -= 1
    }
    if (this.#holding > 0) return
    const all = this.#take()
    const size = Math.min(bytes, all.length)
    for (let start = 0; start < all.length; start += size) {
      await this.#send(all.subarray(start, start + size))
      if (start + size < all.length) await turn()
    }
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    closeStream(this.#stream, 1)
  }

  #take(): Buffer {
    const parts = this.#gathered.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))
    this.#gathered = []
    this.#size = 0
    return Buffer.concat(parts)
  }

  #send(bytes: Buffer): Promise<void> {
    if (this.#closed || bytes.length === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#stream.once('close', resolve)
      this.#stream.write(bytes, () => {
        this.#stream.off('close', resolve)
        resolve()
      })
    })
  }
}

/** Node leaves the descriptors of stdio open; the other side is to see the end. */
export const closeStream = (stream: { destroy(): unknown }, descriptor: 0 | 1 | 2): void => {
  stream.destroy()
  closeSync(descriptor)
  // Takes the free number, so that no later file gets it.
  openSync('/dev/null', 'r+')
}
