/** A session that this process holds open: what it was given, how much of that is committed, and who waits for it. */
import type { LogEntry } from '../../contract/events.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { LetterId } from '../../contract/letters.ts'
import { IllegalOrder } from '../automaton.ts'
import type { Registers } from '../registers.ts'
import type { SessionHeader } from '../store.ts'

export interface HeldStart {
  readonly header: SessionHeader
  readonly registers: Registers
  readonly lastSeq: number
  /** Absent while its publication waits to be committed. */
  readonly key?: number
}

export class Held {
  readonly header: SessionHeader
  key: number | undefined
  registers: Registers
  /** `seq` of the last entry that was taken over, and of the last that is committed. */
  taken: number
  committed: number
  fault: Error | undefined
  /** It is to be given up once what it was given is committed. */
  released = false
  /** Letters whose delivery waits to be committed. */
  readonly delivering: Set<LetterId> = new Set()
  /** Jobs that wait to be committed. */
  jobs = 0
  #flushed: PromiseWithResolvers<void> | undefined

  constructor({ header, registers, lastSeq, key }: HeldStart) {
    this.header = header
    this.registers = registers
    this.taken = lastSeq
    this.committed = lastSeq
    this.key = key
  }

  get id(): SessionId {
    return this.header.id
  }

  /** Whether it is, or may still be, in the database. */
  get exists(): boolean {
    return this.key !== undefined || this.fault === undefined
  }

  /** Throws when the entries can't be the next ones. */
  check(entries: readonly LogEntry[]): void {
    if (this.fault !== undefined) throw this.fault
    let before = this.taken
    for (const { seq, event } of entries) {
      if (seq !== before + 1)
        throw new IllegalOrder(
          `Event ${seq} (${event.type}) is out of order: after ${before} comes ${before + 1}.`,
        )
      before = seq
    }
  }

  flushed(): Promise<void> {
    if (this.fault !== undefined) return Promise.reject(this.fault)
    if (this.jobs === 0) return Promise.resolve()
    this.#flushed ??= Promise.withResolvers<void>()
    return this.#flushed.promise
  }

  jobDone(): void {
    this.jobs -= 1
    if (this.jobs > 0) return
    this.#flushed?.resolve()
    this.#flushed = undefined
  }

  /** False when it had failed before. */
  fail(fault: Error): boolean {
    if (this.fault !== undefined) return false
    this.fault = fault
    this.#flushed?.reject(fault)
    this.#flushed = undefined
    return true
  }
}
