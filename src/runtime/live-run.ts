/** A run as its callers hold it: while it is open its work, and after that only its end and where its events lie. */
import type { ContentBlock, PermissionOutcome } from '../contract/content.ts'
import type { LogEntry } from '../contract/events.ts'
import type { PermissionId, RunId, SessionId } from '../contract/ids.ts'
import type { ResolvedStartRequest } from '../contract/request.ts'
import type { SubagentResult } from '../contract/result.ts'
import type { SubagentRun } from '../contract/run.ts'
import type { SessionLog } from '../sessions/session-log.ts'
import type { SessionStore } from '../sessions/store.ts'
import { nothingRuns } from './edges.ts'
import type { RunContext } from './run-context.ts'
import { runEvents } from './run-events.ts'
import type { EventOptions, RunSpan } from './run-events.ts'
import type { RunLetters } from './run-letters.ts'
import { RunWork } from './run-work.ts'

export class LiveRun implements SubagentRun {
  readonly id: RunId
  readonly sessionId: SessionId
  readonly parentSessionId: SessionId | undefined
  readonly provider: string
  readonly depth: number
  readonly label: string | undefined
  readonly answers: boolean
  readonly result: Promise<SubagentResult>
  readonly #store: SessionStore
  readonly #log: SessionLog
  #span: RunSpan
  /** Dropped with the end: who keeps a run, as a key does for a day, keeps neither its request nor its agent. */
  #work: RunWork | undefined

  constructor(context: RunContext) {
    const { session, request, surroundings, answers } = context
    this.id = request.runId
    this.sessionId = session.id
    this.parentSessionId = request.parentSessionId
    this.provider = session.registered.provider.name
    this.depth = request.depth
    this.label = request.label
    this.answers = answers
    this.#store = surroundings.store
    this.#log = session.log
    const { promise, resolve } = Promise.withResolvers<SubagentResult>()
    this.result = promise
    const work = new RunWork(context, (result) => {
      const { firstSeq, lastSeq, unwritten } = work.journal
      this.#span = { firstSeq, lastSeq, unwritten }
      this.#work = undefined
      resolve(result)
    })
    this.#span = work.journal
    this.#work = work
  }

  /** Of the open run. */
  get request(): ResolvedStartRequest | undefined {
    return this.#work?.request
  }

  /** Of the open run. */
  get letters(): RunLetters | undefined {
    return this.#work?.letters
  }

  /** Publishes: once `run/started` is committed, the run is observable. */
  publish(): void {
    this.#work?.publish()
  }

  /** It never was: its first event could not be committed. */
  withdraw(): void {
    this.#work?.withdraw()
  }

  async drive(): Promise<void> {
    await this.#work?.drive()
  }

  events(options: EventOptions = {}): AsyncIterable<LogEntry> {
    return runEvents(this.#store, this.#log, this.#span, this.id, options)
  }

  respond(id: PermissionId, outcome: PermissionOutcome): void {
    this.#work?.respond(id, outcome)
  }

  giveUp(id: PermissionId): void {
    this.#work?.giveUp(id)
  }

  awaits(id: PermissionId): boolean {
    return this.#work?.awaits(id) ?? false
  }

  async steer(content: readonly ContentBlock[]): Promise<void> {
    if (this.#work === undefined) throw nothingRuns()
    await this.#work.steer(content)
  }

  cancel(reason: 'signal' | 'request' = 'request'): void {
    this.#work?.cancel(reason)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cancel()
    await this.result
  }

  /** Being stopped, or settled: it delegates no more. */
  get ending(): boolean {
    return this.#work?.ending ?? true
  }

  /** Something that this run waited for has happened. */
  stir(): void {
    this.#work?.stir()
  }
}
