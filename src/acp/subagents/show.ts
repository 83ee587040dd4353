/** A way of showing the agents below a chat: as sessions of their own, or within the chat. */
import type { ContentBlock, SessionUpdate } from '../../contract/content.ts'
import type { PermissionRequested } from '../../contract/events.ts'
import type { PermissionId } from '../../contract/ids.ts'
import type { SubagentResult } from '../../contract/result.ts'
import type { SubagentRun } from '../../contract/run.ts'
import type { Notification } from '../updates.ts'
import type { Child } from './child.ts'

/** Whoever asks the person something, as the editor knows it. */
export interface Asker {
  readonly sessionId: string
  /** The session is its own; otherwise another's stands for it. */
  readonly own: boolean
  /** The tool call of the delegation, in the session that stands for it. */
  readonly toolCallId?: string
}

/** Called in an order that holds: what is above a child began before it, and nothing names one that did not begin. */
export interface ChildShow {
  /** It goes to work, for the first time or again. */
  begins(child: Child, prompt: readonly ContentBlock[] | undefined): Promise<void>
  /** It is there since an earlier time, at work or not. */
  names(child: Child, working: boolean): Promise<void>
  says(child: Child, said: Notification): Promise<void>
  /** Somebody here may answer. `child` is absent when the chat's own agent asks. */
  asks(child: Child | undefined, run: SubagentRun, question: PermissionRequested): Promise<void>
  asker(child: Child | undefined): Asker
  /** It has asked the person something by a request of its own, which the show doesn't write. */
  waits(child: Child): Promise<void>
  /** By anyone, or no longer wanted. */
  answered(id: PermissionId): void
  /** No question of it is open any longer. */
  goesOn(child: Child): Promise<void>
  /** A message between two of them; undefined is the chat's own agent. */
  tells(from: Child | undefined, to: Child | undefined, content: readonly ContentBlock[]): Promise<void>
  ends(child: Child, result: SubagentResult): Promise<void>
  /** The agent that runs the child says something of it; first that it is there. */
  described(child: Child, update: SessionUpdate): Promise<void>
  /** Nobody can tell any longer what it does. */
  lost(child: Child): Promise<void>
  /** What the chat's own agent has said; the editor has it. */
  heard(update: SessionUpdate): Promise<void>
  /** The turn of the chat's own agent is over, and is answered next. */
  turnOver(cancelled: boolean): Promise<void>
  /** An update with the editor's ids in place of an agent's; undefined: not for this editor. */
  rename(update: SessionUpdate, idOf: (id: string) => string | undefined): SessionUpdate | undefined
  /** The editor has forgotten what it was shown. */
  anew(): void
  close(): void
}
