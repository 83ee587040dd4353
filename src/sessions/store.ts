/**
 * What a store of sessions must do. Made for a database that several processes share: one transaction to publish,
 * batches to append, a lease on each session that is open, and a feed of what others commit.
 */
import type { LogEntry } from '../contract/events.ts'
import type { RunId, SessionId } from '../contract/ids.ts'
import type { RunStatus, Usage } from '../contract/result.ts'
import type { Letter, LetterId, NewLetter } from '../contract/letters.ts'
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
  /** Epoch milliseconds of its last sign of life. */
  readonly seenAt: number
}

/** Whether a gateway process still runs. Pure but for the process table; a foreign namespace is judged by `seenAt`. */
export type IsAlive = (owner: Owner) => boolean

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
  /** Hears, at most 100 ms late, that anything was committed by anyone. */
  onChange(listener: () => void): Disposable
}

/** Sessions left open by processes that died. */
export interface Recovery {
  /** Sessions with an open run whose owner is dead, children before parents; nothing is changed. */
  lost(): readonly SessionId[]
  /** Takes a lost session over, in one transaction with the check that it still is lost; false when it no longer is. */
  takeOver(id: SessionId): Promise<boolean>
  /** Forgets dead owners that hold nothing any longer. */
  forgetDead(): Promise<void>
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
  /** Takes all of them in, held by nobody, in one transaction. Rejects when one's id is taken; then none is here. */
  take(arrivals: readonly Arrival[]): Promise<void>
}

/** Letters between sessions: messages down, reports and notices up. */
export interface Mailbox {
  /** Undelivered letters to a session, in the order in which they were posted. */
  letters(to: SessionId): readonly Letter[]
  post(letter: NewLetter): void
  /** Hears, at most 100 ms late, that a letter to this session was posted by anyone. */
  onLetter(to: SessionId, listener: () => void): Disposable
}

/**
 * Slots that all gateway processes of the user share. A session with a live or queued child, in whatever process,
 * holds none: its own isn't counted until its last child has given up its claim.
 */
export interface SlotLedger {
  /**
   * Takes a slot unless that would exceed the limits, counted over all living processes, or the provider is paused.
   * A claim that is refused stands in the queue from then on, and no younger one passes it where it could run.
   */
  takeSlot(claim: SlotClaim, limits: SlotLimits): boolean
  /**
   * Its children take over: it counts for nothing until it takes its slot back as `returning`, but still says that its
   * own parent has lent its slot.
   */
  lendSlot(ticket: string): void
  /** Gives a slot back, or leaves the queue. Unknown tickets are no error. */
  giveSlot(ticket: string): void
  /** No start of this provider takes a slot before; a later time wins. */
  pauseProvider(provider: string, until: number): void
  /** Epoch milliseconds; undefined when it isn't paused at `now`. */
  pausedUntil(provider: string, now: number): number | undefined
  /** Slots taken by all living processes, and starts in all their queues. */
  load(): { readonly active: number; readonly queued: number }
}

export interface SlotClaim {
  readonly ticket: string
  readonly provider: string
  readonly sessionId: SessionId
  readonly parentId?: SessionId
  /** It had its slot before its children ran, and goes ahead of the queue. */
  readonly returning: boolean
}

export interface SlotLimits {
  readonly total: number
  /** Infinity where only the total counts. */
  readonly provider: number
}

/** Idempotency keys that all gateway processes of the user share. */
export interface KeyLedger {
  /** Remembers a key, or tells what it was used for by somebody who lives; keys older than `olderThan` are forgotten. */
  takeKey(key: string, digest: string, at: number, olderThan: number): Promise<UsedKey | undefined>
  /** The key's start was rejected: the key is free again. */
  freeKey(key: string): void
  usedKey(key: string): UsedKey | undefined
}

export interface UsedKey {
  readonly digest: string
  /** Absent while the start is on its way. */
  readonly run?: RunId
  /** False when its start was on its way in a process that died. */
  readonly alive: boolean
}

/** A kept session's name, before the session is published. */
export interface NameClaim {
  readonly name: string
  readonly provider: string
  readonly cwd: string
  readonly sessionId: SessionId
}

/** Names of kept sessions that all gateway processes of the user share: of two that ask for one, one gets it. */
export interface NameLedger {
  /** Holds a name for a session that is being started. Rejects with `SESSION_BUSY` when it is held or has a session. */
  claimName(claim: NameClaim): Promise<void>
  /** The session was published, or its start was rejected. */
  freeName(id: SessionId): void
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
