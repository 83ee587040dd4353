/** Who hears what of an agent's process: each session its own, and those without a name yet what is nobody else's. */
import { isRecord } from '../../contract/json.ts'
import { INVALID_PARAMS, RpcError } from '../../wire/rpc-error.ts'

export interface Hearer {
  /** Synchronous, in wire order. */
  update(params: unknown, bytes: number): void
  /** Rejects with the `RpcError` that the agent gets. */
  request(method: string, params: unknown): Promise<object>
}

export class Board {
  readonly #shared: boolean
  readonly #named = new Map<string, Hearer>()
  readonly #unnamed = new Set<Hearer>()

  /** In a process of its own a session hears all, whatever the agent calls it. */
  constructor(shared: boolean) {
    this.#shared = shared
  }

  join(hearer: Hearer): void {
    this.#unnamed.add(hearer)
  }

  name(hearer: Hearer, sessionId: string): void {
    this.#unnamed.delete(hearer)
    this.#named.set(sessionId, hearer)
  }

  leave(hearer: Hearer): void {
    this.#unnamed.delete(hearer)
    for (const [id, named] of this.#named) if (named === hearer) this.#named.delete(id)
  }

  update(params: unknown, bytes: number): void {
    const named = this.#of(params)
    if (named !== undefined) named.update(params, bytes)
    else for (const hearer of this.#unnamed) hearer.update(params, bytes)
  }

  async request(method: string, params: unknown): Promise<object> {
    const hearer = this.#of(params) ?? (this.#shared ? undefined : this.#sole())
    if (hearer !== undefined) return hearer.request(method, params)
    // Of a session that was closed a moment ago: nobody is there to allow anything.
    if (method === 'session/request_permission') return { outcome: { outcome: 'cancelled' } }
    throw new RpcError(INVALID_PARAMS, 'there is no such session')
  }

  #of(params: unknown): Hearer | undefined {
    const id = isRecord(params) ? params['sessionId'] : undefined
    return typeof id === 'string' ? this.#named.get(id) : undefined
  }

  #sole(): Hearer | undefined {
    const [hearer] = [...this.#named.values(), ...this.#unnamed]
    return hearer
  }
}
