/** The last bytes that a process wrote on stderr, in memory that doesn't grow (C16). */

const TAIL_BYTES = 64 * 1024
/** Kept free for the mark, so that mark and text together stay within `TAIL_BYTES`. */
const MARK_BYTES = 64
const ROOM = TAIL_BYTES - MARK_BYTES

export class StderrTail {
  #ring: Buffer | undefined
  #total = 0

  push(chunk: Uint8Array): void {
    this.#ring ??= Buffer.allocUnsafe(ROOM)
    const last = chunk.subarray(Math.max(0, chunk.length - ROOM))
    const start = (this.#total + chunk.length - last.length) % ROOM
    const first = last.subarray(0, ROOM - start)
    this.#ring.set(first, start)
    this.#ring.set(last.subarray(first.length), 0)
    this.#total += chunk.length
  }

  /** Whole characters only; begins with a mark when earlier bytes were dropped. */
  text(): string {
    if (this.#ring === undefined) return ''
    if (this.#total <= ROOM) return decode(this.#ring.subarray(0, this.#total))
    const seam = this.#total % ROOM
    const bytes = Buffer.concat([this.#ring.subarray(seam), this.#ring.subarray(0, seam)])
    let start = 0
    while (start < 3 && isContinuation(bytes[start])) start += 1
    const dropped = this.#total - ROOM + start
    return `[truncated: ${dropped} earlier bytes]\n${decode(bytes.subarray(start))}`
  }
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** `stream` holds back an incomplete last character. */
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes, { stream: true })
