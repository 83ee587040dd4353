/**
 * The store that lives and dies with the process. Every append is committed at once. Of the sessions of which
 * nothing goes on it keeps the newest (`RETENTION`), and those that a fork shares or somebody reads.
 */
import type { LogEntry } from '../contract/events.ts'
import type { SessionId } from '../contract/ids.ts'
import { prefixLength } from './prefix.ts'
import type { Registers } from './registers.ts'
import { Retention, RETENTION } from './retention.ts'
import type { RetentionLimits } from './retention.ts'
import type { SessionHeader, SessionStore, StoredSession } from './store.ts'

interface Kept {
  readonly header: SessionHeader
  registers: Registers
  /** How many events lie in the shared prefix. */
  readonly shared: number
  readonly own: LogEntry[]
}

/** About so much does a log weigh: its strings, and a little for each value beside. */
const weigh = (value: unknown): number => {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 8
  return Object.values(value).reduce((sum: number, part) => sum + weigh(part), 32)
}

export const memoryStore = (limits: RetentionLimits = RETENTION): SessionStore => {
  const retention = new Retention(limits)
  /** How many forks share a session's events. */
  const sharers = new Map<SessionId, number>()
  const sessions = new Map<SessionId, Kept>()
  const listeners = new Map<SessionId, Set<(lastSeq: number) => void>>()

  const must = (id: SessionId): Kept => {
    const kept = sessions.get(id)
    if (kept === undefined) throw new Error(`Session ${id} was never published.`)
    return kept
  }

  const committed = (id: SessionId, kept: Kept): void => {
    for (const listener of listeners.get(id) ?? []) listener(kept.shared + kept.own.length)
  }

  const shared = (header: SessionHeader, after: number, limit: number): readonly LogEntry[] => {
    let start = 0
    const entries: LogEntry[] = []
    for (const { sessionId, count } of header.prefix) {
      const from = Math.max(after - start, 0)
      const { own, shared: skipped } = must(sessionId)
      const take = Math.min(count - from, limit - entries.length)
      if (take > 0) entries.push(...own.slice(start + from - skipped, start + from + take - skipped))
      start += count
    }
    return entries
  }

  const share = ({ prefix }: SessionHeader, by: 1 | -1): void => {
    for (const { sessionId } of prefix) sharers.set(sessionId, (sharers.get(sessionId) ?? 0) + by)
  }

  const isHeld = (id: SessionId): boolean =>
    listeners.has(id) || (sharers.get(id) ?? 0) > 0 || sessions.get(id)?.registers.openRun !== undefined

  const drop = (id: SessionId): void => {
    share(must(id).header, -1)
    retention.take(id)
    sessions.delete(id)
    sharers.delete(id)
  }

  return {
    publish: (header, entries, registers) => {
      const kept: Kept = {
        header,
        registers,
        shared: prefixLength(header.prefix),
        own: [...entries],
      }
      sessions.set(header.id, kept)
      share(header, 1)
      committed(header.id, kept)
    },
    append: (id, entry, registers) => {
      const kept = must(id)
      if (entry.event.type === 'run/started') retention.take(id)
      kept.own.push(entry)
      kept.registers = registers
      committed(id, kept)
    },
    get: (id): StoredSession | undefined => {
      const kept = sessions.get(id)
      return (
        kept && { header: kept.header, registers: kept.registers, lastSeq: kept.shared + kept.own.length }
      )
    },
    read: (id, after, limit) => {
      const kept = sessions.get(id)
      if (kept === undefined) return []
      const { header, own, shared: before } = kept
      if (after >= before) return own.slice(after - before, after - before + limit)
      const inherited = shared(header, after, limit)
      return [...inherited, ...own.slice(0, limit - inherited.length)]
    },
    release: (id) => {
      const kept = sessions.get(id)
      if (kept === undefined) return
      retention.release(id, weigh(kept.own))
      for (const surplus of retention.surplus(isHeld)) drop(surplus)
    },
    onCommit: (id, listener) => {
      const own = listeners.get(id) ?? new Set()
      listeners.set(id, own.add(listener))
      return {
        [Symbol.dispose]: () => {
          own.delete(listener)
          if (own.size === 0) listeners.delete(id)
        },
      }
    },
  }
}
