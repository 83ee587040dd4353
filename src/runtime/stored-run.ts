/** A run of another process, known by the store alone: read, and asked to stop. */
import type { ContentBlock } from '../contract/content.ts'
import { SubagentError } from '../contract/errors.ts'
import type { LogEntry } from '../contract/events.ts'
import type { RunId, SessionId } from '../contract/ids.ts'
import { silentLogger } from '../contract/logger.ts'
import { present } from '../contract/present.ts'
import type { SubagentResult } from '../contract/result.ts'
import type { SubagentRun } from '../contract/run.ts'
import { followStored } from '../sessions/cursor.ts'
import { advanceOutput, NO_OUTPUT, outputText } from '../sessions/output.ts'
import type { Store, StoredRun as RunRow } from '../sessions/store.ts'
import { recoverLost } from './recover.ts'
import type { EventOptions } from './run-events.ts'

const LOOK_MS = 1000

export class StoredRun implements SubagentRun {
  readonly id: RunId
  readonly sessionId: SessionId
  readonly parentSessionId: SessionId | undefined
  readonly provider: string
  readonly depth: number
  readonly label: string | undefined
  readonly #row: RunRow
  readonly #store: Store
  readonly #now: () => number
  #result: Promise<SubagentResult> | undefined

  constructor(row: RunRow, store: Store, now: () => number) {
    this.id = row.id
    this.sessionId = row.sessionId
    this.parentSessionId = row.parentSessionId
    this.provider = row.provider
    this.depth = row.depth
    this.label = row.label
    this.#row = row
    this.#store = store
    this.#now = now
  }

  /** Read from the log when it is asked for (law 6). */
  get result(): Promise<SubagentResult> {
    this.#result ??= this.#read()
    return this.#result
  }

  events({ after = 0, signal }: EventOptions = {}): AsyncIterable<LogEntry> {
    const last = ({ event, runId }: LogEntry): boolean => event.type === 'run/settled' && runId === this.id
    return followStored(this.#store, this.sessionId, {
      after: Math.max(after, this.#row.firstSeq - 1),
      isLast: last,
      signal,
    })
  }

  /** Its questions are answered where it runs. */
  respond(): void {}

  giveUp(): void {}

  steer(_content: readonly ContentBlock[]): Promise<void> {
    return Promise.reject(
      new SubagentError(
        'INVALID_REQUEST',
        'prompt',
        `The run ${this.id} belongs to another process, which alone can steer it.`,
        { field: 'content' },
      ),
    )
  }

  cancel(): void {
    this.#store.post({ to: this.sessionId, at: this.#now(), kind: 'interrupt' })
  }

  /** It goes on where it runs. */
  async [Symbol.asyncDispose](): Promise<void> {}

  async #read(): Promise<SubagentResult> {
    let output = NO_OUTPUT
    using scope = new DisposableStack()
    scope.use(this.#watchOwner())
    try {
      for await (const { event } of this.events()) {
        if (event.type === 'session/update') output = advanceOutput(output, event.update)
        if (event.type !== 'run/settled') continue
        const { type: _, ...said } = event
        return { ...this.#identity(), ...said, text: outputText(output) }
      }
    } catch (error) {
      return this.#gone(outputText(output), error)
    }
    return this.#gone(outputText(output))
  }

  /** A process that dies tells nobody: whoever waits for its run settles it. */
  #watchOwner(): Disposable {
    const store = this.#store
    const look = async (): Promise<void> => {
      try {
        if (store.lost().includes(this.sessionId))
          await recoverLost({ store, now: this.#now, log: silentLogger })
      } catch {
        // Looked for again; a store that is gone ends the reading itself.
      }
    }
    const timer = setInterval(() => void look(), LOOK_MS)
    return { [Symbol.dispose]: () => clearInterval(timer) }
  }

  #identity(): Pick<SubagentResult, 'runId' | 'sessionId' | 'parentSessionId' | 'provider' | 'depth'> {
    const { id: runId, sessionId, parentSessionId, provider, depth } = this
    return { runId, sessionId, provider, depth, ...present({ parentSessionId }) }
  }

  /** The log can't be read to an end: the session was removed meanwhile, or the store is closed or broken. */
  #gone(text: string, cause?: unknown): SubagentResult {
    const why = cause instanceof Error ? ` ${cause.message}` : ''
    const message = `The session ${this.sessionId} of the run can't be read any longer.${why}`
    const error = new SubagentError('OWNER_LOST', 'prompt', message, {})
    const durationMs = Math.max(this.#now() - this.#row.startedAt, 0)
    const ending = { status: 'interrupted', category: 'owner_lost', error: error.toJSON() } as const
    return { ...this.#identity(), ...ending, text, denied: [], durationMs }
  }
}
