/** One run's hand on its session's log: what can't be recorded must not happen, and ends the run. */
import type { SubagentError } from '../contract/errors.ts'
import type { LogEntry, ProviderEvent, RunSettled, SessionEvent } from '../contract/events.ts'
import type { RunId } from '../contract/ids.ts'
import type { Letter, NewLetter } from '../contract/letters.ts'
import type { Logger } from '../contract/logger.ts'
import { LetterTaken } from '../sessions/letter-taken.ts'
import type { AppendOptions, SessionLog } from '../sessions/session-log.ts'
import type { Together } from '../sessions/store.ts'
import { logFault } from './ending.ts'

export interface JournalOptions {
  readonly log: SessionLog
  readonly runId: RunId
  readonly provider: string
  readonly logger: Logger
  /** Told when an event could not be written. */
  onFault(fault: SubagentError): void
}

export class RunJournal {
  readonly #options: JournalOptions
  readonly #unwritten = new AbortController()
  #firstSeq = 0
  #lastSeq: number | undefined

  constructor(options: JournalOptions) {
    this.#options = options
  }

  /** `seq` of `run/started`. */
  get firstSeq(): number {
    return this.#firstSeq
  }

  /** `seq` of `run/settled`, once it is written. */
  get lastSeq(): number | undefined {
    return this.#lastSeq
  }

  /** Aborted when the last event could not be written, so that no reader waits for it. */
  get unwritten(): AbortSignal {
    return this.#unwritten.signal
  }

  /** Throws what the store throws: nothing is published then. */
  start(event: SessionEvent, together?: Together): void {
    this.#firstSeq = this.#append(event, { together }).seq
  }

  /** Resolves once all that was recorded is committed, and with what went wrong when it never will be. */
  async flushed(): Promise<SubagentError | undefined> {
    try {
      await this.#options.log.flushed()
      return undefined
    } catch (error) {
      this.#unwritten.abort()
      return logFault(error, this.#options.provider)
    }
  }

  /** False when it could not be written. */
  record(event: SessionEvent, bytes?: number): boolean {
    try {
      this.#append(event, { bytes })
      return true
    } catch (error) {
      this.#options.onFault(logFault(error, this.#options.provider))
      return false
    }
  }

  /** Takes a letter out of the mailbox. False when it was taken before, or that could not be recorded. */
  receive(letter: Letter): boolean {
    try {
      this.#append({ type: 'letter/received', letter }, { together: { deliver: [letter.id] } })
      return true
    } catch (error) {
      if (!(error instanceof LetterTaken)) this.#options.onFault(logFault(error, this.#options.provider))
      return false
    }
  }

  /** Posts it together with the line that people see of it; throws what the store throws. */
  report(letter: Extract<NewLetter, { kind: 'report' }>): void {
    const notice = { type: 'notice', severity: 'info', title: 'Reported:', detail: letter.text } as const
    this.#append(notice, { together: { post: [letter] } })
  }

  /** What comes after the turn is kept, but belongs to no run. */
  late(event: ProviderEvent): void {
    const { log, logger } = this.#options
    try {
      if (event.type === 'session/update') log.append({ type: 'session/late_update', update: event.update })
      else log.append(event)
    } catch (error) {
      logger.error({ error, sessionId: log.id }, 'a late event could not be written')
    }
  }

  /** The one event that is tried twice: without it the run stays open in the log. */
  settle(event: RunSettled, prepare: () => void, together?: Together): SubagentError | undefined {
    let fault: unknown
    for (const _ of [1, 2]) {
      try {
        prepare()
        this.#lastSeq = this.#append(event, { together }).seq
        return undefined
      } catch (error) {
        fault = error
      }
    }
    const { logger, runId, provider } = this.#options
    this.#unwritten.abort()
    logger.error({ error: fault, runId }, 'a run could not be settled in its log')
    return logFault(fault, provider)
  }

  #append(event: SessionEvent, options?: AppendOptions): LogEntry {
    const { log, runId } = this.#options
    return log.append(event, runId, options)
  }
}
