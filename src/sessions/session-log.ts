/** The append-only log of one live session: order, registers, and the readers that hold the agent back. */
import type { LogEntry, SessionEvent } from '../contract/events.ts'
import type { RunId, SessionId } from '../contract/ids.ts'
import { advance } from './automaton.ts'
import type { LifecycleState } from './automaton.ts'
import { prefixLength } from './prefix.ts'
import { Readers } from './readers.ts'
import { advanceRegisters } from './registers.ts'
import type { Registers } from './registers.ts'
import type { SessionHeader, SessionStore } from './store.ts'

/** Events that are committed at once; a burst of others may share a commit. */
const isEdge = ({ type }: SessionEvent): boolean => type !== 'session/update' && type !== 'notice'

/** What an event weighs when the provider didn't say: enough to bound a reader's backlog. */
const ASSUMED_BYTES = 256

export interface LogStart {
  readonly header: SessionHeader
  readonly registers: Registers
  readonly lastSeq: number
}

export class SessionLog {
  readonly id: SessionId
  readonly header: SessionHeader
  readonly readers: Readers
  readonly #store: SessionStore
  readonly #now: () => number
  #state: LifecycleState
  #registers: Registers
  /** Setup events of a session that isn't published yet. */
  #unpublished: LogEntry[] | undefined

  private constructor(store: SessionStore, start: LogStart, now: () => number, unpublished?: LogEntry[]) {
    this.id = start.header.id
    this.header = start.header
    this.#store = store
    this.#now = now
    this.#registers = start.registers
    this.#state = { seq: start.lastSeq, asked: new Set() }
    this.#unpublished = unpublished
    this.readers = new Readers(start.lastSeq, now)
  }

  /** A session that nobody can see until its first `run/started`. */
  static create(
    store: SessionStore,
    header: SessionHeader,
    registers: Registers,
    now: () => number,
  ): SessionLog {
    return new SessionLog(store, { header, registers, lastSeq: prefixLength(header.prefix) }, now, [])
  }

  /** A stored session that goes on. */
  static reopen(store: SessionStore, id: SessionId, now: () => number): SessionLog | undefined {
    const stored = store.get(id)
    return stored && new SessionLog(store, stored, now)
  }

  get registers(): Registers {
    return this.#registers
  }

  get lastSeq(): number {
    return this.#state.seq
  }

  get published(): boolean {
    return this.#unpublished === undefined
  }

  /** Appends, or throws `IllegalOrder` and leaves the log as it was. `run/started` publishes a new session. */
  append(event: SessionEvent, run?: RunId, bytes: number = ASSUMED_BYTES): LogEntry {
    const entry: LogEntry = {
      seq: this.#state.seq + 1,
      at: this.#now(),
      ...(run !== undefined && { runId: run }),
      event,
    }
    this.#state = advance(this.#state, entry)
    this.#registers = advanceRegisters(this.#registers, entry)
    this.readers.added(bytes)
    if (this.#unpublished === undefined) {
      this.#store.append(this.id, entry, this.#registers, isEdge(event))
    } else {
      this.#unpublished.push(entry)
      if (event.type === 'run/started') this.#publish(this.#unpublished)
    }
    return entry
  }

  #publish(entries: readonly LogEntry[]): void {
    this.#unpublished = undefined
    this.#store.publish(this.header, entries, this.#registers)
  }
}
