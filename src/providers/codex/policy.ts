/** Codex's approval policy from sandbox and permission, so that neither loosens the other (law 11). Pure. */
import { SubagentError } from '../../contract/errors.ts'
import type { JsonValue } from '../../contract/json.ts'
import type { PermissionPolicy, ResolvedStartRequest, SandboxMode } from '../../contract/request.ts'

/**
 * Codex runs what somebody has approved outside of its sandbox when the sandbox stops it. So nothing that leaves the
 * sandbox may be put to anybody; calls of MCP servers, which stand outside of it in any case, still are.
 */
const CONFINED: JsonValue = {
  granular: {
    sandbox_approval: false,
    rules: false,
    skill_approval: false,
    request_permissions: false,
    mcp_elicitations: true,
  },
}

type Controls = Pick<ResolvedStartRequest, 'permission' | 'requested' | 'sandbox'>

const isNarrow = (sandbox: SandboxMode | undefined): boolean =>
  sandbox === 'read-only' || sandbox === 'workspace-write'

/** What is asked for and not only a default: by the caller, or for this agent by configuration. */
const explicit = (
  { requested }: Controls,
  configured: PermissionPolicy | undefined,
): PermissionPolicy | undefined => requested.permission ?? configured

/**
 * Undefined: the user's own setting stands. `untrusted`: everything but plain reading is asked for first.
 * `on-request`: what its sandbox stops is asked for.
 */
export const approvalPolicy = (
  controls: Controls,
  configured: PermissionPolicy | undefined,
): JsonValue | undefined => {
  const { permission, sandbox } = controls
  if (explicit(controls, configured) === undefined) return isNarrow(sandbox) ? CONFINED : undefined
  // Each question is answered with a no: nothing gets out.
  if (permission === 'deny') return 'untrusted'
  if (isNarrow(sandbox)) return CONFINED
  return permission === 'allow' ? 'on-request' : 'untrusted'
}

/** Of a start, a resume, a copy and a follow-up alike, before anything of it happens. */
export const refuseConflict = (controls: Controls, configured: PermissionPolicy | undefined): void => {
  const asked = explicit(controls, configured)
  const { permission, sandbox } = controls
  if (asked === undefined || !isNarrow(sandbox) || permission === 'deny' || permission === 'allow') return
  throw new SubagentError(
    'UNSUPPORTED_CAPABILITY',
    'resolve',
    `The permission "${permission}" was asked for together with the sandbox "${sandbox}", but Codex runs what was ` +
      'allowed outside of its sandbox. Give --permission allow or deny with the sandbox, or leave one of the two out.',
    { provider: 'codex', missing: ['permissions'], fields: ['permission'], alternatives: [] },
  )
}
