/** The newest committed entries of the sessions that are held here: live readers take them without a query. */
import type { LogEntry } from '../../contract/events.ts'
import type { SessionId } from '../../contract/ids.ts'

export interface TailLimits {
  /** Of one session. */
  readonly entries: number
  readonly bytes: number
  /** Of all of them together. */
  readonly total: number
}

const LIMITS: TailLimits = { entries: 4096, bytes: 1024 * 1024, total: 32 * 1024 * 1024 }

interface Tail {
  entries: LogEntry[]
  sizes: number[]
  bytes: number
}

export class Tails {
  readonly #limits: TailLimits
  /** The one that grew last is the last. */
  readonly #tails = new Map<SessionId, Tail>()
  #total = 0

  constructor(limits: TailLimits = LIMITS) {
    this.#limits = limits
  }

  push(id: SessionId, entries: readonly LogEntry[], sizes: readonly number[]): void {
    const tail = this.#tails.get(id) ?? { entries: [], sizes: [], bytes: 0 }
    this.#tails.delete(id)
    this.#tails.set(id, tail)
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    tail.entries.push(...entries)
    tail.sizes.push(...sizes)
    tail.bytes += bytes
    this.#total += bytes
    this.#shorten(tail)
    for (const other of this.#tails.keys()) {
      if (this.#total <= this.#limits.total) break
      this.drop(other)
    }
  }

  /** Undefined when the entries behind `after` aren't all here. */
  read(id: SessionId, after: number, limit: number): readonly LogEntry[] | undefined {
    const entries = this.#tails.get(id)?.entries
    const first = entries?.[0]
    if (entries === undefined || first === undefined || after + 1 < first.seq) return undefined
    const from = after + 1 - first.seq
    return entries.slice(from, from + limit)
  }

  drop(id: SessionId): void {
    this.#total -= this.#tails.get(id)?.bytes ?? 0
    this.#tails.delete(id)
  }

  /** In halves, so that a push costs the same however long the tail is. */
  #shorten(tail: Tail): void {
    const { entries, bytes } = this.#limits
    if (tail.entries.length <= entries && tail.bytes <= bytes) return
    let left = tail.bytes
    let gone = 0
    while (tail.entries.length - gone > entries / 2 || left > bytes / 2) {
      left -= tail.sizes[gone] ?? 0
      gone += 1
    }
    this.#total -= tail.bytes - left
    tail.entries = tail.entries.slice(gone)
    tail.sizes = tail.sizes.slice(gone)
    tail.bytes = left
  }
}
