/** Names of kept sessions: one session has one, in whatever process it is started. */
import { SubagentError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { NameClaim, NameLedger } from '../ledgers.ts'
import type { Connection } from './connection.ts'
import { answer, soon } from './core.ts'
import type { Core } from './core.ts'
import { enter, livingOwner } from './owners.ts'

const taken = ({ name, provider, cwd }: NameClaim, sessionId: SessionId, what: string): SubagentError =>
  new SubagentError(
    'SESSION_BUSY',
    'session',
    `A session of ${provider} named "${name}" was asked for in ${cwd}, but ${what}. Go on with that session once its run has settled, or choose another name.`,
    { sessionId },
  )

const checkFree = (connection: Connection, claim: NameClaim): void => {
  const { name, provider, cwd } = claim
  const query = 'select id from sessions where name = ? and provider = ? and cwd = ?'
  const row = connection.one<{ id: SessionId }>(query, name, provider, cwd)
  if (row !== undefined) throw taken(claim, row.id, `${row.id} has that name`)
}

/** In the transaction that publishes the session. */
export const takeName = (connection: Connection, claim: NameClaim): void => {
  checkFree(connection, claim)
  connection.run('delete from names where session_id = ?', claim.sessionId)
}

interface NameRow {
  readonly session_id: SessionId
  readonly owner: string
}

export const nameLedger = (core: Core): NameLedger => {
  const { connection, self } = core
  return {
    claimName: (claim) =>
      answer(core, () => {
        const { name, provider, cwd, sessionId } = claim
        checkFree(connection, claim)
        const query = 'select session_id, owner from names where name = ? and provider = ? and cwd = ?'
        const row = connection.one<NameRow>(query, name, provider, cwd)
        const owner = row && livingOwner(core, row.owner)
        if (row !== undefined && owner !== undefined)
          throw taken(claim, row.session_id, `process ${owner.pid} is starting it just now`)
        enter(core)
        connection.run(
          'insert or replace into names (name, provider, cwd, session_id, owner) values (?, ?, ?, ?, ?)',
          name,
          provider,
          cwd,
          sessionId,
          self.id,
        )
      }),
    freeName: (id) => {
      soon(core, () => {
        connection.run('delete from names where session_id = ?', id)
      })
    },
  }
}
