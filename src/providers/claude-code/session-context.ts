/** What a conversation with Claude Code needs of its provider. */
import type { AgentOffer } from '../../contract/offer.ts'
import type { SetupScope } from '../../contract/provider.ts'
import type { PermissionPolicy, ResolvedStartRequest } from '../../contract/request.ts'
import type { Conversation } from './arguments.ts'
import type { Launched } from './launch.ts'

export interface SessionContext {
  readonly name: string
  readonly setup: SetupScope
  /** What the session stands for: its tools, folders, servers. */
  readonly opened: ResolvedStartRequest
  readonly configured: PermissionPolicy | undefined
  launch(conversation: Conversation, request: ResolvedStartRequest): Promise<Launched>
  noise(text: string): void
  /** What it lets a person choose, as each of its processes says; with what was known before. */
  offers(offer: AgentOffer): AgentOffer
  /** Between two turns its process waits for the next one, which others can see. */
  readonly host: (pid: number, working: boolean) => void
  /** False: each turn has a process of its own. */
  readonly warm: boolean
  readonly idleMs: number
}
