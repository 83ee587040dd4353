/** What a built-in agent can't take although its rows say yes; said before anything of a start happens. */
import { SubagentError } from '../../contract/errors.ts'
import type { ResolvedStartRequest } from '../../contract/request.ts'
import type { Deployment } from './deployment.ts'
import { modelOf } from './model-of.ts'
import type { InProcessName } from './provider.ts'

export const checkStart = (
  name: InProcessName,
  request: ResolvedStartRequest,
  deployment: Deployment,
): void => {
  checkParent(name, request)
  checkPermission(request)
  modelOf(request, deployment)
}

const checkParent = (
  name: InProcessName,
  { parentSessionId, origin }: Pick<ResolvedStartRequest, 'parentSessionId' | 'origin'>,
): void => {
  if (name !== 'fork' || parentSessionId !== undefined || origin.from !== 'new') return
  throw new SubagentError(
    'INVALID_REQUEST',
    'resolve',
    'A fork was asked for without a parent whose conversation it could share. Use spawn for a root session.',
    { field: 'parent' },
  )
}

/** A delegated agent's approvals are pinned, so only `deny` can hold; for follow-ups too (B4.4, B4.5). */
const checkPermission = ({
  parentSessionId,
  requested: { permission },
}: Pick<ResolvedStartRequest, 'parentSessionId' | 'requested'>): void => {
  if (parentSessionId === undefined || permission === undefined || permission === 'deny') return
  throw new SubagentError(
    'INVALID_REQUEST',
    'resolve',
    `A delegated built-in agent asks nobody, so permission "${permission}" can't hold. Leave it out, or ask for "deny".`,
    { field: 'permission' },
  )
}
