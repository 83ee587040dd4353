/** Agent processes that sessions share: kept warm for a while after the last one, and replaced after a crash. */
import type { ProcessOwner } from '../contract/process-record.ts'
import { after } from '../contract/timer.ts'

/** Milliseconds that a process without sessions is kept for the next one. */
export const IDLE_MS = 60_000
/** What an agent runs for itself at a session's start is over by then. */
const QUIET_MS = 2000

/** A process with an agent in it that takes several sessions. */
export interface Hosting {
  /** False once it takes no more requests. */
  readonly alive: boolean
  /** Resolves then. */
  readonly lost: Promise<unknown>
  /** Ends the process tree; says what escaped. */
  stop(): Promise<readonly number[]>
}

export interface PoolOptions<Host extends Hosting> {
  readonly warm: boolean
  /** Whom a process works for has changed; nobody: it is kept for the next one. */
  readonly host: (host: Host, owners: readonly ProcessOwner[]) => void
  /** False: something that no session owned still runs below it. */
  readonly isClean: (host: Host) => boolean
  /** 0: none is kept, but sessions at one time share one. */
  readonly idleMs?: number
  readonly quietMs?: number
}

interface Place<Host extends Hosting> {
  readonly host: Promise<Host>
  readonly owners: ProcessOwner[]
  idle: Disposable | undefined
}

export interface Lease<Host extends Hosting> {
  readonly host: Host
  /** It was there before, and may be gone by the first request. */
  readonly reused: boolean
  /** Where what runs in the process can't be told apart, it is taken for this owner's from now on. */
  foremost(): void
  /** Nobody gets this process any more: it doesn't answer as it should. */
  retire(): void
  /** The last one gives the process up, at once or after its idle time. Resolves with the pids that escaped. */
  release(): Promise<readonly number[]>
}

export class WarmPool<Host extends Hosting> implements AsyncDisposable {
  readonly #options: PoolOptions<Host>
  readonly #places = new Map<string, Place<Host>>()

  constructor(options: PoolOptions<Host>) {
    this.#options = options
  }

  /** One with the same key if it lives, else a new one. Rejects with what `start` rejects with. */
  async lease(key: string, owner: ProcessOwner, start: () => Promise<Host>): Promise<Lease<Host>> {
    const known = this.#places.get(key)
    const place: Place<Host> = known ?? { host: start(), owners: [], idle: undefined }
    if (known === undefined) this.#places.set(key, place)
    place.owners.push(owner)
    place.idle?.[Symbol.dispose]()
    place.idle = undefined
    try {
      const host = await place.host
      if (!host.alive) throw new Gone()
      void host.lost.then(() => this.#evict(key, place))
      this.#options.host(host, [...place.owners])
      return {
        host,
        reused: known !== undefined,
        foremost: () => {
          drop(place, owner)
          place.owners.unshift(owner)
          this.#options.host(host, [...place.owners])
        },
        retire: () => this.#evict(key, place),
        release: once(() => this.#release(key, place, owner, host)),
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
        await (await place.host).stop()
      }),
    )
  }

  async #release(
    key: string,
    place: Place<Host>,
    owner: ProcessOwner,
    host: Host,
  ): Promise<readonly number[]> {
    drop(place, owner)
    const { warm, idleMs = IDLE_MS } = this.#options
    if (place.owners.length === 0) {
      const kept = warm && idleMs > 0 && host.alive && this.#places.get(key) === place
      if (!kept) return this.#give(key, place, host)
      this.#keep(key, place, host)
    }
    this.#options.host(host, [...place.owners])
    return []
  }

  /** What is left below an idle process would live as long as it does: then it isn't kept. */
  #keep(key: string, place: Place<Host>, host: Host): void {
    const { isClean, idleMs = IDLE_MS, quietMs = QUIET_MS } = this.#options
    const give = (): void => void this.#give(key, place, host)
    const look = (): void => {
      if (isClean(host)) place.idle = after(Math.max(idleMs - quietMs, 0), give, { idle: true })
      else give()
    }
    place.idle = after(Math.min(quietMs, idleMs), look, { idle: true })
  }

  async #give(key: string, place: Place<Host>, host: Host): Promise<readonly number[]> {
    this.#evict(key, place)
    return host.stop()
  }

  #evict(key: string, place: Place<Host>): void {
    place.idle?.[Symbol.dispose]()
    if (this.#places.get(key) === place) this.#places.delete(key)
  }
}

class Gone extends Error {}

const drop = (place: Pick<Place<Hosting>, 'owners'>, owner: ProcessOwner): void => {
  const at = place.owners.indexOf(owner)
  if (at >= 0) place.owners.splice(at, 1)
}

const once = (release: () => Promise<readonly number[]>): (() => Promise<readonly number[]>) => {
  let released: Promise<readonly number[]> | undefined
  return () => (released ??= release())
}
