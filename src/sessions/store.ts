/**
 * What a store of sessions must do. Made for a database that several processes share: one transaction to publish,
 * batches to append, a lease on each session that is open, and a feed of what others commit.
 */
import type { LogEntry } from '../contract/events.ts'
import type { RunId, SessionId } from '../contract/ids.ts'
import type { RunStatus, Usage } from '../contract/result.ts'
import type { Letter, LetterId, NewLetter } from '../contract/letters.ts'
import type { KeyLedger, NameLedger, SlotLedger } from './ledgers.ts'
import type { Registers } from './registers.ts'

/** A part of a forked session's shared history: the next `count` events, which stand in `sessionId`'s own log. */
export interface PrefixPart {
  readonly sessionId: SessionId
  readonly count: number
}

/** The conversation that a session is part of, as a face shows it: several agents may take turns in one. */
export interface ChatLink {
  readonly id: string
  /** It is a copy: what that chat held up to then comes before all of its own. */
  readonly from?: { readonly id: string; readonly until: number }
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
  /** How a person finds a kept session again: unique for a provider and a directory. */
  readonly name?: string
  readonly chat?: ChatLink
  readonly createdAt: number
  readonly prefix: readonly PrefixPart[]
}

export interface StoredSession {
  readonly header: SessionHeader
  readonly registers: Registers
  /** `seq` of the last committed event. */
  readonly lastSeq: number
}

/** One run as the index knows it. */
export interface StoredRun {
  readonly id: RunId
  readonly sessionId: SessionId
  readonly provider: string
  readonly depth: number
  readonly parentSessionId?: SessionId
  readonly label?: string
  /** `seq` of its `run/started`, and of its `run/settled` once there is one. */
  readonly firstSeq: number
  readonly lastSeq?: number
  readonly startedAt: number
  readonly settledAt?: number
  readonly status?: RunStatus
  readonly usage?: Usage
}

/** A session in a list; `at` is when it last changed. */
export interface ListedSession extends StoredSession {
  readonly at: number
  /** Its newest run; a session that was imported may have none. */
  readonly run?: StoredRun
  /** The process that holds it open, if one does. */
  readonly owner?: Owner
}

export interface SessionFilter {
  readonly cwd?: string
  readonly provider?: string
  readonly name?: string
  readonly parentId?: SessionId
  readonly rootId?: SessionId
  /** Sessions of this chat. */
  readonly chat?: string
  /** Sessions without a parent alone. */
  readonly rootsOnly?: boolean
  /** Sessions with an open run alone. */
  readonly openOnly?: boolean
  /** Continues behind this session of the list's order: newest change first. */
  readonly after?: { readonly at: number; readonly id: SessionId }
  readonly limit: number
}

/** A gateway process: it holds sessions open, and may die. */
export interface Owner {
  /** Of this gateway, unlike its pid never used again. */
  readonly id: string
  readonly pid: number
  /** Kernel start time: with the pid, the identity of a process. */
  readonly startTime: number
  /** `boot/pid namespace`: pids mean something only within both. */
  readonly bootId: string
  /** Of its last sign of life; only ever compared with the one before. */
  readonly seenAt: number
  /** What some process has left of its watch over this one. */
  readonly sighting?: { readonly seenAt: number; readonly since: number; readonly clock: string }
}

/**
 * Whether a gateway process still runs, by the process table alone. Undefined where that says nothing of it: then its
 * signs of life are watched.
 */
export type IsAlive = (owner: Owner) => boolean | undefined

/** Written in the transaction of the event that it goes with. */
export interface Together {
  readonly post?: readonly NewLetter[]
  /** Letters that this event delivers. Of two that deliver the same one, the second throws `LetterTaken`. */
  readonly deliver?: readonly LetterId[]
  /** The idempotency key of which this `run/started` is the run. */
  readonly key?: string
}

export interface SessionStore {
  /** Header, setup events and `run/started` in one transaction: all of it is visible, or nothing. */
  publish(
    header: SessionHeader,
    entries: readonly LogEntry[],
    registers: Registers,
    together?: Together,
  ): void
  /**
   * Takes an entry over, or several that are committed together. It may be committed later, with others, unless it is `urgent`; it is readable only
   * once committed, and `onCommit` says so. Throws the session's fault once something of it couldn't be committed.
   */
  append(
    id: SessionId,
    entry: LogEntry | readonly LogEntry[],
    registers: Registers,
    urgent: boolean,
    together?: Together,
  ): void
  /**
   * Resolves once all that the session was given so far is committed. Rejects with a `SubagentError` when that
   * failed for good: then nothing of the session is committed any longer, and its log ends where it is.
   */
  flushed(id: SessionId): Promise<void>
  get(id: SessionId): StoredSession | undefined
  /**
   * Committed entries with `seq > after`, in order, at most `limit`, across a shared prefix; none of a session
   * that was given up.
   */
  read(id: SessionId, after: number, limit: number): readonly LogEntry[]
  /**
   * Takes a stored session up for this process. Throws `SESSION_BUSY` when another living process holds it, or its
   * run is open. A new session is held by who publishes it.
   */
  claim(id: SessionId): Promise<void>
  /** Nothing of this session goes on here any longer: another process may take it up. */
  release(id: SessionId): void
  /** Hears of commits to a session, also of one that isn't published yet, and of those of other processes. */
  onCommit(id: SessionId, listener: (lastSeq: number) => void): Disposable
  /** Hears that a session can't be written any longer. */
  onFault(id: SessionId, listener: (fault: Error) => void): Disposable
}

/** Finding and listing, straight from the index; sessions of other processes too. */
export interface SessionIndex {
  /** Newest change first. */
  list(filter: SessionFilter): readonly ListedSession[]
  run(id: RunId): StoredRun | undefined
  /** Oldest first. */
  runs(id: SessionId): readonly StoredRun[]
  /** Sessions whose id, or the id of one of whose runs, is or begins with the text; at most `limit`. */
  find(text: string, limit: number): readonly SessionId[]
  /** Hears that anything was committed: by this store at once, by another process at most 100 ms late (`elsewhere`). */
  onChange(listener: (elsewhere: boolean) => void): Disposable
}

/** Sessions left open by processes that died. */
export interface Recovery {
  /** Sessions with an open run whose owner is dead, children before parents; nothing is changed. */
  lost(): readonly SessionId[]
  /** Takes a lost session over, in one transaction with the check that it still is lost; false when it no longer is. */
  takeOver(id: SessionId): Promise<boolean>
  /** Forgets dead owners that hold nothing any longer, and leaves word of those that are being watched. */
  forgetDead(): Promise<void>
  /** Owners that may be dead, as their signs of life stand still: worth another look after a while. */
  suspects(): number
}

/** Taking sessions away. */
export interface Removal {
  /**
   * Removes sessions with their runs and letters; none that is held by a living process. The events of one that
   * a fork shares stay readable for that fork, and go with the last of those. Returns what was removed.
   */
  remove(ids: readonly SessionId[]): Promise<readonly SessionId[]>
}

/** A session from elsewhere, with its whole log and no open run. */
export interface Arrival {
  readonly header: Omit<SessionHeader, 'prefix'>
  /** What it shared with the session that it was copied from: the first of its events. */
  readonly inherited: readonly LogEntry[]
  readonly entries: readonly LogEntry[]
  readonly registers: Registers
}

export interface Intake {
  /** Takes all of them in, held by nobody, at one moment. Rejects when one's id is taken; then none is here. */
  take(arrivals: readonly Arrival[]): Promise<void>
}

/** Letters between sessions: messages down, reports and notices up. */
export interface Mailbox {
  /** Undelivered letters to a session, in the order in which they were posted. */
  letters(to: SessionId): readonly Letter[]
  /** Sessions below this one, at any depth, to which a message is waiting. */
  waitingBelow(id: SessionId): readonly SessionId[]
  post(letter: NewLetter): void
  /** Hears, at most 100 ms late, that a letter to this session was posted by anyone. */
  onLetter(to: SessionId, listener: () => void): Disposable
}

/** All of it, as one database gives it. */
export interface Store
  extends
    SessionStore,
    SessionIndex,
    Recovery,
    Removal,
    Intake,
    Mailbox,
    SlotLedger,
    KeyLedger,
    NameLedger,
    Disposable {}
