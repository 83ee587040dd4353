/** Which sessions that nobody holds any longer a store in memory may give up: the oldest, beyond a bound. */
import type { SessionId } from '../contract/ids.ts'

export interface RetentionLimits {
  /** Sessions that are kept although nothing of them goes on. */
  readonly sessions: number
  /** What they may weigh together. */
  readonly bytes: number
}

export const RETENTION: RetentionLimits = { sessions: 1000, bytes: 64 * 1024 * 1024 }

/** Of any number of bytes, so many newest sessions stay: their runs may still be watched. */
const ALWAYS = 16

export class Retention {
  readonly #limits: RetentionLimits
  /** Oldest first. */
  readonly #released = new Map<SessionId, number>()
  #bytes = 0

  constructor(limits: RetentionLimits) {
    this.#limits = limits
  }

  release(id: SessionId, bytes: number): void {
    this.take(id)
    this.#released.set(id, bytes)
    this.#bytes += bytes
  }

  /** Something of it goes on again, or it is gone. */
  take(id: SessionId): void {
    this.#bytes -= this.#released.get(id) ?? 0
    this.#released.delete(id)
  }

  /** Those to give up, unless `held` says that somebody needs them. */
  surplus(held: (id: SessionId) => boolean): readonly SessionId[] {
    let count = this.#released.size
    let bytes = this.#bytes
    const surplus: SessionId[] = []
    for (const [id, weight] of this.#released) {
      const over = count > this.#limits.sessions || (bytes > this.#limits.bytes && count > ALWAYS)
      if (!over) break
      if (held(id)) continue
      surplus.push(id)
      count -= 1
      bytes -= weight
    }
    return surplus
  }
}
