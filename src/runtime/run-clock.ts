/** The idle and total limits of one run. */
import type { ResolvedStartRequest } from '../contract/request.ts'
import { after } from '../contract/timer.ts'

export interface ClockLimits {
  /** Milliseconds; 0 = none. */
  readonly idleMs: number
  readonly totalMs: number
}

/** What the run was asked to keep to, else the host's defaults. */
export const clockLimits = (
  { limits: own }: Pick<ResolvedStartRequest, 'limits'>,
  { limits: host }: { readonly limits: ClockLimits },
): ClockLimits => ({ idleMs: own.idleMs ?? host.idleMs, totalMs: own.totalMs ?? host.totalMs })

export type Expired = 'idle' | 'total'

export class RunClock implements Disposable {
  readonly #idleMs: number
  readonly #expired: (which: Expired) => void
  readonly #isPaused: () => boolean
  readonly #now: () => number
  readonly #total: Disposable | undefined
  #idle: Disposable | undefined
  #lastSign: number
  #held = 0

  /** While `isPaused`, as with a running tool or an open permission, the idle limit doesn't count. */
  constructor(
    limits: ClockLimits,
    now: () => number,
    isPaused: () => boolean,
    expired: (which: Expired) => void,
  ) {
    this.#idleMs = limits.idleMs
    this.#now = now
    this.#isPaused = isPaused
    this.#expired = expired
    this.#lastSign = now()
    if (limits.totalMs > 0) this.#total = after(limits.totalMs, () => expired('total'))
    if (limits.idleMs > 0) this.#watch(limits.idleMs)
  }

  /** The run gave a sign of life. Cheap: no timer is set anew. */
  sign(): void {
    this.#lastSign = this.#now()
  }

  /** While readers are behind, it isn't the agent that is silent. */
  async hold(wait: Promise<void>): Promise<void> {
    this.#held += 1
    await wait
    this.#held -= 1
    this.sign()
  }

  #watch(ms: number): void {
    this.#idle = after(ms, () => {
      if (this.#held > 0 || this.#isPaused()) this.sign()
      const left = this.#lastSign + this.#idleMs - this.#now()
      if (left <= 0) this.#expired('idle')
      else this.#watch(left)
    })
  }

  [Symbol.dispose](): void {
    this.#idle?.[Symbol.dispose]()
    this.#total?.[Symbol.dispose]()
  }
}
