/** How far the editor has been told of each session, so that a request overtakes nothing that precedes it (law 8). */
import type { SessionId } from '../contract/ids.ts'

interface Waiting {
  readonly id: SessionId
  readonly seq: number
  readonly go: (told: boolean) => void
}

export class Progress {
  readonly #reached = new Map<SessionId, number>()
  readonly #waiting = new Set<Waiting>()
  #closed = false

  reached(id: SessionId, seq: number): void {
    this.#reached.set(id, seq)
    for (const waiting of this.#waiting)
      if (waiting.id === id && waiting.seq <= seq) this.#release(waiting, true)
  }

  /** Resolves when the editor has all events of the session up to this one; false: it won't, or nobody waits any more. */
  async told(id: SessionId, seq: number, signal: AbortSignal): Promise<boolean> {
    if (seq <= (this.#reached.get(id) ?? 0)) return true
    if (signal.aborted || this.#closed) return false
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const waiting = { id, seq, go: resolve }
    const leave = (): void => this.#release(waiting, false)
    this.#waiting.add(waiting)
    signal.addEventListener('abort', leave, { once: true })
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  /** Nobody who waits now is told any more. */
  end(): void {
    for (const waiting of this.#waiting) this.#release(waiting, false)
  }

  /** Nor is anybody who comes later. */
  close(): void {
    this.#closed = true
    this.end()
  }

  #release(waiting: Waiting, told: boolean): void {
    this.#waiting.delete(waiting)
    waiting.go(told)
  }
}
