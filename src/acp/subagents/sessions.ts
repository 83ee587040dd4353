/** Shows each child as a session of its own, to an editor that takes subagents. */
import { randomUUID } from 'node:crypto'
import type { ContentBlock, SessionUpdate } from '../../contract/content.ts'
import type { PermissionRequested } from '../../contract/events.ts'
import type { PermissionId } from '../../contract/ids.ts'
import { isUpdate } from '../../contract/content.ts'
import { present } from '../../contract/present.ts'
import type { SubagentResult } from '../../contract/result.ts'
import type { SubagentRun } from '../../contract/run.ts'
import type { Questions } from '../questions.ts'
import type { Notification } from '../updates.ts'
import type { Child } from './child.ts'
import { answerOf, endingState } from './ending.ts'
import type { Asker, ChildShow } from './show.ts'
import { childUpdate, linkUpdate, messageUpdates, renamed } from './wire.ts'
import type { ChildPatch } from './wire.ts'

export interface ShowOptions {
  /** The chat, as the editor knows it. */
  readonly chatId: string
  readonly questions: Questions
  /** Those of the editor that an agent of this chat has made. */
  readonly terminals: ReadonlySet<string>
  /** Each is taken by the editor before the next. */
  readonly notify: (sessionId: string, said: Notification) => Promise<void>
  /** The editor is another gateway, which may share its store with this one. */
  readonly toGateway: boolean
}

export class ChildSessions implements ChildShow {
  readonly #options: ShowOptions
  readonly #announced = new Set<Child>()
  /** Tool calls that the editor knows, and children whose call it doesn't know yet, by session and call. */
  readonly #calls = new Set<string>()
  readonly #links = new Map<string, Child>()

  constructor(options: ShowOptions) {
    this.#options = options
  }

  async begins(child: Child, prompt: readonly ContentBlock[] | undefined): Promise<void> {
    const running = { canCancel: child.cancel !== undefined, state: { is: 'running' } } as const
    if (this.#announced.has(child)) await this.#patch(child, running)
    else await this.#announce(child, running)
    await this.#link(child)
    if (prompt !== undefined) await this.tells(child.parent, child, prompt)
  }

  names(child: Child, working: boolean): Promise<void> {
    const before = this.#announced.has(child) ? {} : ({ state: { is: 'idle' } } as const)
    return this.#announce(child, { canCancel: working, ...(working ? { state: { is: 'running' } } : before) })
  }

  async says(child: Child, said: Notification): Promise<void> {
    await this.#options.notify(child.wireId, said)
    await this.#noted(child.wireId, said.update)
  }

  async asks(child: Child | undefined, run: SubagentRun, question: PermissionRequested): Promise<void> {
    if (child !== undefined) await this.waits(child)
    this.#options.questions.ask(run, question, child?.wireId)
  }

  asker(child: Child | undefined): Asker {
    return { sessionId: this.#idOf(child), own: true }
  }

  waits(child: Child): Promise<void> {
    return this.#patch(child, { state: { is: 'asking' } })
  }

  answered(id: PermissionId): void {
    this.#options.questions.withdraw(id)
  }

  goesOn(child: Child): Promise<void> {
    return this.#patch(child, { state: { is: 'running' } })
  }

  async tells(
    from: Child | undefined,
    to: Child | undefined,
    content: readonly ContentBlock[],
  ): Promise<void> {
    if (content.length === 0) return
    const [sender, recipient] = [this.#idOf(from), this.#idOf(to)]
    const ids = { sentId: randomUUID(), receivedId: randomUUID() }
    const { sent, received } = messageUpdates({ sender, recipient, ...ids, content })
    await this.#options.notify(sender, { update: sent })
    await this.#options.notify(recipient, { update: received })
  }

  async ends(child: Child, result: SubagentResult): Promise<void> {
    await this.tells(child, child.parent, answerOf(result))
    await this.#patch(child, { canCancel: false, state: endingState(result) })
  }

  /** As its agent says it, under the editor's ids. */
  async described(child: Child, update: SessionUpdate): Promise<void> {
    this.#announced.add(child)
    await this.#options.notify(this.#idOf(child.parent), { update })
  }

  lost(child: Child): Promise<void> {
    return this.#patch(child, { canCancel: false, state: { is: 'unknown' } })
  }

  heard(update: SessionUpdate): Promise<void> {
    return this.#noted(this.#options.chatId, update)
  }

  async turnOver(): Promise<void> {}

  rename(update: SessionUpdate, idOf: (id: string) => string | undefined): SessionUpdate {
    return renamed(update, idOf)
  }

  anew(): void {
    this.#announced.clear()
    this.#calls.clear()
    this.#links.clear()
  }

  close(): void {}

  /** With all that there is to say of it. */
  #announce(child: Child, more: ChildPatch): Promise<void> {
    this.#announced.add(child)
    const { description, cwd, sessionId, label } = child.facts
    const meta = this.#options.toGateway ? { storedAs: sessionId, ...present({ label }) } : undefined
    return this.#patch(child, { title: child.title, ...present({ description, cwd, meta }), ...more })
  }

  #idOf(child: Child | undefined): string {
    return child?.wireId ?? this.#options.chatId
  }

  #patch(child: Child, patch: ChildPatch): Promise<void> {
    return this.#options.notify(this.#idOf(child.parent), { update: childUpdate(child.wireId, patch) })
  }

  /** A tool call can be told of its child once the editor knows both. */
  async #link(child: Child): Promise<void> {
    const { toolCallId } = child.facts
    if (toolCallId === undefined) return
    const parent = this.#idOf(child.parent)
    const call = `${parent} ${toolCallId}`
    if (this.#calls.has(call)) {
      await this.#options.notify(parent, { update: linkUpdate(toolCallId, child.wireId) })
    } else this.#links.set(call, child)
  }

  async #noted(sessionId: string, update: SessionUpdate): Promise<void> {
    if (!isUpdate(update, 'tool_call')) return
    const call = `${sessionId} ${update.toolCallId}`
    this.#calls.add(call)
    const child = this.#links.get(call)
    if (child === undefined || !this.#links.delete(call)) return
    await this.#link(child)
  }
}
