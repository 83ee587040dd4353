/** Requests of ours that wait for their answer, each with its limit. */
import type { ErrorPhase } from '../contract/errors.ts'
import type { RpcId } from './message.ts'
import { RpcTimeout } from './rpc-error.ts'
import { startTimer } from './timer.ts'

export interface RequestOptions {
  /** Aborting sends `$/cancel_request` and goes on waiting for the answer. Aborted before: nothing is sent. */
  readonly signal?: AbortSignal
  /** Rejects with `RpcTimeout`; the answer is dropped when it comes later. 0 or absent = none. */
  readonly timeoutMs?: number
  /** Phase of the error when the answer is over the size limit; `prompt` when absent. */
  readonly phase?: ErrorPhase
  /** Called when the answer's line has been read, before any later line is handled. */
  readonly onReply?: () => void
}

export interface Waiting {
  readonly method: string
  readonly phase: ErrorPhase
  readonly onReply?: () => void
  resolve(result: unknown): void
  reject(error: unknown): void
}

export type Unmatched = 'late_answer' | 'duplicate_answer' | 'unknown_answer'

export class PendingRequests {
  readonly #waiting = new Map<RpcId, Waiting & { stop(): void }>()
  /** Given up by their limit; their first answer is late, not a duplicate. */
  readonly #expired = new Set<RpcId>()
  #next = 0

  get size(): number {
    return this.#waiting.size
  }

  nextId(): number {
    this.#next += 1
    return this.#next - 1
  }

  add(id: number, method: string, options: RequestOptions, cancel: () => void): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const { signal, timeoutMs, onReply, phase = 'prompt' } = options
      const stopTimer = startTimer(timeoutMs, () => {
        this.#remove(id)
        this.#expired.add(id)
        reject(new RpcTimeout(method, timeoutMs ?? 0))
      })
      signal?.addEventListener('abort', cancel, { once: true })
      const stop = (): void => {
        stopTimer()
        signal?.removeEventListener('abort', cancel)
      }
      this.#waiting.set(id, { method, phase, resolve, reject, stop, ...(onReply && { onReply }) })
    })
  }

  /** Takes the request that an answer names out of the table. */
  take(id: RpcId): Waiting | Unmatched {
    const waiting = this.#remove(id)
    if (waiting !== undefined) return waiting
    if (this.#expired.delete(id)) return 'late_answer'
    const wasOurs = typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < this.#next
    return wasOurs ? 'duplicate_answer' : 'unknown_answer'
  }

  has(id: RpcId): boolean {
    return this.#waiting.has(id)
  }

  rejectAll(reason: unknown): void {
    for (const id of this.#waiting.keys()) this.#remove(id)?.reject(reason)
  }

  /** Rejects one whose request couldn't be sent. */
  fail(id: RpcId, error: unknown): void {
    this.#remove(id)?.reject(error)
  }

  #remove(id: RpcId): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) return undefined
    this.#waiting.delete(id)
    waiting.stop()
    return waiting
  }
}
