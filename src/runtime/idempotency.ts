/** Starts with an idempotency key: the same key gives the existing run, for a day. */
import { hash } from 'node:crypto'
import { SubagentError } from '../contract/errors.ts'
import type { SubagentStartRequest } from '../contract/request.ts'
import type { SubagentRun } from '../contract/run.ts'
import type { InnerStartOptions } from './options.ts'
import { after } from '../contract/timer.ts'
import type { Store } from '../sessions/store.ts'
import { cancelledStart } from './setup.ts'
import { StoredRun } from './stored-run.ts'

/** A key is remembered so long, and no more than so many of them. */
const REMEMBERED_MS = 24 * 60 * 60 * 1000
const MOST = 1000

/** One start that several callers may wait for; it is stopped only when all of them have left. */
class SharedStart {
  readonly digest: string
  readonly at: number
  readonly run: Promise<SubagentRun>
  readonly #abort = new AbortController()
  #callers = 0

  constructor(digest: string, at: number, start: (signal: AbortSignal) => Promise<SubagentRun>) {
    this.digest = digest
    this.at = at
    this.run = start(this.#abort.signal)
  }

  join(signal: AbortSignal | undefined): Promise<SubagentRun> {
    this.#callers += 1
    if (signal === undefined) return this.run
    const left = Promise.withResolvers<never>()
    left.promise.catch(() => {})
    const leave = (): void => {
      this.#callers -= 1
      // The last one hears how the start itself ends, as then nothing is left of it.
      if (this.#callers === 0) this.#abort.abort(signal.reason)
      else left.reject(cancelledStart(signal))
    }
    if (signal.aborted) leave()
    else {
      signal.addEventListener('abort', leave, { once: true })
      void this.#over().then(() => signal.removeEventListener('abort', leave))
    }
    return Promise.race([left.promise, this.run])
  }

  async #over(): Promise<void> {
    await this.run.then(
      ({ result }) => result,
      () => {},
    )
  }
}

/** What of the store the keys need: it knows them over all processes of the user. */
export interface KeyHouse {
  readonly store: Store
  readonly now: () => number
}

export class Idempotency {
  /** The starts of this process, oldest first: they are shared as they are. */
  readonly #known = new Map<string, SharedStart>()
  readonly #house: KeyHouse

  constructor(house: KeyHouse) {
    this.#house = house
  }

  /** The same key with another request is `INVALID_REQUEST`; a start that was rejected frees its key. */
  once(
    request: SubagentStartRequest,
    options: InnerStartOptions,
    start: (options: InnerStartOptions) => Promise<SubagentRun>,
  ): Promise<SubagentRun> {
    const key = request.idempotencyKey
    if (key === undefined) return start(options)
    const { now } = this.#house
    this.#forget(({ at }) => now() - at >= REMEMBERED_MS)
    const digest = hash('sha256', JSON.stringify(options.asked ?? request))
    const before = this.#known.get(key)
    if (before === undefined) {
      this.#forget(() => this.#known.size >= MOST)
      const begin = (signal: AbortSignal): Promise<SubagentRun> =>
        this.#everywhere(key, digest, signal, () =>
          start({ ...options, signal, together: { ...options.together, key } }),
        )
      const shared = new SharedStart(digest, now(), begin)
      this.#known.set(key, shared)
      shared.run.catch(() => this.#known.get(key) === shared && this.#known.delete(key))
      return shared.join(options.signal)
    }
    if (before.digest === digest) return before.join(options.signal)
    throw usedOtherwise(key)
  }

  /** Starts unless some process has started the same; then its run is read from the store. */
  async #everywhere(
    key: string,
    digest: string,
    signal: AbortSignal,
    start: () => Promise<SubagentRun>,
  ): Promise<SubagentRun> {
    const { store, now } = this.#house
    for (;;) {
      // Looked at first: to wait for another process must write nothing.
      const known = store.usedKey(key)
      if (known?.alive === true && known.run === undefined && known.digest === digest) {
        await changed(store, signal)
        continue
      }
      const used = await store.takeKey(key, digest, now(), now() - REMEMBERED_MS + 1)
      if (used === undefined) break
      if (used.digest !== digest) throw usedOtherwise(key)
      const row = used.run && store.run(used.run)
      if (row !== undefined) return new StoredRun(row, store, now)
      // Its run was removed meanwhile, so that nothing can be given for it.
      if (used.run !== undefined) store.freeKey(key)
    }
    try {
      return await start()
    } catch (error) {
      store.freeKey(key)
      throw error
    }
  }

  /** From the oldest on, as long as they are to go. */
  #forget(goes: (shared: SharedStart) => boolean): void {
    for (const [key, shared] of this.#known) {
      if (!goes(shared)) return
      this.#known.delete(key)
    }
  }
}

const usedOtherwise = (key: string): SubagentError =>
  new SubagentError(
    'INVALID_REQUEST',
    'request',
    `The idempotency key "${key}" was used for another request. Use a new key for a new request.`,
    { field: 'idempotencyKey' },
  )

/** The other process tells nobody when it dies: now and then is looked again. */
const LOOK_AGAIN_MS = 1000
const PAUSE_MS = 25

/** Resolves with the next change of the store, or after a while; rejects on abort. */
const changed = async (store: Pick<Store, 'onChange'>, signal: AbortSignal): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  using scope = new DisposableStack()
  // Not at once: a burst of commits is one change.
  scope.use(store.onChange(() => scope.use(after(PAUSE_MS, resolve))))
  scope.use(after(LOOK_AGAIN_MS, resolve))
  const abort = (): void => reject(cancelledStart(signal))
  signal.addEventListener('abort', abort)
  scope.defer(() => signal.removeEventListener('abort', abort))
  if (signal.aborted) abort()
  await promise
}
