/** One connection to the database: cached statements, reads that wait a little, and immediate transactions. */
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'
import { closedStore, lockedFault, storeFault } from './faults.ts'
import { BUSY, patiently } from './patience.ts'

/** A read waits for nobody but a process that recovers or removes the write-ahead log, and that not for long. */
const READ_PATIENCE_MS = 30

export class Connection implements Disposable {
  readonly file: string
  /** Hears of every fault, before who asked does. */
  readonly #onFault: (error: unknown) => void
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  readonly #tuples = new Map<string, StatementSync>()

  constructor(db: DatabaseSync, file: string, onFault: (error: unknown) => void) {
    this.#db = db
    this.file = file
    this.#onFault = onFault
  }

  get isOpen(): boolean {
    return this.#db.isOpen
  }

  run(sql: string, ...values: readonly SQLInputValue[]): { readonly changes: number; readonly id: number } {
    const { changes, lastInsertRowid } = this.#statement(sql).run(...values)
    return { changes: Number(changes), id: Number(lastInsertRowid) }
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the query's author knows its rows
  one<Row>(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the query's author knows its rows
  all<Row>(sql: string, ...values: readonly SQLInputValue[]): readonly Row[] {
    return this.#statement(sql).all(...values) as Row[]
  }

  /** Rows as tuples of their columns: half the cost of `all`, for those of which there are many. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the query's author knows its rows
  tuples<Row extends readonly SQLOutputValue[]>(
    sql: string,
    ...values: readonly SQLInputValue[]
  ): readonly Row[] {
    let statement = this.#tuples.get(sql)
    if (statement === undefined) {
      statement = this.#db.prepare(sql)
      statement.setReturnArrays(true)
      this.#tuples.set(sql, statement)
    }
    return statement.all(...values) as unknown as Row[]
  }

  /** Runs a query outside a transaction; what fails is said in words. */
  read<T>(query: () => T): T {
    this.#checkOpen()
    try {
      const result = patiently(READ_PATIENCE_MS, query)
      if (result === BUSY) throw lockedFault(this.file)
      return result
    } catch (error) {
      this.#onFault(error)
      throw storeFault(error, this.file)
    }
  }

  /** All of `work`, or nothing. `BUSY` when others hold the lock for longer than `patienceMs`. Throws what failed, as it is. */
  write<T>(patienceMs: number, work: () => T): T | typeof BUSY {
    this.#checkOpen()
    const db = this.#db
    try {
      const begun = patiently(patienceMs, () => this.run('begin immediate'))
      if (begun === BUSY) return BUSY
      const result = work()
      this.run('commit')
      return result
    } catch (error) {
      // Some errors have ended the transaction already.
      if (db.isTransaction) db.exec('rollback')
      this.#onFault(error)
      throw error
    }
  }

  /** Grows with every row that this connection has changed. */
  get totalChanges(): number {
    return this.one<{ n: number }>('select total_changes() as n')?.n ?? 0
  }

  /** Another number once another connection has committed. */
  get dataVersion(): number {
    return this.one<{ data_version: number }>('pragma data_version')?.data_version ?? 0
  }

  [Symbol.dispose](): void {
    this.#statements.clear()
    this.#tuples.clear()
    if (this.#db.isOpen) this.#db.close()
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#db.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  #checkOpen(): void {
    if (this.#db.isOpen) return
    throw closedStore()
  }
}
