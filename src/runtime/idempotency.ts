/** Starts with an idempotency key: the same key gives the existing run, for a day. */
import { hash } from 'node:crypto'
import { SubagentError } from '../contract/errors.ts'
import type { SubagentStartRequest } from '../contract/request.ts'
import type { StartOptions, SubagentRun } from '../contract/run.ts'
import { cancelledStart } from './setup.ts'

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

export class Idempotency {
  /** Oldest first. */
  readonly #known = new Map<string, SharedStart>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** The same key with another request is `INVALID_REQUEST`; a start that was rejected frees its key. */
  once(
    request: SubagentStartRequest,
    options: StartOptions,
    start: (options: StartOptions) => Promise<SubagentRun>,
  ): Promise<SubagentRun> {
    const key = request.idempotencyKey
    if (key === undefined) return start(options)
    this.#forget(({ at }) => this.#now() - at >= REMEMBERED_MS)
    const digest = hash('sha256', JSON.stringify(request))
    const before = this.#known.get(key)
    if (before === undefined) {
      this.#forget(() => this.#known.size >= MOST)
      const shared = new SharedStart(digest, this.#now(), (signal) => start({ ...options, signal }))
      this.#known.set(key, shared)
      shared.run.catch(() => this.#known.get(key) === shared && this.#known.delete(key))
      return shared.join(options.signal)
    }
    if (before.digest === digest) return before.join(options.signal)
    throw new SubagentError(
      'INVALID_REQUEST',
      'request',
      `The idempotency key "${key}" was used for another request. Use a new key for a new request.`,
      { field: 'idempotencyKey' },
    )
  }

  /** From the oldest on, as long as they are to go. */
  #forget(goes: (shared: SharedStart) => boolean): void {
    for (const [key, shared] of this.#known) {
      if (!goes(shared)) return
      this.#known.delete(key)
    }
  }
}
