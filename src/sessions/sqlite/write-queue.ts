/** What waits to be written: committed together, in order, and tried again for a while when the database can't. */
import type { SessionId } from '../../contract/ids.ts'
import { monotonicMs } from '../../contract/monotonic.ts'
import type { Connection } from './connection.ts'
import { lockedFault, outlookOf, storeFault } from './faults.ts'
import { BUSY } from './patience.ts'

/** One thing to write. It is undone with its transaction, and then written again. */
export interface Job {
  /** Whose writing ends with this job when it fails for good. */
  readonly session?: SessionId
  /** About how much work it is. */
  readonly weight: number
  write(): void
  /** It is committed. */
  done(): void
  /** It never will be. */
  failed(fault: Error): void
}

export interface QueueTimes {
  /** Of a burst the first event is committed at once, the rest at most so much later. */
  readonly burstMs: number
  /** How long a transaction waits, with the event loop held, for that of another process. */
  readonly patienceMs: number
  /** How long a failing disk, or a lock that is never given up, is tried again. */
  readonly faultMs: number
  readonly lockedMs: number
}

export const QUEUE_TIMES: QueueTimes = { burstMs: 10, patienceMs: 1, faultMs: 2000, lockedMs: 30_000 }

/** Of one burst no more wait; no transaction is much longer, so that it holds nobody. */
const MOST_WAITING = 512
const MOST_AT_ONCE = 1024
const RETRY_MS = 4
const FAULT_RETRY_MS = 50

interface Waiting {
  readonly job: Job
  readonly since: number
}

export class WriteQueue {
  readonly #connection: Connection
  readonly #times: QueueTimes
  #waiting: Waiting[] = []
  #timer: NodeJS.Timeout | undefined
  /** A transaction that failed or was locked out is tried again by the timer alone. */
  #stalled = false
  /** When something that could wait was last committed: what is urgent begins no burst. */
  #burstAt = Number.NEGATIVE_INFINITY
  /** Called after each commit, once all of its jobs are done. */
  readonly #committed: () => void

  constructor(connection: Connection, committed: () => void, times: QueueTimes = QUEUE_TIMES) {
    this.#connection = connection
    this.#committed = committed
    this.#times = times
  }

  get size(): number {
    return this.#waiting.length
  }

  add(job: Job, urgent: boolean): void {
    this.#waiting.push({ job, since: monotonicMs() })
    this.hurry(urgent)
  }

  /** A job that waits has grown, or should wait no longer. */
  hurry(urgent: boolean): void {
    if (this.#stalled) return
    if (urgent) return void this.flush()
    // Its end is set.
    if (this.#timer !== undefined && this.#weight() < MOST_WAITING) return
    const now = monotonicMs()
    if (now - this.#burstAt < this.#times.burstMs && this.#weight() < MOST_WAITING)
      return this.#later(this.#times.burstMs)
    this.#burstAt = now
    this.flush()
  }

  /** One transaction; false when something still waits. */
  flush(patienceMs: number = this.#times.patienceMs): boolean {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#stalled = false
    while (this.#waiting.length > 0) {
      const batch = this.#batch()
      let current: Job | undefined
      try {
        const result = this.#connection.write(patienceMs, () => {
          for (const { job } of batch) {
            current = job
            job.write()
          }
          current = undefined
        })
        if (result === BUSY) {
          this.#stall(lockedFault(this.#connection.file), this.#times.lockedMs, RETRY_MS)
          return this.#waiting.length === 0
        }
      } catch (error) {
        if (this.#mayGoOn(error, batch, current)) continue
        return this.#waiting.length === 0
      }
      this.#over(batch)
      break
    }
    if (this.#waiting.length === 0) return true
    this.#later(0)
    return false
  }

  /** Nothing more is tried: what waits fails. */
  giveUp(fault: Error): void {
    clearTimeout(this.#timer)
    this.#drop(() => true, fault)
  }

  /** True when what is left of the batch can be tried at once. */
  #mayGoOn(error: unknown, batch: readonly Waiting[], current: Job | undefined): boolean {
    const fault = storeFault(error, this.#connection.file)
    switch (outlookOf(error)) {
      case 'passing':
        this.#stall(fault, this.#times.faultMs, FAULT_RETRY_MS)
        return false
      case 'final':
        this.#drop(() => true, fault)
        return false
      case 'refused': {
        // The others of the batch are as good as ever.
        const refused = current ?? batch[0]?.job
        this.#drop(({ job }) => job === refused || isOf(job, refused?.session), fault)
        return true
      }
    }
  }

  #stall(fault: Error, giveUpMs: number, retryMs: number): void {
    const now = monotonicMs()
    this.#drop(({ since }) => now - since >= giveUpMs, fault)
    if (this.#waiting.length === 0) return
    this.#stalled = true
    this.#later(retryMs * (0.5 + Math.random()))
  }

  #over(batch: readonly Waiting[]): void {
    this.#waiting = this.#waiting.slice(batch.length)
    for (const { job } of batch) job.done()
    this.#committed()
  }

  #drop(goes: (waiting: Waiting) => boolean, fault: Error): void {
    const gone = this.#waiting.filter(goes)
    this.#waiting = this.#waiting.filter((waiting) => !goes(waiting))
    const sessions = new Set(gone.flatMap(({ job }) => job.session ?? []))
    // Nothing of a session is committed behind what was lost.
    const after = this.#waiting.filter(({ job }) => job.session !== undefined && sessions.has(job.session))
    this.#waiting = this.#waiting.filter((waiting) => !after.includes(waiting))
    for (const { job } of [...gone, ...after]) job.failed(fault)
  }

  #batch(): readonly Waiting[] {
    let weight = 0
    let count = 0
    for (const { job } of this.#waiting) {
      if (count > 0 && weight + job.weight > MOST_AT_ONCE) break
      weight += job.weight
      count += 1
    }
    return this.#waiting.slice(0, count)
  }

  #weight(): number {
    return this.#waiting.reduce((sum, { job }) => sum + job.weight, 0)
  }

  #later(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#burstAt = monotonicMs()
      this.flush()
    }, ms)
  }
}

const isOf = ({ session }: Job, id: SessionId | undefined): boolean => id !== undefined && session === id
