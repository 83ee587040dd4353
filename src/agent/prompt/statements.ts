/** The policy statements of runtime context (B4.3). Pure; the system prompt knows nothing of them. */
import type { ApprovalPolicy } from '../../contract/events.ts'
import type { SandboxMode } from '../../contract/request.ts'
import type { Contribution } from './runtime-context.ts'

type Place = Pick<Contribution, 'name' | 'order'>

export const SANDBOX_STATEMENT: Place = { name: 'sandbox:policy', order: 110 }
export const APPROVAL_STATEMENT: Place = { name: 'approval:policy', order: 115 }
export const DELEGATION_STATEMENT: Place = { name: 'subagent:delegation', order: 120 }

export const sandboxStatement = (mode: SandboxMode, roots: readonly string[]): string => {
  const where = roots.join(', ')
  switch (mode) {
    case 'read-only':
      return `Sandbox: read-only. Files can be read (workspace: ${where}), and nothing can be written.`
    case 'workspace-write':
      return `Sandbox: workspace-write. Files can be written inside of ${where}, and nowhere else.`
    case 'danger-full-access':
      return `Sandbox: danger-full-access. Nothing confines your tools. The workspace is ${where}.`
  }
}

export interface ApprovalState {
  readonly policy: ApprovalPolicy
  /** Absent: the deployment's default. */
  readonly source?: 'delegation' | 'request'
}

export const approvalStatement = ({ policy, source }: ApprovalState): string => {
  const origin = {
    delegation: ' This policy came with the delegation.',
    request: ' This policy was switched later.',
    default: '',
  }[source ?? 'default']
  return policy === 'never'
    ? `Approvals: never. What needs an approval is rejected automatically; nobody is asked.${origin}`
    : `Approvals: ask. What needs an approval is asked for while you wait, and may be rejected.${origin}`
}

export const delegationStatement = (): string =>
  'You work for another agent, and your scope was fixed when it started you. What needs an approval is rejected ' +
  'automatically, and no question reaches a person. When a limit stops you, report it in your answer instead of ' +
  'trying again.'
