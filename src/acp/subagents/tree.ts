/** The agents below one chat, as its log and theirs tell of them: each begins before anything else of it is shown. */
import { randomUUID } from 'node:crypto'
import type { LogEntry, PermissionRequested, SessionEvent, SubagentUpdated } from '../../contract/events.ts'
import type { PermissionId, SessionId } from '../../contract/ids.ts'
import type { Letter } from '../../contract/letters.ts'
import type { Logger } from '../../contract/logger.ts'
import { text } from '../../contract/content.ts'
import type { SessionUpdate } from '../../contract/content.ts'
import type { SubagentRun } from '../../contract/run.ts'
import type { Takes } from '../params.ts'
import { notificationsOf } from '../updates.ts'
import type { Notification } from '../updates.ts'
import { Asking } from './asking.ts'
import { Child } from './child.ts'
import { childOf } from './child-of.ts'
import type { Start } from './child-of.ts'
import { HeldEvents } from './held.ts'
import type { Asker, ChildShow } from './show.ts'
import { announcedId, readAnnouncement } from './wire.ts'

/** What is asked of the house. */
export interface TreeSource {
  /** The agent, as people know it. */
  titleOf(provider: string): string
  stored(id: SessionId): { readonly cwd: string; readonly nativeId: string | undefined } | undefined
  cancelSubagent(sessionId: SessionId, childId: string): void
}

export interface ChildTreeOptions {
  /** The chat, as the editor knows it. */
  readonly chatId: string
  readonly show: ChildShow
  readonly source: TreeSource
  readonly takes: Takes
  readonly log: Logger
}

export class ChildTree {
  readonly #chatId: string
  readonly #show: ChildShow
  readonly #source: TreeSource
  readonly #takes: Takes
  /** Sessions of the chat's own agents. */
  readonly #own = new Set<string>()
  readonly #children = new Map<string, Child>()
  readonly #held: HeldEvents
  readonly #asking = new Asking()
  /** Announced by another gateway, and known from the store that it shares with this one. */
  readonly #twice = new Set<string>()

  constructor({ chatId, show, source, takes, log }: ChildTreeOptions) {
    this.#chatId = chatId
    this.#show = show
    this.#source = source
    this.#takes = takes
    this.#held = new HeldEvents(log)
  }

  /** By its id for the editor. */
  find(wireId: string): Child | undefined {
    return this.#children.values().find((child) => child.wireId === wireId)
  }

  /** Stops it and what is below it. What an agent runs itself has its open questions answered here. */
  cancel(wireId: string): void {
    const child = this.find(wireId)
    if (child === undefined) return
    child.cancel?.()
    if (child.facts.childId !== undefined) this.#asking.cancelWithin(child)
  }

  /** Who asks, as the editor knows it: an agent of this chat, or one that such an agent runs; undefined: nobody here. */
  asker(id: SessionId, childId: string | undefined): Asker | undefined {
    const owner = this.#children.get(id)
    if (owner === undefined && !this.#own.has(id)) return undefined
    const child = childId === undefined ? owner : this.#children.get(keyOf(id, childId))
    // Of one that wasn't announced it is the agent that asks.
    const asker = this.#show.asker(child ?? owner)
    return childId !== undefined && child === undefined ? { ...asker, own: false } : asker
  }

  /** A question that isn't in the log; what it resolves with is called when that is answered. */
  async waits(id: SessionId, childId: string | undefined, cancel: () => void): Promise<() => Promise<void>> {
    const child = this.#children.get(childId === undefined ? id : keyOf(id, childId))
    if (child === undefined) return () => Promise.resolve()
    const question = randomUUID()
    this.#asking.begin(question, child, cancel)
    await this.#show.waits(child)
    return () => this.#goesOnAfter(question)
  }

  /** What one of the chat's own agents has said or done; the editor has its updates already. */
  async own(run: SubagentRun, { event }: LogEntry): Promise<void> {
    await this.adopt(run.sessionId)
    switch (event.type) {
      case 'session/update':
      case 'session/late_update':
        return this.#show.heard(event.update)
      case 'run/settled':
        if (LOST_WITH.has(event.status)) await this.#agentGone(run.sessionId)
        return this.#show.turnOver(event.status === 'cancelled')
      default:
        return this.#event(undefined, run, event)
    }
  }

  /** A session of the chat itself: what hangs on it can be shown from now on. */
  async adopt(id: SessionId): Promise<void> {
    if (this.#own.has(id)) return
    this.#own.add(id)
    await this.#release(id)
  }

  /** Of the chat's own agent in this session, as the editor is to have it; undefined: not at all. */
  shown(id: SessionId, update: SessionUpdate): SessionUpdate | undefined {
    return this.#show.rename(update, (agentId) => this.#wireId(id, undefined, agentId))
  }

  /** An event of a session below the chat; `live` unless it is told of as it was. */
  async take(run: SubagentRun, entry: LogEntry, live = true): Promise<void> {
    const { sessionId, parentSessionId: parentId = '' } = run
    const { event } = entry
    const known = this.#children.get(sessionId)
    if (known !== undefined) return this.#goesOn(known, run, event, live)
    const parent = this.#children.get(parentId)
    if (parent === undefined && !this.#own.has(parentId))
      return this.#held.hold(parentId, { run, entry, live })
    if (event.type !== 'run/started') return this.#held.hold(sessionId, { run, entry, live })
    const child = childOf({ run, started: event, live }, parent, this.#source)
    await this.#begin(child, () => this.#show.begins(child, event.prompt))
  }

  /** A child of an earlier time, by its newest run: it works still, or stands above one that does. */
  async name(start: Start): Promise<void> {
    const { run, live } = start
    const { sessionId, parentSessionId: parentId = '' } = run
    const known = this.#children.get(sessionId)
    const child = known ?? childOf(start, this.#children.get(parentId), this.#source)
    if (live) child.cancel = () => run.cancel()
    if (known === undefined) await this.#begin(child, () => this.#show.names(child, live))
    else await this.#show.names(child, live)
  }

  /** What agents ran themselves, and never said the end of, is out of sight: those agents are gone. */
  async lose(): Promise<void> {
    for (const child of this.#children.values())
      if (child.facts.childId !== undefined && !child.idle) await this.#show.lost(child)
  }

  /** The editor begins anew: nothing that it was shown counts. */
  anew(): void {
    this.#show.anew()
  }

  async #goesOn(child: Child, run: SubagentRun, event: SessionEvent, live: boolean): Promise<void> {
    if (event.type === 'run/started') {
      child.cancel = live ? () => run.cancel() : undefined
      await this.#show.begins(child, event.prompt)
    } else if (event.type === 'run/settled') {
      child.open.clear()
      await this.#agentGone(child.facts.sessionId)
      await this.#show.ends(child, await run.result)
    } else if (event.type === 'session/update' || event.type === 'session/late_update') {
      for (const said of notificationsOf(event, this.#takes)) await this.#says(child, said)
    } else if (event.type === 'notice') {
      for (const said of notificationsOf(event, this.#takes)) await this.#show.says(child, said)
    } else await this.#event(child, run, event)
  }

  /** Without a child, of the chat's own agent. */
  async #event(child: Child | undefined, run: SubagentRun, event: SessionEvent): Promise<void> {
    if (event.type === 'permission/requested') await this.#asked(child, run, event)
    else if (event.type === 'permission/resolved') await this.#answered(event.id)
    else if (event.type === 'letter/received') await this.#letter(child, event.letter)
    else if (event.type === 'subagent/update') await this.#announced(child, run, event)
  }

  async #says(child: Child, { update, ...more }: Notification): Promise<void> {
    const { sessionId, childId } = child.facts
    const owner = childId === undefined ? child : this.#children.get(sessionId)
    const said = this.#show.rename(update, (id) => this.#wireId(sessionId, owner, id))
    if (said !== undefined) await this.#show.says(child, { update: said, ...more })
  }

  async #begin(child: Child, show: () => Promise<void>): Promise<void> {
    this.#children.set(child.facts.key, child)
    await show()
    await this.#release(child.facts.key)
  }

  /** Of the agent's own subagents each has its questions; it is the agent that is asked by. */
  async #asked(owner: Child | undefined, run: SubagentRun, question: PermissionRequested): Promise<void> {
    const { childId } = question
    const child = childId === undefined ? owner : this.#children.get(keyOf(run.sessionId, childId))
    if (child !== undefined) {
      this.#asking.begin(question.id, child, () => run.respond(question.id, { outcome: 'cancelled' }))
    }
    await this.#show.asks(child ?? owner, run, question)
  }

  async #answered(id: PermissionId): Promise<void> {
    this.#show.answered(id)
    await this.#goesOnAfter(id)
  }

  async #goesOnAfter(question: string): Promise<void> {
    const child = this.#asking.end(question)
    if (child !== undefined) await this.#show.goesOn(child)
  }

  /** Prompts and answers are shown with the runs that they belong to. */
  async #letter(to: Child | undefined, letter: Letter): Promise<void> {
    const from = letter.from === undefined ? undefined : this.#children.get(letter.from)
    if (from === undefined) return
    const said = letter.kind === 'report' || (letter.kind === 'settled' && letter.runId === undefined)
    if (said) await this.#show.tells(from, to, [text(letter.text ?? letter.kind)])
  }

  async #announced(owner: Child | undefined, run: SubagentRun, event: SubagentUpdated): Promise<void> {
    const { sessionId } = run
    const { childId, parentChildId, update } = event
    const key = keyOf(sessionId, childId)
    const child = this.#children.get(key)
    const announces = announcedId(update) === childId
    if (child !== undefined) {
      await (announces ? this.#described(owner, child, update) : this.#says(child, { update }))
      return
    }
    const above = parentChildId === undefined ? undefined : keyOf(sessionId, parentChildId)
    if (this.#isTwice(key, above, update)) return
    const parent = above === undefined ? owner : this.#children.get(above)
    const entry = { seq: 0, at: 0, event }
    if (!announces) return this.#held.hold(key, { run, entry, live: true })
    if (above !== undefined && parent === undefined) return this.#held.hold(above, { run, entry, live: true })
    const { title, description } = readAnnouncement(update)
    const fresh = new Child({
      key,
      sessionId,
      childId,
      parent,
      agent: owner?.facts.agent ?? this.#source.titleOf(run.provider),
      label: title,
      description,
      cancel: () => this.#source.cancelSubagent(sessionId, childId),
    })
    await this.#begin(fresh, () => this.#described(owner, fresh, update))
  }

  async #described(owner: Child | undefined, child: Child, update: SessionUpdate): Promise<void> {
    const { state } = readAnnouncement(update)
    if (state !== undefined) child.idle = state === 'idle'
    const said = this.#show.rename(update, (id) => this.#wireId(child.facts.sessionId, owner, id))
    await this.#show.described(child, said ?? update)
  }

  /** Another gateway's children, and those below them, stand in the store that is shared with it. */
  #isTwice(key: string, above: string | undefined, update: SessionUpdate): boolean {
    const { storedAs } = readAnnouncement(update)
    const twice =
      this.#twice.has(key) ||
      (above !== undefined && this.#twice.has(above)) ||
      (storedAs !== undefined && this.#source.stored(storedAs as SessionId) !== undefined)
    if (twice) this.#twice.add(key)
    return twice
  }

  /** With an agent goes whatever it ran itself. */
  async #agentGone(sessionId: SessionId): Promise<void> {
    for (const child of this.#children.values()) {
      if (child.facts.sessionId === sessionId && child.facts.childId !== undefined)
        await this.#show.lost(child)
    }
  }

  #wireId(sessionId: SessionId, owner: Child | undefined, agentId: string): string | undefined {
    if (this.#source.stored(sessionId)?.nativeId === agentId) return owner?.wireId ?? this.#chatId
    return this.#children.get(keyOf(sessionId, agentId))?.wireId
  }

  async #release(key: string): Promise<void> {
    for (const { run, entry, live } of this.#held.take(key)) {
      const ownEvent = this.#own.has(run.sessionId)
      await (ownEvent ? this.own(run, entry) : this.take(run, entry, live))
    }
  }
}

const LOST_WITH: ReadonlySet<string> = new Set(['failed', 'interrupted', 'timed_out'])

/** An agent's own ids are unique within its session. */
const keyOf = (sessionId: SessionId, childId: string): string => `${sessionId} ${childId}`
