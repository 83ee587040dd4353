/** Who may go on with a stored session: its exact parent, an ancestor, or the user (B11.1). Pure but for reads. */
import { SubagentError } from '../contract/errors.ts'
import type { SessionId } from '../contract/ids.ts'
import type { SessionHeader } from '../sessions/store.ts'

type Place = Pick<SessionHeader, 'id' | 'parentId'>

/** Nobody is above itself. A lineage whose middle is gone ends there. */
export const isAbove = (
  caller: SessionId,
  session: Place,
  find: (id: SessionId) => Place | undefined,
): boolean => {
  const seen = new Set<SessionId>([session.id])
  for (let up = session.parentId; up !== undefined && !seen.has(up); up = find(up)?.parentId) {
    if (up === caller) return true
    seen.add(up)
  }
  return false
}

/** `caller` undefined: the user. */
export const authorize = (
  caller: SessionId | undefined,
  session: Place,
  find: (id: SessionId) => Place | undefined,
): void => {
  if (caller === undefined || isAbove(caller, session, find)) return
  throw new SubagentError(
    'UNAUTHORIZED',
    'resolve',
    `The session ${session.id} belongs to another parent; only its parent, an ancestor or the user may go on with it.`,
    { sessionId: session.id },
  )
}
