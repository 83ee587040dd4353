/** Starts with an idempotency key: the same key gives the existing run. */
import { SubagentError } from '../contract/errors.ts'
import type { SubagentStartRequest } from '../contract/request.ts'
import type { SubagentRun } from '../contract/run.ts'

interface Known {
  readonly request: string
  readonly run: Promise<SubagentRun>
}

export class Idempotency {
  readonly #known = new Map<string, Known>()

  /** The same key with another request is `INVALID_REQUEST`; a start that was rejected frees its key. */
  once(request: SubagentStartRequest, start: () => Promise<SubagentRun>): Promise<SubagentRun> {
    const key = request.idempotencyKey
    if (key === undefined) return start()
    const asked = JSON.stringify(request)
    const before = this.#known.get(key)
    if (before === undefined) {
      const run = start()
      this.#known.set(key, { request: asked, run })
      run.catch(() => this.#known.delete(key))
      return run
    }
    if (before.request === asked) return before.run
    throw new SubagentError(
      'INVALID_REQUEST',
      'request',
      `The idempotency key "${key}" was used for another request. Use a new key for a new request.`,
      { field: 'idempotencyKey' },
    )
  }
}
