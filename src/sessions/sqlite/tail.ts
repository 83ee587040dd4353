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

/** What is kept for longer than a reader that keeps up needs it costs more, moved about in memory, than it saves. */
const LIMITS: TailLimits = { entries: 1024, bytes: 1024 * 1024, total: 32 * 1024 * 1024 }

/** Entries that were committed together, and go together. */
interface Batch {
  readonly entries: readonly LogEntry[]
  readonly bytes: number
}

interface Tail {
  readonly batches: Batch[]
  entries: number
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

  push(id: SessionId, entries: readonly LogEntry[], bytes: number): void {
    const tail = this.#tails.get(id) ?? { batches: [], entries: 0, bytes: 0 }
    this.#tails.delete(id)
    this.#tails.set(id, tail)
    tail.batches.push({ entries, bytes })
    this.#grow(tail, entries.length, bytes)
    const { entries: most, bytes: mostBytes, total } = this.#limits
    while (tail.entries > most || tail.bytes > mostBytes) {
      const oldest = tail.batches.shift()
      if (oldest !== undefined) this.#grow(tail, -oldest.entries.length, -oldest.bytes)
    }
    for (const other of this.#tails.keys()) {
      if (this.#total <= total) break
      this.drop(other)
    }
  }

  /** Undefined when the entries behind `after` aren't all here. */
  read(id: SessionId, after: number, limit: number): readonly LogEntry[] | undefined {
    const batches = this.#tails.get(id)?.batches ?? []
    const first = batches[0]?.entries[0]
    if (first === undefined || after + 1 < first.seq) return undefined
    const found: LogEntry[] = []
    let from = after + 1 - first.seq
    for (const { entries } of batches) {
      if (from < entries.length) found.push(...entries.slice(from, from + limit - found.length))
      if (found.length === limit) break
      from = Math.max(from - entries.length, 0)
    }
    return found
  }

  drop(id: SessionId): void {
    this.#total -= this.#tails.get(id)?.bytes ?? 0
    this.#tails.delete(id)
  }

  #grow(tail: Tail, entries: number, bytes: number): void {
    tail.entries += entries
    tail.bytes += bytes
    this.#total += bytes
  }
}
