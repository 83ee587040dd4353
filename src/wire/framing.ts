/** Newline framing over bytes: lines are cut at LF first and decoded after (cases.md rule 5). */

export interface FramerOptions {
  /** Size limit of one line without its LF. 32 MiB when absent. */
  readonly maxBytes?: number
  /** A line that isn't blank, without its LF and one trailing CR. `bytes` is its size before decoding. */
  line(text: string, bytes: number): void
  /** A line over the limit has ended: its first 64 KiB, decoded, and the size of the whole. */
  oversized(head: string, bytes: number): void
}

export const MAX_LINE_BYTES: number = 32 * 1024 * 1024
const HEAD_BYTES = 64 * 1024
const LF = 10
const CR = 13
const EMPTY = Buffer.alloc(0)

/** Calls back synchronously, in order; the callbacks must not throw. A pushed chunk isn't kept. */
export class LineFramer {
  readonly #options: FramerOptions
  readonly #max: number
  /** The unfinished line, in a buffer that doubles: linear time, and no more than twice the limit. */
  #held: Buffer = EMPTY
  #heldBytes = 0
  /** Size of an oversized line so far; its head is all that is held. */
  #oversizedBytes = 0

  constructor(options: FramerOptions) {
    this.#options = options
    this.#max = options.maxBytes ?? MAX_LINE_BYTES
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let start = 0
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
      if (this.#heldBytes === 0 && this.#oversizedBytes === 0) this.#emit(bytes, start, end)
      else {
        this.#hold(bytes, start, end)
        this.#flush()
      }
      start = end + 1
    }
    this.#hold(bytes, start, bytes.length)
  }

  /** The stream has ended: a last line without LF counts. */
  end(): void {
    if (this.#heldBytes > 0 || this.#oversizedBytes > 0) this.#flush()
  }

  #hold(bytes: Buffer, start: number, end: number): void {
    const size = end - start
    if (size === 0) return
    const total = this.#heldBytes + size
    if (this.#oversizedBytes > 0 || total > this.#max) {
      this.#oversizedBytes = (this.#oversizedBytes || this.#heldBytes) + size
      this.#holdHead(bytes.subarray(start, end))
      return
    }
    if (total > this.#held.length) {
      const grown = Buffer.allocUnsafeSlow(Math.min(Math.max(total, this.#held.length * 2, 4096), this.#max))
      this.#held.copy(grown, 0, 0, this.#heldBytes)
      this.#held = grown
    }
    bytes.copy(this.#held, this.#heldBytes, start, end)
    this.#heldBytes = total
  }

  #holdHead(bytes: Buffer): void {
    if (this.#held.length !== HEAD_BYTES) {
      const head = Buffer.allocUnsafeSlow(HEAD_BYTES)
      this.#heldBytes = this.#held.copy(head, 0, 0, this.#heldBytes)
      this.#held = head
    }
    this.#heldBytes += bytes.copy(this.#held, this.#heldBytes)
  }

  #flush(): void {
    const held = this.#held
    const size = this.#heldBytes
    const oversized = this.#oversizedBytes
    this.#heldBytes = 0
    this.#oversizedBytes = 0
    if (held.length > HEAD_BYTES || oversized > 0) this.#held = EMPTY
    if (oversized > 0) this.#options.oversized(held.toString('utf8', 0, size), oversized)
    else this.#emit(held, 0, size)
  }

  #emit(bytes: Buffer, start: number, end: number): void {
    const size = end - start
    if (size > this.#max) {
      this.#options.oversized(bytes.toString('utf8', start, start + Math.min(size, HEAD_BYTES)), size)
      return
    }
    const stop = size > 0 && bytes[end - 1] === CR ? end - 1 : end
    if (isBlank(bytes, start, stop)) return
    this.#options.line(bytes.toString('utf8', start, stop), size)
  }
}

const isBlank = (bytes: Buffer, start: number, end: number): boolean => {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at]
    if (byte !== 0x20 && byte !== 0x09 && byte !== CR) return false
  }
  return true
}
