/** App-servers that are shared: one hosts many threads, is kept warm for a while, and is replaced after a crash. */
import { after } from '../../contract/timer.ts'
import type { CodexServer } from './server.ts'

/** Milliseconds that an app-server without threads is kept for the next one. */
export const IDLE_MS = 60_000

interface Place {
  readonly server: Promise<CodexServer>
  users: number
  idle: Disposable | undefined
}

export interface Lease {
  readonly server: CodexServer
  /** The last one gives the process up, at once or after its idle time. Resolves with the pids that escaped. */
  release(): Promise<readonly number[]>
}

export class CodexPool implements AsyncDisposable {
  readonly #warm: boolean
  readonly #places = new Map<string, Place>()

  constructor(warm: boolean) {
    this.#warm = warm
  }

  /** Processes that wait for their next thread, for people. */
  get idle(): number {
    return [...this.#places.values()].filter(({ users }) => users === 0).length
  }

  /** One with the same key if it lives, else a new one. Rejects with what `start` rejects with. */
  async lease(key: string, start: () => Promise<CodexServer>): Promise<Lease> {
    const known = this.#places.get(key)
    const place: Place = known ?? { server: start(), users: 0, idle: undefined }
    if (known === undefined) this.#places.set(key, place)
    place.users += 1
    place.idle?.[Symbol.dispose]()
    place.idle = undefined
    try {
      const server = await place.server
      if (!server.alive) throw new Gone()
      void server.lost.then(() => this.#evict(key, place))
      return { server, release: once(() => this.#release(key, place, server)) }
    } catch (error) {
      this.#evict(key, place)
      // One crash at most: it died while nobody used it, and a fresh one takes its place.
      if (error instanceof Gone && known !== undefined) return this.lease(key, start)
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const places = [...this.#places]
    await Promise.allSettled(
      places.map(async ([key, place]) => {
        this.#evict(key, place)
        await (await place.server).stop()
      }),
    )
  }

  async #release(key: string, place: Place, server: CodexServer): Promise<readonly number[]> {
    place.users -= 1
    if (place.users > 0) return []
    if (this.#warm && server.alive) {
      place.idle = after(IDLE_MS, () => void this.#give(key, place, server), { idle: true })
      return []
    }
    return this.#give(key, place, server)
  }

  async #give(key: string, place: Place, server: CodexServer): Promise<readonly number[]> {
    this.#evict(key, place)
    return server.stop()
  }

  #evict(key: string, place: Place): void {
    place.idle?.[Symbol.dispose]()
    if (this.#places.get(key) === place) this.#places.delete(key)
  }
}

class Gone extends Error {}

const once = (release: () => Promise<readonly number[]>): (() => Promise<readonly number[]>) => {
  let released: Promise<readonly number[]> | undefined
  return () => (released ??= release())
}
