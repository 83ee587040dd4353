/** A timer of any length that never keeps the process alive. */

const LONGEST = 2 ** 31 - 1

/** Returns its stop. 0, an infinite and a missing limit never fire; beyond 2^31-1 ms it is re-armed. */
export const startTimer = (ms: number | undefined, fire: () => void): (() => void) => {
  if (ms === undefined || !Number.isFinite(ms) || ms <= 0) return () => {}
  let timer: NodeJS.Timeout
  const arm = (left: number): void => {
    const step = Math.min(left, LONGEST)
    timer = setTimeout(() => (left > step ? arm(left - step) : fire()), step).unref()
  }
  arm(ms)
  return () => clearTimeout(timer)
}
