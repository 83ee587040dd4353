/** The exchange format of stored sessions: JSON Lines, a header line and then a line an event. */
import type { LogEntry } from '../../contract/events.ts'
import type { Registers } from '../registers.ts'
import type { SessionHeader } from '../store.ts'

/** Grows when an older Subgate could no longer read what a newer one writes. */
export const FORMAT_VERSION = 1

/** The first line of each session. */
export interface SessionLine {
  readonly type: 'session'
  readonly version: number
  readonly header: PlainHeader
  /** So many of its events, the first ones, were shared with the session that it was copied from. */
  readonly inheritedEventCount: number
  /** Of a copy: what it stands under, which none of its events need say. */
  readonly policy?: Policy
  /** How many events follow. */
  readonly lastSeq: number
}

export type Policy = Pick<Registers, 'sandbox' | 'permissionPreset' | 'approvalPolicy' | 'approvalSource'>

/** Without the places of other sessions' logs: all events stand in the file. */
export type PlainHeader = Omit<SessionHeader, 'prefix'>

/** One session as a file holds it. */
export interface WholeSession {
  readonly header: PlainHeader
  readonly inheritedEventCount: number
  readonly policy?: Policy
  readonly entries: readonly LogEntry[]
}
