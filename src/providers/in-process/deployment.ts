/** What a deployment decides for all of its built-in agents. */
import type { DelegationBinding } from '../../agent/delegation-tool.ts'
import type { PreToolHook } from '../../agent/hooks.ts'
import type { AgentModel } from '../../agent/models/model.ts'
import type { ApprovalPolicy } from '../../contract/events.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { PermissionPolicy, SandboxMode } from '../../contract/request.ts'
import type { SessionStore } from '../../sessions/store.ts'
import type { Shared } from './shared.ts'

export interface Deployment {
  readonly store: SessionStore
  /** Absolute; each session's large outputs get a folder of their own below it. */
  readonly outputsDir: string
  /** Sessions outlive the process, and their outputs with them; whoever removes a session removes those. */
  readonly outputsLast?: boolean
  /** `provider/model`, for sessions that name none. */
  readonly model?: string
  /** The models of the sessions that are open: a child runs on its parent's unless it names another. */
  readonly models: Map<SessionId, string>
  /** Where no session of the tree says otherwise. */
  readonly sandbox: SandboxMode
  readonly approvals: ApprovalPolicy
  /** The operator's explicit policy: under anything but `allow`, writes inside the workspace ask too (B4.4). */
  readonly permission?: PermissionPolicy
  readonly delegationTools: readonly DelegationBinding[]
  readonly hooks?: readonly PreToolHook[]
  /** Registries that the sessions of all its providers stand on; each provider makes its own when absent. */
  readonly shared?: Shared
  loadModel(ref: string): Promise<AgentModel>
  /** What to type when no model is configured. */
  modelHint(): string
  newId(): string
}
