/** What all gateway processes of the user count and hold together: slots, idempotency keys, names of kept sessions. */
import type { RunId, SessionId } from '../contract/ids.ts'

/**
 * Slots that all gateway processes of the user share. A session with a live or queued child, in whatever process,
 * holds none: its own isn't counted until its last child has given up its claim.
 */
export interface SlotLedger {
  /**
   * Takes a slot unless that would exceed the limits, counted over all living processes, or the provider is paused.
   * A claim that is refused stands in the queue from then on, and no younger one passes it where it could run.
   * Undefined when the database is another's just now: then nothing has changed, and it is asked again soon.
   */
  takeSlot(claim: SlotClaim, limits: SlotLimits): boolean | undefined
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
  /** The starts in all their queues, in the order in which they may go on. */
  waiting(): readonly WaitingStart[]
}

/** A start that waits for a slot, in whatever process. */
export interface WaitingStart {
  readonly provider: string
  readonly sessionId: SessionId
  readonly parentId?: SessionId
  /** Epoch milliseconds; absent where an older Subgate has queued it. */
  readonly since?: number
  /** `paused`: its provider reported a rate limit, and gets no start before `until`. */
  readonly reason: 'capacity' | 'paused'
  readonly until?: number
  readonly pid: number
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
