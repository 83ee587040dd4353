/** How the descendants of a chat's agent are shown to the editor: here by nothing but their permission requests. */
import type * as acp from '@agentclientprotocol/sdk/unstable'
import type { LogEntry } from '../contract/events.ts'
import type { JsonObject } from '../contract/json.ts'
import type { Logger } from '../contract/logger.ts'
import type { SubagentRun } from '../contract/run.ts'
import type { Questions } from './questions.ts'

export interface ChildViewOptions {
  /** The chat, as the editor knows it. */
  readonly sessionId: string
  readonly client: acp.AgentContext
  /** As the editor sent them, untouched. */
  readonly clientCapabilities: JsonObject
  readonly questions: Questions
  readonly log: Logger
}

export interface ChildView {
  /**
   * Every event of a descendant, in the order of its log, each taken before the next; and of the chat's own agent
   * what its descendants hang on: `run/started`, `run/settled`, `letter/received` (`run.parentSessionId` is undefined).
   */
  take(run: SubagentRun, entry: LogEntry): Promise<void>
  close(): void
}

export const childViewOf = ({ questions }: ChildViewOptions): ChildView => ({
  take: async (run, { event }) => {
    if (event.type === 'permission/requested') questions.ask(run, event)
    if (event.type === 'permission/resolved') questions.withdraw(event.id)
  },
  close: () => {},
})
