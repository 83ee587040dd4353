/** Who hears what of an agent's process: each session its own, and all of them what is nobody's yet. */
import { isRecord } from '../../contract/json.ts'
import { INVALID_PARAMS, RpcError } from '../../wire/rpc-error.ts'

export interface Hearer {
  /** Synchronous, in wire order. */
  update(params: unknown, bytes: number): void
  /** Rejects with the `RpcError` that the agent gets. */
  request(method: string, params: unknown, signal: AbortSignal): Promise<object>
  /** A web page's question is answered; one that somebody else asked is theirs. */
  completed(elicitationId: string): void
}

export class Board {
  readonly #shared: boolean
  readonly #named = new Map<string, Hearer>()
  readonly #unnamed = new Set<Hearer>()
  /** Sessions that have ended here: their last words are for nobody, unless one is being taken up again. */
  readonly #gone = new Set<string>()

  /** In a process of its own a session hears all, whatever the agent calls it. */
  constructor(shared: boolean) {
    this.#shared = shared
  }

  join(hearer: Hearer): void {
    this.#unnamed.add(hearer)
  }

  name(hearer: Hearer, sessionId: string): void {
    this.#unnamed.delete(hearer)
    this.#gone.delete(sessionId)
    this.#named.set(sessionId, hearer)
  }

  /** A session that the agent itself has started below one of them; one that is somebody's stays theirs. */
  claim(hearer: Hearer, sessionId: string): void {
    if (!this.#named.has(sessionId)) this.#named.set(sessionId, hearer)
  }

  leave(hearer: Hearer): void {
    this.#unnamed.delete(hearer)
    for (const [id, named] of this.#named) {
      if (named !== hearer) continue
      this.#named.delete(id)
      this.#gone.add(id)
    }
  }

  update(params: unknown, bytes: number): void {
    const named = this.#of(params)
    if (named !== undefined) named.update(params, bytes)
    else {
      const hearers = this.#gone.has(idOf(params) ?? '') ? this.#unnamed : this.#all()
      for (const hearer of hearers) hearer.update(params, bytes)
    }
  }

  completed(params: unknown): void {
    const id = isRecord(params) ? params['elicitationId'] : undefined
    if (typeof id === 'string') for (const hearer of this.#all()) hearer.completed(id)
  }

  async request(method: string, params: unknown, signal: AbortSignal): Promise<object> {
    const hearer = this.#of(params) ?? (this.#shared ? undefined : this.#sole())
    if (hearer !== undefined) return hearer.request(method, params, signal)
    // Of a session that was closed a moment ago: nobody is there to allow anything.
    if (method === 'session/request_permission') return { outcome: { outcome: 'cancelled' } }
    throw new RpcError(INVALID_PARAMS, 'there is no such session')
  }

  #of(params: unknown): Hearer | undefined {
    const id = idOf(params)
    return id === undefined ? undefined : this.#named.get(id)
  }

  #sole(): Hearer | undefined {
    const [hearer] = this.#all()
    return hearer
  }

  #all(): ReadonlySet<Hearer> {
    return new Set([...this.#named.values(), ...this.#unnamed])
  }
}

const idOf = (params: unknown): string | undefined =>
  isRecord(params) && typeof params['sessionId'] === 'string' ? params['sessionId'] : undefined
