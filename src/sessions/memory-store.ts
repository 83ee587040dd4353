/**
 * The store that lives and dies with the process. Every append is committed at once. Of the sessions of which
 * nothing goes on it keeps the newest (`RETENTION`), and those that a fork shares or somebody reads.
 */
import type { SessionId } from '../contract/ids.ts'
import { Retention, RETENTION } from './retention.ts'
import type { RetentionLimits } from './retention.ts'
import { assemble, coreOf } from './sqlite/assemble.ts'
import { openMemory } from './sqlite/database.ts'
import type { Store } from './store.ts'

/** There is one process, and it lives. */
const SELF = { id: 'self', pid: process.pid, startTime: 0, bootId: '' }

export const memoryStore = (limits: RetentionLimits = RETENTION): Store => {
  const retention = new Retention(limits)
  const connection = openMemory()
  const core = coreOf(connection, {
    owner: SELF,
    isAlive: () => true,
    now: () => Date.now(),
    inMemory: true,
    warn: (message) => process.emitWarning(message),
  })
  const store = assemble(core)

  /** About so much does a log weigh. */
  const weigh = (id: SessionId): number => {
    const query =
      'select sum(length(event)) as bytes from events where log = (select key from logs where id = ?)'
    return connection.one<{ bytes: number | null }>(query, id)?.bytes ?? 0
  }

  const isShared = (id: SessionId): boolean =>
    connection.one('select 1 from shares where log = (select key from logs where id = ?)', id) !== undefined

  const isHeld = (id: SessionId): boolean => core.feed.listensTo(id) || isShared(id) || core.held.has(id)

  return {
    ...store,
    append: (id, given, registers, urgent, together) => {
      const last = 'seq' in given ? given : given.at(-1)
      if (last?.event.type === 'run/started') retention.take(id)
      store.append(id, given, registers, urgent, together)
    },
    remove: async (ids) => {
      const removed = await store.remove(ids)
      for (const id of removed) retention.take(id)
      return removed
    },
    release: (id) => {
      if (!connection.isOpen || store.get(id) === undefined) return
      store.release(id)
      retention.release(id, weigh(id))
      const surplus = retention.surplus(isHeld)
      void store.remove(surplus)
      for (const gone of surplus) retention.take(gone)
    },
  }
}
