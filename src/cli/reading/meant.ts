/** Finds the session and the runs that a person means. */
import { SubagentError } from '../../contract/errors.ts'
import { lookUp } from '../../gateway-store.ts'
import type { ListedSession, Store, StoredRun } from '../../gateway-store.ts'
import { listedSession, runMeant } from './pages.ts'

export interface Meant {
  readonly store: Store
  readonly session: ListedSession
  /** The run that was named, else all of them, oldest first. */
  readonly runs: readonly StoredRun[]
  readonly run?: StoredRun
}

/** Throws `SESSION_NOT_FOUND`, also where nothing was stored yet, or `INVALID_REQUEST` for several. */
export const meant = (store: Store | undefined, text: string, cwd: string): Meant => {
  if (store === undefined) throw missing(text, 'No session was started here yet')
  const id = lookUp(store, text, cwd)
  const session = listedSession(store, id)
  if (session === undefined) throw missing(text, `The session ${id} was removed just now`)
  const runs = store.runs(id)
  const run = runMeant(runs, text)
  return { store, session, runs: run === undefined ? runs : [run], ...(run !== undefined && { run }) }
}

const missing = (sessionId: string, what: string): SubagentError =>
  new SubagentError('SESSION_NOT_FOUND', 'resolve', `${what}. Start one: subgate run <provider> "…"`, {
    sessionId,
  })
