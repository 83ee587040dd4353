/** The agent's clock, handed in so that a test can hold it. */
import { after } from '../contract/timer.ts'

export interface Clock {
  /** Resolves after `ms`, or as soon as the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  sleep: async (ms, signal) => {
    if (signal.aborted) return
    const over = Promise.withResolvers<void>()
    const abort = (): void => over.resolve()
    signal.addEventListener('abort', abort, { once: true })
    using _ = after(ms, over.resolve)
    await over.promise
    signal.removeEventListener('abort', abort)
  },
}
