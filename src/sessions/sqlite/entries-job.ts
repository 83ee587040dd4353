/** Entries of one session on their way into the database, with what is written in their transaction. */
import type { LogEntry } from '../../contract/events.ts'
import type { RunId, SessionId } from '../../contract/ids.ts'
import type { LetterId, NewLetter } from '../../contract/letters.ts'
import { IllegalOrder } from '../automaton.ts'
import type { Registers } from '../registers.ts'
import type { Together } from '../store.ts'
import type { Core } from './core.ts'
import { insertEvents, textOf } from './event-rows.ts'
import type { Held } from './held.ts'
import { bindKey } from './keys.ts'
import { insertLetter, takeLetter } from './letters.ts'
import { enter } from './owners.ts'
import { indexRun } from './run-rows.ts'
import { insertSession } from './session-rows.ts'
import type { Job } from './write-queue.ts'

/** A longer burst becomes several jobs. */
const MOST = 256

export class EntriesJob implements Job {
  readonly #core: Core
  readonly #held: Held
  readonly #publishes: boolean
  readonly #entries: LogEntry[] = []
  readonly #texts: string[] = []
  #characters = 0
  readonly #post: NewLetter[] = []
  readonly #deliver: LetterId[] = []
  readonly #keys: (readonly [key: string, run: RunId])[] = []
  readonly #after: number
  #registers: Registers
  /** It is committed, or never will be. */
  over = false

  constructor(core: Core, held: Held, publishes: boolean) {
    this.#core = core
    this.#held = held
    this.#publishes = publishes
    this.#after = held.taken
    this.#registers = held.registers
    held.jobs += 1
  }

  get session(): SessionId {
    return this.#held.id
  }

  get weight(): number {
    return Math.max(this.#entries.length, 1)
  }

  /** Whether the next entry of the session can still join. */
  takes(held: Held): boolean {
    return !this.over && this.#held === held && this.#entries.length < MOST
  }

  add(entry: LogEntry, registers: Registers, together?: Together): void {
    const text = textOf(entry)
    this.#entries.push(entry)
    this.#texts.push(text)
    this.#characters += text.length
    this.#registers = registers
    this.#held.taken = entry.seq
    this.#held.registers = registers
    if (together !== undefined) this.#goWith(entry, together)
  }

  #goWith({ runId }: LogEntry, { post = [], deliver = [], key }: Together): void {
    this.#post.push(...post)
    this.#deliver.push(...deliver)
    if (key !== undefined && runId !== undefined) this.#keys.push([key, runId])
    for (const letter of deliver) this.#held.delivering.add(letter)
  }

  write(): void {
    const { connection } = this.#core
    const key = this.#publishes ? this.#insert() : this.#update()
    insertEvents(connection, key, this.#entries, this.#texts)
    for (const entry of this.#entries) indexRun(connection, key, entry)
    for (const letter of this.#post) insertLetter(connection, letter)
    for (const letter of this.#deliver) takeLetter(connection, this.session, letter)
    for (const [idempotencyKey, run] of this.#keys) bindKey(this.#core, idempotencyKey, run)
  }

  done(): void {
    const { tails, feed } = this.#core
    this.#held.committed = this.#last
    if (this.#entries.length > 0) tails.push(this.session, this.#entries, this.#characters)
    this.#end()
    this.#held.jobDone()
    feed.note(this.session, this.#last)
    for (const { to } of this.#post) feed.noteLetter(to)
  }

  failed(fault: Error): void {
    const { feed } = this.#core
    if (this.#publishes) this.#held.key = undefined
    this.#end()
    if (!this.#held.fail(fault)) return
    feed.faults.tell(this.session, fault)
    // Who follows a session that never was must hear that nothing comes.
    if (!this.#held.exists) feed.tellOf(this.session, this.#held.committed)
  }

  get #last(): number {
    return this.#after + this.#entries.length
  }

  get #at(): number {
    return this.#entries.at(-1)?.at ?? this.#held.header.createdAt
  }

  #insert(): number {
    const { connection, self } = this.#core
    enter(this.#core)
    const { header } = this.#held
    const key = insertSession(connection, {
      header,
      registers: this.#registers,
      lastSeq: this.#last,
      at: this.#at,
      owner: self.id,
    })
    this.#held.key = key
    return key
  }

  /** The row says whether the session still is this process's, and where its log ends. */
  #update(): number {
    const { connection, self } = this.#core
    const { key = -1 } = this.#held
    const { changes } = connection.run(
      `update sessions set registers = ?, last_seq = ?, updated_at = ?, open_run = ?
      where key = ? and owner = ? and last_seq = ?`,
      JSON.stringify(this.#registers),
      this.#last,
      this.#at,
      this.#registers.openRun ?? null,
      key,
      self.id,
      this.#after,
    )
    if (changes === 1) return key
    throw new IllegalOrder(
      `Event ${this.#after + 1} of session ${this.session} can't be written: another process took the session up.`,
    )
  }

  #end(): void {
    this.over = true
    for (const letter of this.#deliver) this.#held.delivering.delete(letter)
  }
}
