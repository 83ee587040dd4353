/** What gateways left that have died: at a start, and later on where only time shows that they have (law 13). */
import { existsSync } from 'node:fs'
import type { Logger } from './contract/logger.ts'
import { after } from './contract/timer.ts'
import { retain } from './gateway-retention.ts'
import { storeFile } from './gateway-store.ts'
import type { Store } from './gateway-store.ts'
import { reapOrphans } from './process/reaper.ts'
import { recoverLost } from './runtime/recover.ts'

/** A little longer than it takes to know that a watched process is dead. */
const LOOK_AGAIN_MS = 65_000

export interface RecoveryOptions {
  readonly store: Store
  /** Handed in by the host, who looks after what is old in it. */
  readonly isForeign: boolean
  readonly stateDir: string
  /** Of sessions that nobody uses; 0 = for ever. */
  readonly retentionDays: number
  readonly log: Logger
}

export class Recovery implements Disposable {
  readonly #options: RecoveryOptions
  #watching: Disposable | undefined

  constructor(options: RecoveryOptions) {
    this.#options = options
  }

  /** First their processes end, then their runs are settled. Never rejects. */
  async begin(): Promise<void> {
    const { store, isForeign, stateDir, retentionDays: days, log } = this.#options
    try {
      await reapOrphans(stateDir)
      if (!isForeign && !existsSync(storeFile(stateDir))) return
      await recoverLost({ store, now: Date.now, log })
      this.#lookAgain()
      if (isForeign) return
      await retain({ store, stateDir, days, now: Date.now() })
    } catch (error) {
      log.warn({ error }, 'what an earlier gateway left could not be cleaned up')
    }
  }

  [Symbol.dispose](): void {
    this.#watching?.[Symbol.dispose]()
  }

  /** A gateway that can only be watched shows after a while whether it lives. */
  #lookAgain(): void {
    const { store, log } = this.#options
    if (store.suspects() === 0) return
    const look = async (): Promise<void> => {
      try {
        await recoverLost({ store, now: Date.now, log })
        this.#lookAgain()
      } catch (error) {
        log.warn({ error }, 'what another gateway left could not be looked for again')
      }
    }
    this.#watching = after(LOOK_AGAIN_MS, () => void look(), { idle: true })
  }
}
