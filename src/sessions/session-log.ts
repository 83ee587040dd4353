/** The append-only log of one live session: order, registers, and the readers that hold the agent back. */
import type { LogEntry, SessionEvent } from '../contract/events.ts'
import type { RunId, SessionId } from '../contract/ids.ts'
import { advance } from './automaton.ts'
import type { LifecycleState } from './automaton.ts'
import { inheritedEventCount } from './prefix.ts'
import { Readers } from './readers.ts'
import { advanceRegisters } from './registers.ts'
import type { Registers } from './registers.ts'
import type { SessionHeader, SessionStore, Together } from './store.ts'

/** Events that are committed at once; a burst of others may share a commit. */
const isEdge = ({ type }: SessionEvent): boolean => type !== 'session/update' && type !== 'notice'

/** What an event weighs when the provider didn't say: enough to bound a reader's backlog. */
const ASSUMED_BYTES = 256

export interface LogStart {
  readonly header: SessionHeader
  readonly registers: Registers
  readonly lastSeq: number
}

export interface AppendOptions {
  /** What the event weighs, for back-pressure. */
  readonly bytes?: number | undefined
  /** What is written in the same transaction. */
  readonly together?: Together | undefined
}

interface Held {
  readonly entries: LogEntry[]
  readonly state: LifecycleState
  readonly registers: Registers
}

export class SessionLog {
  readonly id: SessionId
  readonly header: SessionHeader
  readonly readers: Readers
  /** What comes from here on is news: behind a fork's history, and behind what stood there when it was taken up. */
  readonly firstLiveSeq: number
  readonly #store: SessionStore
  readonly #now: () => number
  #state: LifecycleState
  #registers: Registers
  /** Setup events of a session that isn't published yet. */
  #unpublished: LogEntry[] | undefined
  #held: Held | undefined

  private constructor(store: SessionStore, start: LogStart, now: () => number, unpublished?: LogEntry[]) {
    this.id = start.header.id
    this.header = start.header
    this.firstLiveSeq = start.lastSeq + 1
    this.#store = store
    this.#now = now
    this.#registers = start.registers
    const { openRun, asked } = start.registers
    this.#state = { seq: start.lastSeq, asked: new Set(asked), ...(openRun !== undefined && { openRun }) }
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
    return new SessionLog(store, { header, registers, lastSeq: inheritedEventCount(header) }, now, [])
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

  /**
   * Appends, or throws `IllegalOrder` or what the store threw, and leaves the log as it was. `run/started`
   * publishes a new session.
   */
  append(
    event: SessionEvent,
    run?: RunId,
    { bytes = ASSUMED_BYTES, together }: AppendOptions = {},
  ): LogEntry {
    const entry: LogEntry = {
      seq: this.#state.seq + 1,
      at: this.#now(),
      ...(run !== undefined && { runId: run }),
      event,
    }
    const state = advance(this.#state, entry)
    const registers = advanceRegisters(this.#registers, entry)
    this.#write(entry, registers, together)
    this.#state = state
    this.#registers = registers
    this.readers.added(bytes)
    return entry
  }

  /** What comes before the next `run/started` is committed together with it, and gone when that is. */
  hold(): void {
    if (this.#unpublished !== undefined || this.#held !== undefined) return
    this.#held = { entries: [], state: this.#state, registers: this.#registers }
  }

  /** The run never began: what was held for it never was. */
  drop(): void {
    if (this.#held === undefined) return
    this.#state = this.#held.state
    this.#registers = this.#held.registers
    this.readers.removed(this.#held.entries.length)
    this.#held = undefined
  }

  /** Resolves once all that was appended is committed; rejects when that failed for good. */
  flushed(): Promise<void> {
    return this.#store.flushed(this.id)
  }

  #write(entry: LogEntry, registers: Registers, together?: Together): void {
    const { type } = entry.event
    const begins = type === 'run/started'
    if (this.#unpublished !== undefined) {
      if (!begins) return void this.#unpublished.push(entry)
      this.#store.publish(this.header, [...this.#unpublished, entry], registers, together)
      this.#unpublished = undefined
    } else if (this.#held !== undefined) {
      if (!begins) return void this.#held.entries.push(entry)
      this.#store.append(this.id, [...this.#held.entries, entry], registers, true, together)
      this.#held = undefined
    } else this.#store.append(this.id, entry, registers, isEdge(entry.event), together)
  }
}
