/** What one run has to do with letters: it reads those of its children, and reports to its parent (B11.2). */
import { SubagentError } from '../contract/errors.ts'
import type { SessionId } from '../contract/ids.ts'
import type { Letter } from '../contract/letters.ts'
import { present } from '../contract/present.ts'
import type { TurnLetters } from '../contract/provider.ts'
import type { SessionLog } from '../sessions/session-log.ts'
import type { RunContext } from './run-context.ts'
import type { RunJournal } from './run-journal.ts'

export class RunLetters implements TurnLetters, Disposable {
  readonly #context: RunContext
  readonly #journal: RunJournal
  #over = false
  /** A letter may wait that wasn't looked for yet. */
  #unread = true
  #change = Promise.withResolvers<void>()

  constructor(context: RunContext, journal: RunJournal) {
    this.#context = context
    this.#journal = journal
  }

  get #log(): SessionLog {
    return this.#context.session.log
  }

  read(): readonly Letter[] {
    const letters = this.#waiting()
    this.#unread = false
    return letters.filter((letter) => this.#journal.receive(letter))
  }

  expected(): boolean {
    return this.#unread || this.#context.atWork() > 0
  }

  async next(signal: AbortSignal): Promise<readonly Letter[] | undefined> {
    const context = this.#context
    const aborted = Promise.withResolvers<void>()
    const abort = (): void => aborted.resolve()
    using scope = new DisposableStack()
    signal.addEventListener('abort', abort)
    scope.defer(() => signal.removeEventListener('abort', abort))
    while (!signal.aborted && !this.#over) {
      const { promise } = this.#change
      if (this.#waiting().length > 0) {
        await Promise.race([context.slotReturned(), aborted.promise])
        if (signal.aborted) break
        const letters = this.read()
        if (letters.length > 0) return letters
        // Another took them; or they can't be recorded, and then the run is being stopped.
        continue
      }
      if (context.atWork() === 0) break
      await Promise.race([promise, aborted.promise])
    }
    return undefined
  }

  /** A letter to the session was posted. */
  arrived(): void {
    this.#unread = true
    this.look()
  }

  /** Something has changed below this run. */
  look(): void {
    this.#change.resolve()
    this.#change = Promise.withResolvers<void>()
  }

  /** In a transaction of this log, so that it comes before the notice of the run's end. */
  report(text: string): void {
    const { header, registers } = this.#log
    const { id: from, parentId: to, label } = header
    if (this.#over || to === undefined || registers.descriptor?.mode !== 'kept') throw cannotReport(from)
    const at = this.#context.surroundings.now()
    this.#journal.report({ to, from, at, kind: 'report', text, ...present({ label }) })
  }

  #waiting(): readonly Letter[] {
    if (this.#over || !this.#unread) return []
    const { store } = this.#context.surroundings
    return store.letters(this.#log.id).filter(({ kind }) => kind === 'report' || kind === 'settled')
  }

  /** The turn is over: nothing is read or told any more. */
  [Symbol.dispose](): void {
    this.#over = true
    this.look()
  }
}

const cannotReport = (sessionId: SessionId): SubagentError =>
  new SubagentError(
    'INVALID_REQUEST',
    'prompt',
    `The session ${sessionId} can't report: only a kept child whose run is open has a parent that waits for reports. Say it in the answer.`,
    { field: 'text' },
  )
