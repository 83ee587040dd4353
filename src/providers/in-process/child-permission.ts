/** What a delegated built-in agent may be asked for: its approvals are pinned, so only `deny` can hold (B4.4). */
import { SubagentError } from '../../contract/errors.ts'
import type { ResolvedStartRequest } from '../../contract/request.ts'

/** Holds for follow-ups too (B4.4, B4.5). */
export const checkPermission = ({
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
