/** Whose each process below a shared one is, told by who was at work when it appeared. */
import type { ProcessRow } from './process-table.ts'

/** A piece of work in the process, such as one turn: it belongs to somebody who may do several. */
export interface Work {
  readonly of: object
}

interface Seen {
  readonly row: ProcessRow
  /** Any of them may have started it; empty: nobody was at work. Undefined: the host's own, there from the start. */
  readonly by: ReadonlySet<Work> | undefined
}

const NOBODY: ReadonlySet<Work> = new Set()

export class Attribution {
  readonly #atWork = new Set<Work>()
  readonly #present = new Set<object>()
  #seen: ReadonlyMap<number, Seen>

  /** What runs below the host before anybody works in it is its own. */
  constructor(own: readonly ProcessRow[]) {
    this.#seen = new Map(own.map((row) => [row.pid, { row, by: undefined }]))
  }

  begin(work: Work, rows: readonly ProcessRow[]): void {
    this.#look(rows)
    this.#present.add(work.of)
    this.#atWork.add(work)
  }

  end(work: Work, rows: readonly ProcessRow[]): void {
    this.#look(rows)
    this.#atWork.delete(work)
  }

  /** From now on what it alone can have started is nobody's. */
  leave(who: object, rows: readonly ProcessRow[]): void {
    this.#look(rows)
    this.#present.delete(who)
    for (const work of this.#atWork) if (work.of === who) this.#atWork.delete(work)
  }

  /** What this piece of work alone can have started. */
  startedBy(work: Work, rows: readonly ProcessRow[]): readonly ProcessRow[] {
    return this.#which(rows, (by) => by.size === 1 && by.has(work))
  }

  /** What nobody who is still there can have started. */
  strays(rows: readonly ProcessRow[]): readonly ProcessRow[] {
    return this.#which(rows, (by) =>
      by.size === 0 ? this.#present.size === 0 : [...by].every(({ of }) => !this.#present.has(of)),
    )
  }

  #which(rows: readonly ProcessRow[], fits: (by: ReadonlySet<Work>) => boolean): readonly ProcessRow[] {
    this.#look(rows)
    return rows.filter(({ pid }) => {
      const by = this.#seen.get(pid)?.by
      return by !== undefined && fits(by)
    })
  }

  #look(rows: readonly ProcessRow[]): void {
    const table = new Map(rows.map((row) => [row.pid, row]))
    const seen = new Map<number, Seen>()
    const judge = (row: ProcessRow): Seen => {
      const before = seen.get(row.pid) ?? this.#seen.get(row.pid)
      if (before !== undefined && before.row.startTime === row.startTime) return before
      const parent = table.get(row.parent)
      // Put in before its parent is judged: a table that was read while it changed may hold a ring.
      const found: Seen = { row, by: NOBODY }
      seen.set(row.pid, found)
      return { row, by: this.#byOf(parent === undefined ? undefined : judge(parent).by) }
    }
    for (const row of rows) seen.set(row.pid, judge(row))
    this.#seen = seen
  }

  /** A child is of its parent's people: those of them who are at work, else those who started the parent. */
  #byOf(parent: ReadonlySet<Work> | undefined): ReadonlySet<Work> {
    if (parent === undefined || parent.size === 0) return new Set(this.#atWork)
    const people = new Set([...parent].map(({ of }) => of))
    const working = [...this.#atWork].filter(({ of }) => people.has(of))
    return working.length === 0 ? parent : new Set(working)
  }
}
