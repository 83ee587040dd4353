/** The readers of one log, and how far the slowest of them is behind (design.md §3, drive). */

/** Documented high-water mark: beyond it the provider stops reading the agent. */
export const HIGH_WATER_BYTES: number = 8 * 1024 * 1024
/** A reader that takes nothing for this long no longer holds the agent back. */
export const SILENT_MS = 60_000

/** So far behind, a reader finds what it reads in memory. */
const NEAR_BYTES = 64 * 1024
/** A reader that is further behind is given so long to come near, once in so many bytes; then the agent is read on. */
const BREATH_MS = 5

/** After so many events is looked what needn't be remembered; the half of that always is. */
const FORGET_EVERY = 65_536

export interface Reader {
  /** `seq` of the last event that the consumer has done with. */
  cursor: number
  readonly detached: boolean
  advance(seq: number): void
  detach(): void
}

class AttachedReader implements Reader {
  cursor: number
  lastPull: number
  detached = false
  readonly #owner: Readers

  constructor(owner: Readers, cursor: number, now: number) {
    this.#owner = owner
    this.cursor = cursor
    this.lastPull = now
  }

  advance(seq: number): void {
    this.cursor = seq
    this.#owner.pulled(this)
  }

  detach(): void {
    this.#owner.remove(this)
  }
}

export class Readers {
  readonly #now: () => number
  #first: number
  /** `#totals[i]` is the weight of all events up to `seq = #first + i`. */
  #totals: number[] = [0]
  readonly #attached = new Set<AttachedReader>()
  #waiting: PromiseWithResolvers<void> | undefined
  #silence: NodeJS.Timeout | undefined
  /** Since when somebody waits for the readers: a reader with nothing to take isn't silent. */
  #waitingSince = 0
  /** Somebody has been over the high-water mark, and not yet back at the half of it. */
  #over = false
  #sinceBreath = 0
  /** The slowest reader is no further behind, so that it needn't be looked for at each event. */
  #atMost = 0
  #breath: { readonly taken: PromiseWithResolvers<void>; readonly limit: NodeJS.Timeout } | undefined

  constructor(firstSeq: number, now: () => number) {
    this.#first = firstSeq
    this.#now = now
  }

  attach(cursor: number): Reader {
    const reader = new AttachedReader(this, cursor, this.#now())
    this.#atMost = Infinity
    this.#attached.add(reader)
    return reader
  }

  added(bytes: number): void {
    this.#totals.push(this.#total + bytes)
    this.#sinceBreath += bytes
    this.#atMost += bytes
    if (this.#totals.length % FORGET_EVERY === 0) this.#forget()
  }

  /** The last events never were. */
  removed(count: number): void {
    this.#totals.length -= count
  }

  /** False when the slowest attached reader is over the high-water mark behind, or is to be given a moment. */
  get keepingUp(): boolean {
    const limit = this.#sinceBreath < NEAR_BYTES ? HIGH_WATER_BYTES : NEAR_BYTES
    if (this.#atMost <= limit) return true
    const backlog = this.#backlog()
    this.#over ||= backlog > HIGH_WATER_BYTES
    return backlog <= limit
  }

  /**
   * Resolves once the slowest attached reader has halved the high-water mark, or no reader is left behind. Below the
   * mark: once it is near, and in any case after 5 ms.
   */
  drained(): Promise<void> {
    const backlog = this.#backlog()
    this.#over ||= backlog > HIGH_WATER_BYTES
    if (backlog <= HIGH_WATER_BYTES / 2) this.#over = false
    this.#sinceBreath = 0
    if (!this.#over) return this.#breathe(backlog)
    if (this.#waiting === undefined) this.#waitingSince = this.#now()
    this.#waiting ??= Promise.withResolvers<void>()
    this.#watchSilence()
    return this.#waiting.promise
  }

  pulled(reader: AttachedReader): void {
    reader.lastPull = this.#now()
    // A reader that comes back with its cursor counts again.
    if (!this.#attached.has(reader) && reader.detached) {
      reader.detached = false
      this.#attached.add(reader)
      this.#atMost = Infinity
    }
    this.#check()
  }

  remove(reader: AttachedReader): void {
    this.#attached.delete(reader)
    this.#check()
  }

  /** How far behind somebody is says nothing more once it is too far. */
  #forget(): void {
    const near = this.#totals.findIndex((total) => this.#total - total <= HIGH_WATER_BYTES)
    const gone = Math.min(near - 1, this.#totals.length - FORGET_EVERY / 2)
    if (gone <= 0) return
    this.#totals = this.#totals.slice(gone)
    this.#first += gone
  }

  get #total(): number {
    return this.#totals.at(-1) ?? 0
  }

  #backlog(): number {
    let most = 0
    for (const { cursor } of this.#attached) {
      const read = this.#totals[Math.max(cursor - this.#first, 0)] ?? this.#total
      most = Math.max(most, this.#total - read)
    }
    this.#atMost = most
    return most
  }

  #breathe(backlog: number): Promise<void> {
    if (backlog <= NEAR_BYTES) return Promise.resolve()
    this.#breath ??= {
      taken: Promise.withResolvers(),
      limit: setTimeout(() => this.#goOn(), BREATH_MS),
    }
    return this.#breath.taken.promise
  }

  #goOn(): void {
    clearTimeout(this.#breath?.limit)
    this.#breath?.taken.resolve()
    this.#breath = undefined
  }

  #check(): void {
    if (this.#waiting === undefined && this.#breath === undefined) return
    const backlog = this.#backlog()
    if (backlog <= NEAR_BYTES) this.#goOn()
    if (this.#waiting === undefined || backlog > HIGH_WATER_BYTES / 2) return
    this.#over = false
    this.#waiting.resolve()
    this.#waiting = undefined
    clearTimeout(this.#silence)
    this.#silence = undefined
  }

  #watchSilence(): void {
    this.#silence ??= setTimeout(() => {
      this.#silence = undefined
      for (const reader of this.#attached) {
        if (this.#now() - Math.max(reader.lastPull, this.#waitingSince) < SILENT_MS) continue
        reader.detached = true
        this.#attached.delete(reader)
      }
      this.#check()
      if (this.#waiting !== undefined) this.#watchSilence()
    }, SILENT_MS / 12).unref()
  }
}
