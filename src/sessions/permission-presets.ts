/** Named permission presets: what sandbox and approval policy each stands for (B3.9). */
import type { ApprovalPolicy } from '../contract/events.ts'
import type { SandboxMode } from '../contract/request.ts'

export interface PermissionPreset {
  readonly sandbox: SandboxMode
  readonly approvals: ApprovalPolicy
}

/** `auto` and `danger-full-access` stand for the same values: which one holds is an identity, never inferred. */
export const PERMISSION_PRESETS: Readonly<Record<string, PermissionPreset>> = {
  'read-only': { sandbox: 'read-only', approvals: 'ask' },
  'workspace-write': { sandbox: 'workspace-write', approvals: 'ask' },
  'danger-full-access': { sandbox: 'danger-full-access', approvals: 'never' },
  auto: { sandbox: 'danger-full-access', approvals: 'never' },
}

/** Whether a later switch by the user still fits what the preset stands for; an unknown preset fits nothing. */
export const stillHolds = (preset: string | undefined, change: Partial<PermissionPreset>): boolean => {
  const known = preset === undefined ? undefined : PERMISSION_PRESETS[preset]
  if (known === undefined) return false
  const { sandbox = known.sandbox, approvals = known.approvals } = change
  return sandbox === known.sandbox && approvals === known.approvals
}
