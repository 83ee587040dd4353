/** App-servers that are shared: one hosts many threads, is kept warm for a while, and is replaced after a crash. */
import type { ProcessOwner } from '../../contract/process-record.ts'
import { after } from '../../contract/timer.ts'
import type { CodexServer } from './server.ts'

/** Milliseconds that an app-server without threads is kept for the next one. */
export const IDLE_MS = 60_000
/** What Codex runs for itself at a thread's start is over by then. */
const QUIET_MS = 2000

export interface PoolOptions {
  readonly warm: boolean
  /** Whom a process works for has changed; nobody: it is kept for the next one. */
  readonly host: (server: CodexServer, owners: readonly ProcessOwner[]) => void
  /** False: something that no thread owned still runs below it. */
  readonly isClean: (server: CodexServer) => boolean
  readonly idleMs?: number
  readonly quietMs?: number
}

interface Place {
  readonly server: Promise<CodexServer>
  readonly owners: ProcessOwner[]
  idle: Disposable | undefined
}

export interface Lease {
  readonly server: CodexServer
  /** It was there before, and may be gone by the first request. */
  readonly reused: boolean
  /** Nobody gets this process any more: it doesn't answer as it should. */
  retire(): void
  /** The last one gives the process up, at once or after its idle time. Resolves with the pids that escaped. */
  release(): Promise<readonly number[]>
}

export class CodexPool implements AsyncDisposable {
  readonly #options: PoolOptions
  readonly #places = new Map<string, Place>()

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** One with the same key if it lives, else a new one. Rejects with what `start` rejects with. */
  async lease(key: string, owner: ProcessOwner, start: () => Promise<CodexServer>): Promise<Lease> {
    const known = this.#places.get(key)
    const place: Place = known ?? { server: start(), owners: [], idle: undefined }
    if (known === undefined) this.#places.set(key, place)
    place.owners.push(owner)
    place.idle?.[Symbol.dispose]()
    place.idle = undefined
    try {
      const server = await place.server
      if (!server.alive) throw new Gone()
      void server.lost.then(() => this.#evict(key, place))
      this.#options.host(server, [...place.owners])
      return {
        server,
        reused: known !== undefined,
        retire: () => this.#evict(key, place),
        release: once(() => this.#release(key, place, owner, server)),
      }
    } catch (error) {
      drop(place, owner)
      this.#evict(key, place)
      // Another start's own trouble, as its abort, is none of this one; nor is a death while nobody used it.
      if (known !== undefined) return this.lease(key, owner, start)
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

  async #release(
    key: string,
    place: Place,
    owner: ProcessOwner,
    server: CodexServer,
  ): Promise<readonly number[]> {
    drop(place, owner)
    const { warm, host } = this.#options
    if (place.owners.length === 0) {
      const kept = warm && server.alive && this.#places.get(key) === place
      if (!kept) return this.#give(key, place, server)
      this.#keep(key, place, server)
    }
    host(server, [...place.owners])
    return []
  }

  /** What is left below an idle process would live as long as it does: then it isn't kept. */
  #keep(key: string, place: Place, server: CodexServer): void {
    const { isClean, idleMs = IDLE_MS, quietMs = QUIET_MS } = this.#options
    const give = (): void => void this.#give(key, place, server)
    const look = (): void => {
      if (isClean(server)) place.idle = after(Math.max(idleMs - quietMs, 0), give, { idle: true })
      else give()
    }
    place.idle = after(Math.min(quietMs, idleMs), look, { idle: true })
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

const drop = (place: Place, owner: ProcessOwner): void => {
  const at = place.owners.indexOf(owner)
  if (at >= 0) place.owners.splice(at, 1)
}

const once = (release: () => Promise<readonly number[]>): (() => Promise<readonly number[]>) => {
  let released: Promise<readonly number[]> | undefined
  return () => (released ??= release())
}
