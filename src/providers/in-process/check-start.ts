/** What is refused of a start on the built-in agent, beside what its rows refuse. Pure. */
import { SubagentError } from '../../contract/errors.ts'
import type { ResolvedStartRequest } from '../../contract/request.ts'
import type { InProcessName } from './provider.ts'

/** Approvals of a delegated one are pinned, so only `deny` can hold; for follow-ups too (B4.4, B4.5). */
const checkPermission = ({
  parentSessionId,
  requested,
}: Pick<ResolvedStartRequest, 'parentSessionId' | 'requested'>): void => {
  if (
    parentSessionId !== undefined &&
    requested.permission !== undefined &&
    requested.permission !== 'deny'
  ) {
    throw new SubagentError(
      'INVALID_REQUEST',
      'resolve',
      `A delegated built-in agent asks nobody, so permission "${requested.permission}" can't hold. Leave it out, or ask for "deny".`,
      { field: 'permission' },
    )
  }
}

/** A fork is one of a parent's conversation. */
const checkParent = (name: InProcessName, { parentSessionId, origin }: ResolvedStartRequest): void => {
  if (name !== 'fork' || parentSessionId !== undefined || origin.from !== 'new') return
  throw new SubagentError(
    'INVALID_REQUEST',
    'resolve',
    'A fork was asked for without a parent whose conversation it could share. Use spawn for a root session.',
    { field: 'parent' },
  )
}

export const checkStart = (name: InProcessName, request: ResolvedStartRequest): void => {
  checkParent(name, request)
  checkPermission(request)
}
