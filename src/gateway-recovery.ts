/** Looks again, after a while, for what another gateway left: one that can only be watched shows late whether it lives. */
import type { Logger } from './contract/logger.ts'
import { after } from './contract/timer.ts'
import { recoverLost } from './runtime/recover.ts'
import type { Store } from './sessions/store.ts'

/** A little longer than it takes to know that a watched process is dead. */
const LOOK_AGAIN_MS = 65_000

/** Goes on while there is anyone to watch; disposing it ends that. */
export const lookAgain = (store: Store, log: Logger): Disposable => {
  let next: Disposable | undefined
  let ended = false
  const plan = (): void => {
    if (!ended && store.suspects() > 0) next = after(LOOK_AGAIN_MS, () => void look(), { idle: true })
  }
  const look = async (): Promise<void> => {
    try {
      await recoverLost({ store, now: Date.now, log })
      plan()
    } catch (error) {
      log.warn({ error }, 'what another gateway left could not be looked for again')
    }
  }
  plan()
  return {
    [Symbol.dispose]: () => {
      ended = true
      next?.[Symbol.dispose]()
    },
  }
}
