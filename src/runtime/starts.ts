/** The starts of one runtime that are on their way: closing waits for them, and a session takes one at a time. */
import type { SessionId } from '../contract/ids.ts'
import type { ResolvedStartRequest } from '../contract/request.ts'
import type { LiveSession } from './live-session.ts'
import { sessionBusy } from './resolve.ts'

export class Starts {
  readonly #onTheirWay = new Set<Promise<unknown>>()
  readonly #takenUp = new Set<SessionId>()

  track<T>(start: Promise<T>): Promise<T> {
    const tracked = start.finally(() => this.#onTheirWay.delete(tracked))
    this.#onTheirWay.add(tracked)
    return tracked
  }

  async ended(): Promise<void> {
    await Promise.allSettled(this.#onTheirWay)
  }

  /** Holds a session that is taken up until its run is published, so that two follow-ups can't both pass. */
  takeUp(
    { origin, sessionId }: ResolvedStartRequest,
    sessions: ReadonlyMap<SessionId, LiveSession>,
  ): Disposable | undefined {
    if (origin.from !== 'resume') return undefined
    if (sessions.get(sessionId)?.run !== undefined || this.#takenUp.has(sessionId)) {
      throw sessionBusy(sessionId)
    }
    this.#takenUp.add(sessionId)
    return { [Symbol.dispose]: () => this.#takenUp.delete(sessionId) }
  }
}
