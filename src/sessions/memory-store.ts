/** The store that lives and dies with the process. Every append is committed at once. */
import type { LogEntry } from '../contract/events.ts'
import type { SessionId } from '../contract/ids.ts'
import { prefixLength } from './prefix.ts'
import type { Registers } from './registers.ts'
import type { SessionHeader, SessionStore, StoredSession } from './store.ts'

interface Kept {
  readonly header: SessionHeader
  registers: Registers
  /** How many events lie in the shared prefix. */
  readonly shared: number
  readonly own: LogEntry[]
}

export const memoryStore = (): SessionStore => {
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

  return {
    publish: (header, entries, registers) => {
      const kept: Kept = {
        header,
        registers,
        shared: prefixLength(header.prefix),
        own: [...entries],
      }
      sessions.set(header.id, kept)
      committed(header.id, kept)
    },
    append: (id, entry, registers) => {
      const kept = must(id)
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
      const { header, own, shared: before } = must(id)
      if (after >= before) return own.slice(after - before, after - before + limit)
      const inherited = shared(header, after, limit)
      return [...inherited, ...own.slice(0, limit - inherited.length)]
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
