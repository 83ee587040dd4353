/** Taking sessions away. The rows of a log go in parts, so that a long one holds nobody. */
import type { SessionId } from '../../contract/ids.ts'
import type { Removal } from '../store.ts'
import { answer, soon } from './core.ts'
import type { Core } from './core.ts'
import { livingOwner } from './owners.ts'
import { sessionRow } from './session-rows.ts'

/** Events that go in one transaction. */
const PART = 2000
const NEXT_MS = 5

/** Of a log without a session what no fork shares, at most so many events; a log that is empty goes too. */
const sweepPart = ({ connection }: Core): void => {
  const query = `select logs.key, (select max(through) from shares where log = logs.key) as through from logs
    where removed = 1`
  let left = PART
  for (const { key, through } of connection.all<{ key: number; through: number | null }>(query)) {
    if (left <= 0) return
    const { changes } = connection.run(
      `delete from events where log = ?1 and seq in
        (select seq from events where log = ?1 and seq > ?2 order by seq limit ?3)`,
      key,
      through ?? 0,
      left,
    )
    if (changes < left && through === null) connection.run('delete from logs where key = ?', key)
    left -= changes
  }
}

/** Goes on until a part has found nothing more. */
export const sweep = (core: Core): void => {
  const { connection } = core
  const part = (): void => {
    let changed = false
    const write = (): void => {
      const before = connection.totalChanges
      sweepPart(core)
      changed = connection.totalChanges !== before
    }
    const next = (fault?: Error): void => {
      if (!changed || fault !== undefined) return
      if (core.inMemory) part()
      else setTimeout(part, NEXT_MS).unref()
    }
    soon(core, write, next)
  }
  part()
}

const removeOne = (core: Core, id: SessionId): boolean => {
  const { connection } = core
  const row = sessionRow(connection, id)
  if (row === undefined || livingOwner(core, row.owner) !== undefined) return false
  connection.run('delete from sessions where key = ?', row.key)
  connection.run('update logs set removed = 1 where key = ?', row.key)
  connection.run('delete from runs where log = ?', row.key)
  connection.run('delete from letters where recipient = ?', id)
  connection.run('delete from shares where fork = ?', row.key)
  return true
}

export const removal = (core: Core): Removal => ({
  remove: async (ids) => {
    const removed = await answer(core, () => ids.filter((id) => removeOne(core, id)))
    for (const id of removed) core.feed.tellOf(id, 0)
    if (removed.length > 0) sweep(core)
    return removed
  },
})
