/** Waiting for another process's transaction: short naps within a budget, so that the event loop isn't held long. */

/** What SQLite says when another connection holds the lock that is needed. */
const BUSY_CODES: ReadonlySet<number> = new Set([5, 6, 15])

export const BUSY: unique symbol = Symbol('busy')

/** SQLite's primary result code, if the error is one of its own. */
export const sqliteCode = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : undefined

export const isBusy = (error: unknown): boolean => BUSY_CODES.has(sqliteCode(error) ?? 0)

const cell = new Int32Array(new SharedArrayBuffer(4))

/** Other processes hold the lock for a fraction of a millisecond; naps differ so that none of them starves. */
const nap = (round: number): number => {
  const ms = Math.min(0.1 * 2 ** Math.min(round, 4), 1.5) * (0.5 + Math.random())
  Atomics.wait(cell, 0, 0, ms)
  return ms
}

/** Tries until it isn't busy or `ms` were slept away; then `BUSY`. */
export const patiently = <T>(ms: number, attempt: () => T): T | typeof BUSY => {
  for (let [slept, round] = [0, 0]; ; round += 1) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (slept >= ms) return BUSY
      slept += nap(round)
    }
  }
}
