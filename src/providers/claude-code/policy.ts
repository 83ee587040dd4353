/** What of a request can't be held together, and what goes before the user's own rules (laws 1, 11). Pure. */
import { SubagentError } from '../../contract/errors.ts'
import type { PermissionPolicy, ResolvedStartRequest } from '../../contract/request.ts'
import { EFFORTS } from './capabilities.ts'

/** Asked for and not only a default: by the caller, or for this agent by configuration. */
export const explicitPermission = (
  { requested }: Pick<ResolvedStartRequest, 'requested'>,
  configured: PermissionPolicy | undefined,
): PermissionPolicy | undefined => requested.permission ?? configured

/** Thrown before anything is started. */
export const refuseConflict = ({
  sandbox,
  mcpServers,
  effort,
}: Pick<ResolvedStartRequest, 'sandbox' | 'mcpServers' | 'effort'>): void => {
  if (sandbox === 'read-only' && mcpServers.length > 0)
    throw new SubagentError(
      'UNSUPPORTED_CAPABILITY',
      'gate',
      'MCP servers were asked for together with the sandbox "read-only", but Claude Code runs them outside of any ' +
        'sandbox. Leave one of the two out.',
      { provider: 'claude-code', missing: ['mcpServers'], fields: ['mcpServers'], alternatives: [] },
    )
  if (effort === undefined || EFFORTS.includes(effort)) return
  throw new SubagentError(
    'INVALID_REQUEST',
    'session',
    `The effort "${effort}" was asked for, but Claude Code knows ${EFFORTS.join(', ')}. Name one of them.`,
    { field: 'effort' },
  )
}
