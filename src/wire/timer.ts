/** The limit of a request: a timer that never keeps the process alive. */
import { after } from '../contract/timer.ts'

/** Returns its stop. 0, an infinite and a missing limit never fire. */
export const startTimer = (ms: number | undefined, fire: () => void): (() => void) => {
  if (ms === undefined || !Number.isFinite(ms) || ms <= 0) return () => {}
  const timer = after(ms, fire, { idle: true })
  return () => timer[Symbol.dispose]()
}
