/** A session that is open in this process: its log, its agent while one is kept, and its place in the tree. */
import type { SessionId } from '../contract/ids.ts'
import type { Logger } from '../contract/logger.ts'
import type { ProviderSession } from '../contract/provider.ts'
import type { ResolvedStartRequest } from '../contract/request.ts'
import { after } from '../contract/timer.ts'
import type { SessionLog } from '../sessions/session-log.ts'
import type { ClientPort } from './client-port.ts'
import type { LiveRun } from './live-run.ts'
import type { Registered } from './registry.ts'

/** An agent that hasn't gone by then is reported and no longer waited for: a run must settle. */
const DISMISS_MS = 30_000

export class LiveSession {
  readonly log: SessionLog
  readonly registered: Registered
  readonly parent: LiveSession | undefined
  readonly children: Set<LiveSession> = new Set()
  /** Labels from the root's child down to here; empty on a root. */
  readonly path: readonly string[]
  /** The agent, as long as it is set up. */
  agent: ProviderSession | undefined
  /** What the agent was opened with, apart from the prompt. */
  opened: ResolvedStartRequest | undefined
  /** Lent to the agent, and passed on to what it delegates to. */
  client: ClientPort | undefined
  run: LiveRun | undefined
  /** Set once the session is being closed: nothing is started on it or below it. */
  closing: Promise<void> | undefined
  readonly #logger: Logger
  readonly #starts = new Map<AbortController, Promise<unknown>>()

  constructor(log: SessionLog, registered: Registered, parent: LiveSession | undefined, logger: Logger) {
    this.log = log
    this.registered = registered
    this.parent = parent
    this.#logger = logger
    const own = log.header.label ?? registered.provider.name
    this.path = log.header.parentId === undefined ? [] : [...(parent?.path ?? []), own]
    parent?.children.add(this)
  }

  get id(): SessionId {
    return this.log.id
  }

  /** Takes an agent that was set up now; one that stands stays as it is. Says what was there before. */
  equip(
    agent: ProviderSession,
    opened: ResolvedStartRequest,
    client: ClientPort | undefined,
  ): Pick<LiveSession, 'agent' | 'opened' | 'client'> {
    const before = { agent: this.agent, opened: this.opened, client: this.client }
    if (this.agent === agent) return before
    client?.attach(this)
    Object.assign(this, { agent, opened, client })
    return before
  }

  /** Something is still going on here or below. */
  get busy(): boolean {
    return this.run !== undefined || [...this.children].some((child) => child.busy)
  }

  /** Something that its run, or one above, may wait for has happened below. */
  stir(): void {
    this.run?.stir()
    this.parent?.stir()
  }

  /** A kept child that is idle may still have delegated work below it. */
  cancelBelow(): void {
    for (const child of this.children) {
      if (child.run === undefined) child.cancelBelow()
      else child.run.cancel()
    }
  }

  /** A child that is on its way, and can't be found among the children before it is published. */
  startChild<T>(start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#track(start, this.run?.ending === true)
  }

  /** The next run of this session that is on its way. */
  startFollowUp<T>(start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#track(start, false)
  }

  #track<T>(start: (signal: AbortSignal) => Promise<T>, over: boolean): Promise<T> {
    const abort = new AbortController()
    if (over || this.closing !== undefined) abort.abort()
    const starting = start(abort.signal).finally(() => this.#starts.delete(abort))
    this.#starts.set(abort, starting)
    return starting
  }

  /** Stops what is on its way here or below, and waits until nothing of it is left. */
  async stopStarts(): Promise<void> {
    for (const abort of this.#starts.keys()) abort.abort()
    await Promise.allSettled(this.#starts.values())
  }

  /** The agent goes, and with it all that belongs to it; what it failed to end is said in the log. */
  async dismissAgent(): Promise<void> {
    const { agent } = this
    this.agent = undefined
    if (agent === undefined) return
    const late = Promise.withResolvers<never>()
    using _ = after(DISMISS_MS, () => late.reject(new Error(`It had ${DISMISS_MS / 1000} s to go.`)))
    try {
      await Promise.race([Promise.try(() => agent[Symbol.asyncDispose]()), late.promise])
    } catch (error) {
      this.#report(error instanceof Error ? error.message : String(error))
    }
  }

  #report(detail: string): void {
    const title = 'The agent could not be ended cleanly.'
    try {
      this.log.append({ type: 'notice', severity: 'warning', title, detail })
    } catch (error) {
      this.#logger.error({ error, sessionId: this.id, detail }, title)
    }
  }
}
