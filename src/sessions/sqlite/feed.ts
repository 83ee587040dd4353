/** Tells who listens of what was committed: by this process at once, by others as soon as a look at the file shows it. */
import type { SessionId } from '../../contract/ids.ts'
import type { Connection } from './connection.ts'
import { Listeners } from './listeners.ts'

/** A look costs a few microseconds. */
const LOOK_MS = 40

export class Feed {
  readonly faults: Listeners<SessionId, [fault: Error]>
  readonly #commits: Listeners<SessionId, [lastSeq: number]>
  readonly #letters: Listeners<SessionId, []>
  readonly #changes: Listeners<'all', [elsewhere: boolean]>
  readonly #connection: Connection
  readonly #isHeld: (id: SessionId) => boolean
  readonly #alone: boolean
  /** The last that those who listen were told of. */
  readonly #lastSeq = new Map<SessionId, number>()
  readonly #lastLetter = new Map<SessionId, number>()
  readonly #noted = new Map<SessionId, number>()
  readonly #notedLetters = new Set<SessionId>()
  #version = 0
  #timer: NodeJS.Timeout | undefined

  /** `alone`: no other process can write. */
  constructor(
    connection: Connection,
    isHeld: (id: SessionId) => boolean,
    alone: boolean,
    threw: (error: unknown) => void,
  ) {
    this.#connection = connection
    this.#isHeld = isHeld
    this.#alone = alone
    this.faults = new Listeners(threw)
    this.#commits = new Listeners(threw)
    this.#letters = new Listeners(threw)
    this.#changes = new Listeners(threw)
  }

  onCommit(id: SessionId, listener: (lastSeq: number) => void): Disposable {
    this.#begin()
    if (!this.#alone && !this.#commits.has(id)) this.#lastSeq.set(id, this.#storedSeq(id))
    const listening = this.#commits.add(id, listener)
    this.look()
    return {
      [Symbol.dispose]: () => {
        listening[Symbol.dispose]()
        if (!this.#commits.has(id)) this.#lastSeq.delete(id)
      },
    }
  }

  onLetter(to: SessionId, listener: () => void): Disposable {
    this.#begin()
    if (!this.#alone && !this.#letters.has(to)) this.#lastLetter.set(to, this.#storedLetter(to))
    const listening = this.#letters.add(to, listener)
    this.look()
    return {
      [Symbol.dispose]: () => {
        listening[Symbol.dispose]()
        if (!this.#letters.has(to)) this.#lastLetter.delete(to)
      },
    }
  }

  onChange(listener: (elsewhere: boolean) => void): Disposable {
    this.#begin()
    const listening = this.#changes.add('all', listener)
    this.look()
    return listening
  }

  listensTo(id: SessionId): boolean {
    return this.#commits.has(id)
  }

  /** What the transaction that was just committed has written; `committed` tells of it. */
  note(id: SessionId, lastSeq: number): void {
    this.#noted.set(id, lastSeq)
  }

  noteLetter(to: SessionId): void {
    this.#notedLetters.add(to)
  }

  tellOf(id: SessionId, lastSeq: number): void {
    if (this.#lastSeq.has(id)) this.#lastSeq.set(id, lastSeq)
    this.#commits.tell(id, lastSeq)
  }

  committed(): void {
    const noted = [...this.#noted]
    const letters = [...this.#notedLetters]
    this.#noted.clear()
    this.#notedLetters.clear()
    for (const [id, lastSeq] of noted) this.tellOf(id, lastSeq)
    for (const to of letters) this.#letters.tell(to)
    this.#changes.tell('all', false)
  }

  /** Goes on looking while somebody listens to what another process could write. */
  look(): void {
    if (this.#timer !== undefined || !this.#mustLook()) return
    this.#timer = setInterval(() => this.#tick(), LOOK_MS).unref()
  }

  [Symbol.dispose](): void {
    this.#stop()
    for (const each of [this.faults, this.#commits, this.#letters, this.#changes]) each.clear()
  }

  /** The version from which on is looked; what is asked of the file after that can't be missed. */
  #begin(): void {
    if (this.#timer !== undefined || this.#alone) return
    this.#version = this.#connection.read(() => this.#connection.dataVersion)
  }

  #mustLook(): boolean {
    if (this.#alone || !this.#connection.isOpen) return false
    if (this.#changes.size > 0 || this.#letters.size > 0) return true
    return this.#commits.keys().some((id) => !this.#isHeld(id))
  }

  #tick(): void {
    if (!this.#mustLook()) return this.#stop()
    try {
      const version = this.#connection.dataVersion
      if (version === this.#version) return
      for (const id of this.#commits.keys()) if (!this.#isHeld(id)) this.#lookAt(id)
      for (const to of this.#letters.keys()) this.#lookFor(to)
      this.#version = version
    } catch {
      // What can't be read now is read at the next look; who needs it more urgently reads itself, and hears why.
      return
    }
    this.#changes.tell('all', true)
  }

  #lookAt(id: SessionId): void {
    const seq = this.#storedSeq(id)
    if (seq === this.#lastSeq.get(id)) return
    this.#lastSeq.set(id, seq)
    this.#commits.tell(id, Math.max(seq, 0))
  }

  #lookFor(to: SessionId): void {
    const letter = this.#storedLetter(to)
    if (letter <= (this.#lastLetter.get(to) ?? 0)) return
    this.#lastLetter.set(to, letter)
    this.#letters.tell(to)
  }

  #stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** -1: there is no such session. */
  #storedSeq(id: SessionId): number {
    const query = 'select last_seq as seq from sessions where id = ?'
    return this.#connection.read(() => this.#connection.one<{ seq: number }>(query, id)?.seq ?? -1)
  }

  #storedLetter(to: SessionId): number {
    const query = 'select max(id) as id from letters where recipient = ?'
    return this.#connection.read(() => this.#connection.one<{ id: number | null }>(query, to)?.id ?? 0)
  }
}
