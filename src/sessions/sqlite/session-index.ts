/** Finding and listing sessions and runs, by the indexes of their tables. */
import type { SQLInputValue } from 'node:sqlite'
import type { SessionId } from '../../contract/ids.ts'
import { present } from '../../contract/present.ts'
import type { SessionFilter, SessionIndex } from '../store.ts'
import type { Core } from './core.ts'
import { judge } from './owners.ts'
import { newestRuns, runById, runsOf } from './run-rows.ts'
import { storedOf } from './session-rows.ts'
import type { SessionRow } from './session-rows.ts'

/** Greater than all texts that begin alike. */
const LAST = '\u{10ffff}'

/** The query of a list, and its values. */
export const listQuery = (
  filter: SessionFilter,
): { readonly sql: string; readonly values: SQLInputValue[] } => {
  const { cwd, provider, name, parentId, rootId, chat, after } = filter
  const wanted = Object.entries({ parent_id: parentId, chat, name, root_id: rootId, cwd, provider })
  const equal = wanted.flatMap(([column, value]) => (value === undefined ? [] : [[column, value] as const]))
  const conditions = [
    ...equal.map(([column]) => `${column} = ?`),
    // The plus keeps an index off: most sessions are roots.
    ...(filter.rootsOnly === true ? [equal.length === 0 ? 'parent_id is null' : '+parent_id is null'] : []),
    ...(filter.openOnly === true ? ['open_run is not null'] : []),
    ...(after === undefined ? [] : ['(updated_at, id) < (?, ?)']),
  ]
  // Open runs are few, whatever else is asked for.
  const index = filter.openOnly === true ? 'indexed by sessions_open ' : ''
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')} `
  return {
    sql: `select * from sessions ${index}${where}order by updated_at desc, id desc limit ?`,
    values: [
      ...equal.map(([, value]) => value),
      ...(after === undefined ? [] : [after.at, after.id]),
      Math.min(filter.limit, Number.MAX_SAFE_INTEGER),
    ],
  }
}

const FIND = `
  select id, updated_at from sessions where id >= ?1 and id < ?2
  union
  select sessions.id, updated_at from runs join sessions on sessions.key = runs.log
  where runs.id >= ?1 and runs.id < ?2
  order by updated_at desc, id limit ?3`

export const sessionIndex = (core: Core): SessionIndex => {
  const { connection } = core
  return {
    list: (filter) =>
      connection.read(() => {
        const living = judge(core)
        const { sql, values } = listQuery(filter)
        const rows = connection.all<SessionRow>(sql, ...values)
        const runs = newestRuns(
          connection,
          rows.map(({ key }) => key),
        )
        return rows.map((row) => ({
          ...storedOf(row),
          at: row.updated_at,
          ...present({ run: runs.get(row.key), owner: living(row.owner) }),
        }))
      }),
    run: (id) => connection.read(() => runById(connection, id)),
    runs: (id) => connection.read(() => runsOf(connection, id)),
    find: (text, limit) =>
      connection.read(() =>
        connection
          .all<{ id: SessionId }>(FIND, text, text + LAST, Math.min(limit, Number.MAX_SAFE_INTEGER))
          .map(({ id }) => id),
      ),
    onChange: (listener) => core.feed.onChange(listener),
  }
}
