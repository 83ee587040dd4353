/** How the descendants of a chat's agent are shown to the editor: as sessions where it takes them, else in the chat. */
import type * as acp from '@agentclientprotocol/sdk/unstable'
import type { LogEntry } from '../contract/events.ts'
import type { SessionId } from '../contract/ids.ts'
import type { JsonObject } from '../contract/json.ts'
import type { Logger } from '../contract/logger.ts'
import type { SessionUpdate } from '../contract/content.ts'
import type { SubagentRun } from '../contract/run.ts'
import type { Takes } from './params.ts'
import type { Questions } from './questions.ts'
import type { Start } from './subagents/child-of.ts'
import { FlatChildren } from './subagents/flat.ts'
import { ChildSessions } from './subagents/sessions.ts'
import { ChildTree } from './subagents/tree.ts'
import type { TreeSource } from './subagents/tree.ts'
import type { Asker } from './subagents/show.ts'
import { takesSubagents } from './subagents/wire.ts'

export interface ChildViewOptions {
  /** The chat, as the editor knows it. */
  readonly sessionId: string
  readonly client: acp.AgentContext
  /** As the editor sent them, untouched. */
  readonly clientCapabilities: JsonObject
  readonly takes: Takes
  readonly source: TreeSource
  readonly questions: Questions
  /** Those of the editor that an agent of this chat has made. */
  readonly terminals: ReadonlySet<string>
  readonly log: Logger
}

export interface ChildView {
  /** The session is one of the chat's own: what hangs on it can be shown from now on. */
  adopt(session: SessionId): Promise<void>
  /** Every event of a descendant, in the order of its log, each taken before the next. */
  take(run: SubagentRun, entry: LogEntry, live?: boolean): Promise<void>
  /** A child of an earlier time, by its newest run. */
  name(start: Start): Promise<void>
  /** What agents ran themselves, and never said the end of, is out of sight: those agents are gone. */
  lose(): Promise<void>
  /** The editor begins anew: nothing that it was shown counts. */
  anew(): void
  /** The same of the chat's own agents, permission requests included: updates once the editor has them, `run/settled` before. */
  own(run: SubagentRun, entry: LogEntry): Promise<void>
  /** An update of the chat's own agent in this session, as the editor is to have it; undefined: not at all. */
  shown(session: SessionId, update: SessionUpdate): SessionUpdate | undefined
  /** Who asks the person something, as the editor knows it; `childId`: an agent that the session's own runs. */
  asker(session: SessionId, childId: string | undefined): Asker | undefined
  /** The same waits for an answer; `cancel` is called when it is stopped. What it resolves with is called when it is over. */
  waits(session: SessionId, childId: string | undefined, cancel: () => void): Promise<() => Promise<void>>
  /** The id is a child's, for this editor. */
  knows(id: string): boolean
  /** Stops that child and what is below it, alone. */
  cancel(id: string): void
  close(): void
}

export const childViewOf = (options: ChildViewOptions): ChildView => {
  const { sessionId: chatId, client, clientCapabilities, takes, source, questions, terminals, log } = options
  const notify = (sessionId: string, said: object): Promise<void> =>
    client.notify('session/update', { sessionId, ...said } as acp.SessionNotification)
  const shown = { chatId, questions, terminals, notify, toGateway: takes.echoes }
  const show = takesSubagents(clientCapabilities) ? new ChildSessions(shown) : new FlatChildren(shown)
  const tree = new ChildTree({ chatId, show, source, takes, log })
  return {
    adopt: (session) => tree.adopt(session),
    take: (run, entry, live) => tree.take(run, entry, live),
    name: (start) => tree.name(start),
    lose: () => tree.lose(),
    anew: () => tree.anew(),
    own: (run, entry) => tree.own(run, entry),
    shown: (session, update) => tree.shown(session, update),
    asker: (session, childId) => tree.asker(session, childId),
    waits: (session, childId, cancel) => tree.waits(session, childId, cancel),
    knows: (id) => tree.find(id) !== undefined,
    cancel: (id) => tree.cancel(id),
    close: () => show.close(),
  }
}
