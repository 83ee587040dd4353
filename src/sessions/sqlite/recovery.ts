/** Finding and taking over what dead processes left open. */
import type { SessionId } from '../../contract/ids.ts'
import type { Recovery } from '../store.ts'
import { answer } from './core.ts'
import type { Core } from './core.ts'
import { enter, judge, leave, leaveSightings, livingOwner, watchedOwners } from './owners.ts'
import { sweep } from './removal.ts'
import { heldFrom, hold } from './sessions.ts'
import { sessionRow } from './session-rows.ts'

interface OpenRow {
  readonly id: SessionId
  readonly owner: string | null
}

export const recovery = (core: Core): Recovery => {
  const { connection } = core
  return {
    lost: () =>
      connection.read(() => {
        const living = judge(core)
        const query = 'select id, owner from sessions where open_run is not null order by depth desc, id'
        return connection
          .all<OpenRow>(query)
          .filter(({ owner }) => living(owner) === undefined)
          .map(({ id }) => id)
      }),
    takeOver: async (id) => {
      const taken = await answer(core, () => {
        const row = sessionRow(connection, id)
        if (row === undefined || row.open_run === null || livingOwner(core, row.owner) !== undefined)
          return undefined
        enter(core)
        hold(core, row)
        return row
      })
      if (taken !== undefined) core.held.set(id, heldFrom(taken))
      return taken !== undefined
    },
    forgetDead: async () => {
      const living = judge(core)
      const dead = (): readonly string[] =>
        connection
          .all<{ id: string }>('select id from owners')
          .map(({ id }) => id)
          .filter((id) => living(id) === undefined)
      const watched = connection.read(() => watchedOwners(core))
      const news = watched.filter((owner) => core.watch.news(owner) !== undefined)
      if (news.length === 0 && connection.read(dead).length === 0) return
      await answer(core, () => {
        leaveSightings(core, news)
        const holds = 'select 1 from sessions where owner = ? and open_run is not null'
        for (const id of dead()) if (connection.one(holds, id) === undefined) leave(core, id)
      })
      sweep(core)
    },
    suspects: () => connection.read(() => watchedOwners(core).length),
  }
}
