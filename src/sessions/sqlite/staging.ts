/**
 * Logs from elsewhere, written in parts: until a transaction gives such a log its place nobody can see it, and it goes
 * with the process that writes it.
 */
import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { LogEntry } from '../../contract/events.ts'
import { answer, soon } from './core.ts'
import type { Core } from './core.ts'
import { insertEvents, textOf } from './event-rows.ts'
import { enter } from './owners.ts'

/** Events that are written in one transaction. */
const PART = 1000

const begin = ({ connection, self }: Core): number =>
  connection.run('insert into logs (id, arriving) values (?, ?)', `arriving_${randomUUID()}`, self.id).id

/** A process that is taken for dead must not write on into nothing. */
const checkArriving = ({ connection }: Core, key: number): void => {
  const row = connection.one('select 1 from logs where key = ? and arriving is not null', key)
  if (row === undefined) throw new Error('What was written so far was cleared away by another process.')
}

/** Writes a log; returns its key. Between its parts the event loop and the database are free. */
export const stage = async (core: Core, entries: readonly LogEntry[]): Promise<number> => {
  let key: number | undefined
  let from = 0
  do {
    const part = entries.slice(from, from + PART)
    key = await answer(core, () => {
      enter(core)
      const log = key ?? begin(core)
      checkArriving(core, log)
      insertEvents(core.connection, log, part, part.map(textOf))
      return log
    })
    from += PART
    await setImmediate()
  } while (from < entries.length)
  return key
}

/** In the transaction that is open. A log without a session of its own lasts as long as somebody shares it. */
export const place = (core: Core, key: number, id: string, hasSession: boolean): void => {
  checkArriving(core, key)
  const removed = hasSession ? 0 : 1
  core.connection.run('update logs set id = ?, arriving = null, removed = ? where key = ?', id, removed, key)
}

/** The logs will have no place; a sweep takes them away. */
export const discard = (core: Core, keys: readonly number[]): void => {
  soon(core, () => {
    for (const key of keys)
      core.connection.run(
        'update logs set removed = 1, arriving = null where key = ? and arriving is not null',
        key,
      )
  })
}
