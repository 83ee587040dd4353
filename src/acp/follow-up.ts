/** A later prompt of a session: its controls hold again, but its composition was settled at the first. Pure. */
import type { SessionId } from '../contract/ids.ts'
import type { SubagentStartRequest } from '../contract/request.ts'

export const followUp = (
  request: Omit<SubagentStartRequest, 'prompt' | 'session'>,
  root: SessionId | undefined,
): Omit<SubagentStartRequest, 'prompt'> => {
  if (root === undefined) return request
  const { preset: _, ...again } = request
  return { ...again, session: { from: 'resume', sessionId: root } }
}
