/** What a store of sessions must do. Made for a database: one transaction to publish, batches to append. */
import type { LogEntry } from '../contract/events.ts'
import type { SessionId } from '../contract/ids.ts'
import type { Registers } from './registers.ts'

/** A part of a forked session's shared history: the next `count` events, which stand in `sessionId`'s own log. */
export interface PrefixPart {
  readonly sessionId: SessionId
  readonly count: number
}

/** The durable identity of a session; the facts here never change after publish. */
export interface SessionHeader {
  readonly id: SessionId
  readonly rootId: SessionId
  readonly parentId?: SessionId
  readonly provider: string
  readonly depth: number
  readonly maxDepth?: number
  readonly cwd: string
  readonly label?: string
  readonly createdAt: number
  readonly prefix: readonly PrefixPart[]
}

export interface StoredSession {
  readonly header: SessionHeader
  readonly registers: Registers
  /** `seq` of the last committed event. */
  readonly lastSeq: number
}

export interface SessionStore {
  /** Header, setup events and `run/started` in one transaction: all of it is visible, or nothing. */
  publish(header: SessionHeader, entries: readonly LogEntry[], registers: Registers): void
  /**
   * Takes an entry over. It may be committed later, with others, unless it is `urgent`; it is readable only
   * once committed, and `onCommit` says so.
   */
  append(id: SessionId, entry: LogEntry, registers: Registers, urgent: boolean): void
  get(id: SessionId): StoredSession | undefined
  /**
   * Committed entries with `seq > after`, in order, at most `limit`, across a shared prefix; none of a session
   * that was given up.
   */
  read(id: SessionId, after: number, limit: number): readonly LogEntry[]
  /** Nothing of this session goes on any longer: a store that is bounded may give it up from now on. */
  release?(id: SessionId): void
  /** Hears of commits to a session, also of one that isn't published yet. */
  onCommit(id: SessionId, listener: (lastSeq: number) => void): Disposable
}
