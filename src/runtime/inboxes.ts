/**
 * Takes the letters of the sessions that this process holds: a message starts the next run of its session once the
 * one before has settled, a stop cancels the open one, and what children write wakes an idle agent that reads it.
 */
import { SubagentError } from '../contract/errors.ts'
import type { SessionId } from '../contract/ids.ts'
import { letterPrompt } from '../contract/letter-words.ts'
import type { Letter, LetterId } from '../contract/letters.ts'
import type { Logger } from '../contract/logger.ts'
import type { SubagentStartRequest } from '../contract/request.ts'
import type { SubagentRun } from '../contract/run.ts'
import type { Store } from '../sessions/store.ts'
import type { LiveSession } from './live-session.ts'
import type { InnerStartOptions } from './options.ts'
import { asFault } from './ending.ts'
import { recoverLost } from './recover.ts'
import { SessionLog } from '../sessions/session-log.ts'
import { isKept, nextOf } from './next-letters.ts'
import { returnMessages } from './returned.ts'
import type { Return } from './returned.ts'

/** How soon a session that another process holds is looked at again: its death tells nobody. */
const AGAIN_MS = 1000

export interface InboxHouse {
  readonly store: Store
  readonly sessions: ReadonlyMap<SessionId, LiveSession>
  readonly log: Logger
  readonly closed: AbortSignal
  readonly now: () => number
  start(request: SubagentStartRequest, options: InnerStartOptions): Promise<SubagentRun>
}

interface Inbox {
  readonly id: SessionId
  readonly scope: DisposableStack
  parentId: SessionId | undefined
  /** The follow-up that is on its way. */
  starting: Promise<void> | undefined
  /** Something happened while it was. */
  stirred: boolean
  /** The open run began with this letter, or when this was the last one: a stop from before doesn't mean it. */
  since: LetterId
  again: NodeJS.Timeout | undefined
}

export class Inboxes implements AsyncDisposable {
  readonly #house: InboxHouse
  readonly #inboxes = new Map<SessionId, Inbox>()

  constructor(house: InboxHouse) {
    this.#house = house
  }

  /** A run of the session is published; `letters` are its prompt. */
  begun({ id, log }: LiveSession, letters: readonly LetterId[] = []): void {
    // Nobody can have written to a session that is new.
    const isNew = log.firstLiveSeq === 1 && !this.#inboxes.has(id)
    const inbox = this.#of(id)
    inbox.parentId = log.header.parentId
    const waiting = isNew ? [] : this.#lettersTo(id).map((letter) => letter.id)
    inbox.since = Math.max(0, ...(letters.length > 0 ? letters : waiting))
    if (waiting.length > 0) this.look(id)
    // Whoever takes a tree up takes up what was sent to its stored agents too (B11.1).
    if (!isNew) for (const below of this.#house.store.waitingBelow(id)) this.expect(below)
  }

  /** Whether a follow-up is on its way. */
  starts(id: SessionId): boolean {
    return this.#inboxes.get(id)?.starting !== undefined
  }

  /** The session's own kept children that are at work here, or have work below them. */
  atWork(session: LiveSession): number {
    const { sessions } = this.#house
    const works = (child: LiveSession): boolean =>
      child.run !== undefined || this.starts(child.id) || [...child.children].some(works)
    const live = [...session.children].filter((child) => isKept(child) && works(child))
    const stored = [...this.#inboxes.values()].filter(
      ({ id, parentId, starting }) => parentId === session.id && starting !== undefined && !sessions.has(id),
    )
    return live.length + stored.length
  }

  /** Somebody has written to a session that this process may have to take up. */
  expect(id: SessionId): void {
    this.#of(id)
    this.look(id)
  }

  /** Takes what can be taken now. */
  look(id: SessionId): void {
    const { sessions, closed, log } = this.#house
    if (closed.aborted) return
    try {
      const live = sessions.get(id)
      const letters = this.#lettersTo(id)
      if (live !== undefined) this.#stop(live, letters)
      const inbox = this.#inboxes.get(id)
      if (inbox?.starting !== undefined) inbox.stirred = true
      else if (live?.run === undefined && live?.closing === undefined) this.#begin(id, live, letters)
    } catch (error) {
      log.error({ error, sessionId: id }, 'the letters of a session could not be read')
    }
  }

  /** Whoever wrote to a session that is being taken up found it busy, also when nothing comes of that. */
  orLook(id: SessionId, { together }: InnerStartOptions, run: Promise<SubagentRun>): Promise<SubagentRun> {
    return run.catch((error: unknown) => {
      if (together?.deliver === undefined) queueMicrotask(() => this.look(id))
      throw error
    })
  }

  /** What waits for this session and is no longer wanted goes back to whoever wrote it. */
  drop(session: LiveSession): void {
    const error = new SubagentError('CANCELLED', 'request', 'What it belonged to was cancelled or closed.', {
      by: 'request',
    })
    try {
      this.#giveBack(session.id, this.#lettersTo(session.id), { status: 'cancelled', error })
    } catch (fault) {
      this.#house.log.error({ error: fault, sessionId: session.id }, 'messages could not be given back')
    }
  }

  /** The same of all that is below a session which is being stopped. */
  dropBelow(session: LiveSession): void {
    for (const child of session.children) {
      this.drop(child)
      this.dropBelow(child)
    }
  }

  /** The session is no longer held here. */
  forget(id: SessionId): void {
    const inbox = this.#inboxes.get(id)
    if (inbox !== undefined) this.#tidy(inbox)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#inboxes.values()].flatMap(({ starting }) => starting ?? []))
    for (const inbox of this.#inboxes.values()) this.#end(inbox)
  }

  #of(id: SessionId): Inbox {
    const known = this.#inboxes.get(id)
    if (known !== undefined) return known
    const scope = new DisposableStack()
    const inbox: Inbox = {
      id,
      scope,
      parentId: undefined,
      starting: undefined,
      stirred: false,
      since: 0,
      again: undefined,
    }
    scope.use(
      this.#house.store.onLetter(id, () => {
        this.#house.sessions.get(id)?.run?.letters?.arrived()
        this.look(id)
      }),
    )
    scope.defer(() => clearTimeout(inbox.again))
    this.#inboxes.set(id, inbox)
    return inbox
  }

  #end(inbox: Inbox): void {
    inbox.scope.dispose()
    this.#inboxes.delete(inbox.id)
  }

  #lettersTo(id: SessionId): readonly Letter[] {
    return this.#house.store.letters(id)
  }

  /** A stop that comes while a follow-up is on its way waits for its run; without a run it means nothing. */
  #stop({ id, run, log }: LiveSession, letters: readonly Letter[]): void {
    const inbox = this.#inboxes.get(id)
    if (run === undefined && inbox?.starting !== undefined) return
    for (const letter of letters) {
      if (letter.kind !== 'interrupt') continue
      log.append({ type: 'letter/received', letter }, run?.id, { together: { deliver: [letter.id] } })
      if (letter.id > (inbox?.since ?? 0)) run?.cancel()
    }
  }

  #begin(id: SessionId, live: LiveSession | undefined, letters: readonly Letter[]): void {
    const next = nextOf(live, letters)
    const [first] = next
    if (first === undefined) return
    const inbox = this.#of(id)
    clearTimeout(inbox.again)
    inbox.stirred = false
    inbox.parentId = (live?.log.header ?? this.#house.store.get(id)?.header)?.parentId
    inbox.starting = this.#start(id, next)
      .catch((error: unknown) => this.#failed(inbox, next, error))
      .catch((error: unknown) => {
        this.#house.log.error({ error, sessionId: id }, 'a follow-up could not be started')
        return 'wait' as const
      })
      .then((then) => this.#started(inbox, then))
  }

  async #start(id: SessionId, letters: readonly Letter[]): Promise<'over'> {
    const { store, sessions } = this.#house
    const header = sessions.get(id)?.log.header ?? store.get(id)?.header
    if (header === undefined) return 'over'
    const { provider, parentId } = header
    const known = parentId !== undefined && (sessions.has(parentId) || store.get(parentId) !== undefined)
    await this.#house.start(
      {
        provider,
        prompt: letters.flatMap(letterPrompt),
        session: { from: 'resume', sessionId: id },
        keep: true,
        // Below its parent again: its slot, its end and its limits.
        ...(known && { parent: { sessionId: parentId } }),
      },
      { together: { deliver: letters.map((letter) => letter.id) } },
    )
    return 'over'
  }

  /** What is refused for good goes back; the rest waits for whatever stands in its way. */
  async #failed(inbox: Inbox, letters: readonly Letter[], error: unknown): Promise<'over' | 'wait'> {
    const { closed, store, sessions, now, log } = this.#house
    const { id } = inbox
    if (closed.aborted) return 'over'
    const code = SubagentError.is(error) ? error.code : undefined
    if (code === 'SESSION_BUSY') {
      if (store.lost().includes(id)) await recoverLost({ store, now, log })
      return 'wait'
    }
    const fault = asFault(error, sessions.get(id)?.registered.provider.name ?? 'the agent', 'session')
    const back = { status: code === 'CANCELLED' ? 'cancelled' : 'failed', error: fault } as const
    if (sessions.has(id)) this.#giveBack(id, letters, back)
    else await this.#giveBackStored(id, letters, back)
    // What children wrote isn't given back: it is read when the agent goes on, whoever makes it.
    return letters.some(({ kind }) => kind === 'message') ? 'over' : 'wait'
  }

  #started(inbox: Inbox, then: 'over' | 'wait'): void {
    const { id, stirred } = inbox
    const { sessions, closed } = this.#house
    inbox.starting = undefined
    const live = sessions.get(id)
    if (then === 'over' || (stirred && live !== undefined)) this.look(id)
    else if (live === undefined && !closed.aborted) {
      inbox.again = setTimeout(() => {
        inbox.again = undefined
        this.look(id)
        this.#tidy(inbox)
      }, AGAIN_MS).unref()
    }
    const parent = inbox.parentId === undefined ? undefined : sessions.get(inbox.parentId)
    const above = live?.parent ?? parent
    above?.stir()
    this.#tidy(inbox)
  }

  #giveBack(id: SessionId, letters: readonly Letter[], back: Return): void {
    const live = this.#house.sessions.get(id)
    if (live !== undefined) returnMessages(live.log, this.#still(id, letters), back, this.#house.now())
  }

  async #giveBackStored(id: SessionId, letters: readonly Letter[], back: Return): Promise<void> {
    const { store, now } = this.#house
    await store.claim(id)
    try {
      const log = SessionLog.reopen(store, id, now)
      if (log === undefined) return
      returnMessages(log, this.#still(id, letters), back, now())
      await log.flushed()
    } finally {
      store.release(id)
    }
  }

  /** Those that nobody has taken meanwhile. */
  #still(id: SessionId, letters: readonly Letter[]): readonly Letter[] {
    const waiting = new Set(this.#lettersTo(id).map((letter) => letter.id))
    return letters.filter((letter) => waiting.has(letter.id))
  }

  #tidy(inbox: Inbox): void {
    const { id, starting, again } = inbox
    if (starting === undefined && again === undefined && !this.#house.sessions.has(id)) this.#end(inbox)
  }
}
