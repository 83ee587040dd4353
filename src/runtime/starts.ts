/** The starts of one runtime that are on their way: closing waits for them, and a session takes one at a time. */
import { SubagentError } from '../contract/errors.ts'
import type { SessionId } from '../contract/ids.ts'
import type { NameLedger } from '../sessions/ledgers.ts'
import type { SessionStore } from '../sessions/store.ts'
import type { Admitted } from './admit.ts'
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
    { request: { origin, sessionId }, resolved }: Pick<Admitted, 'request' | 'resolved'>,
    sessions: ReadonlyMap<SessionId, LiveSession>,
  ): Disposable | undefined {
    if (origin.from !== 'resume') return undefined
    const live = sessions.get(sessionId)
    // Another follow-up may have come and gone since this one was resolved.
    if (live?.run !== undefined || live !== resolved.live || this.#takenUp.has(sessionId)) {
      throw sessionBusy(sessionId)
    }
    this.#takenUp.add(sessionId)
    return { [Symbol.dispose]: () => this.#takenUp.delete(sessionId) }
  }
}

/** What a start holds of the store until its run is published. */
export interface Claim extends Disposable {
  /** The run is published: what it holds stays. */
  keep(): void
}

const claimUntilKept = (giveBack: () => void): Claim => {
  let kept = false
  return {
    keep: () => {
      kept = true
    },
    [Symbol.dispose]: () => {
      if (!kept) giveBack()
    },
  }
}

/**
 * Holds a stored session for this process, or the name of a new one: another's hold, or its open run, is
 * `SESSION_BUSY`.
 */
export const claimStored = async (
  { registered, request, resolved }: Pick<Admitted, 'registered' | 'request' | 'resolved'>,
  store: SessionStore & NameLedger,
): Promise<Claim | undefined> => {
  const { origin, sessionId, cwd } = request
  if (origin.from === 'new' && origin.name !== undefined) {
    await store.claimName({ name: origin.name, provider: registered.provider.name, cwd, sessionId })
    return claimUntilKept(() => store.freeName(sessionId))
  }
  // What is live here is held already.
  if (origin.from !== 'resume' || resolved.live !== undefined) return undefined
  await store.claim(sessionId)
  return claimUntilKept(() => store.release(sessionId))
}

export const closed = (): SubagentError =>
  new SubagentError('CLOSED', 'request', 'The runtime is closed. Create another one to start runs.', {})
