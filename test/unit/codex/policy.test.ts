/** Sandbox and permission together: neither loosens the other. */
import { expect, test } from 'vitest'
import type { PermissionPolicy, SandboxMode } from '../../../src/contract/request.ts'
import { approvalPolicy, refuseConflict } from '../../../src/providers/codex/policy.ts'

const CONFINED = {
  granular: {
    sandbox_approval: false,
    rules: false,
    skill_approval: false,
    request_permissions: false,
    mcp_elicitations: true,
  },
}

const controls = (permission: PermissionPolicy, explicit: boolean, sandbox: SandboxMode | undefined) => ({
  permission,
  requested: explicit ? { permission } : {},
  ...(sandbox !== undefined && { sandbox }),
})

test.each<[PermissionPolicy, SandboxMode | undefined, unknown]>([
  ['deny', undefined, 'untrusted'],
  ['ask', undefined, 'untrusted'],
  ['allow-reads', undefined, 'untrusted'],
  ['allow', undefined, 'on-request'],
  ['deny', 'read-only', 'untrusted'],
  ['allow', 'read-only', CONFINED],
  ['deny', 'workspace-write', 'untrusted'],
  ['allow', 'workspace-write', CONFINED],
  ['ask', 'danger-full-access', 'untrusted'],
  ['allow', 'danger-full-access', 'on-request'],
])('permission %s under sandbox %s', (permission, sandbox, policy) => {
  expect(approvalPolicy(controls(permission, true, sandbox), undefined)).toEqual(policy)
})

test.each<[SandboxMode | undefined, unknown]>([
  [undefined, undefined],
  ['danger-full-access', undefined],
  ['read-only', CONFINED],
  ['workspace-write', CONFINED],
])(
  "a default permission under sandbox %s leaves the user's own setting, or lets nothing out",
  (sandbox, policy) => {
    expect(approvalPolicy(controls('ask', false, sandbox), undefined)).toEqual(policy)
  },
)

test('what configuration says of the agent is as binding as what a caller asks', () => {
  expect(approvalPolicy(controls('deny', false, undefined), 'deny')).toBe('untrusted')
  expect(() => refuseConflict(controls('ask', false, 'read-only'), 'ask')).toThrow(
    '--permission allow or deny',
  )
})

test.each<[PermissionPolicy, SandboxMode | undefined, boolean]>([
  ['ask', 'read-only', true],
  ['ask', 'workspace-write', true],
  ['allow-reads', 'workspace-write', true],
  ['ask', 'danger-full-access', false],
  ['ask', undefined, false],
  ['allow', 'read-only', false],
  ['deny', 'read-only', false],
])('an explicit %s with the sandbox %s is refused: %s', (permission, sandbox, refused) => {
  const check = (): void => refuseConflict(controls(permission, true, sandbox), undefined)
  if (refused) expect(check).toThrow(`The permission "${permission}" was asked for together with the sandbox`)
  else expect(check).not.toThrow()
})
