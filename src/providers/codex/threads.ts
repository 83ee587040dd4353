/** Who hears what of an app-server: its threads, those that they started by themselves, and what came too early. */
import { isRecord } from '../../contract/json.ts'
import { itemSaid, read } from './protocol.ts'

/** What a thread hears of its server, in wire order. */
export interface ThreadListener {
  notification(method: string, params: unknown, bytes: number): void
  /** Rejects with `RpcError` for what it doesn't serve. */
  request(method: string, params: unknown): Promise<unknown>
}

interface Early {
  readonly threadId: string
  readonly method: string
  readonly params: unknown
  readonly bytes: number
}

/** As many as a thread may say before the answer that names it. */
const EARLY = 256

export class Threads {
  readonly #listeners = new Map<string, ThreadListener>()
  /** A thread of Codex's own agent, and the one that started it. */
  readonly #above = new Map<string, string>()
  #early: readonly Early[] = []

  listen(threadId: string, listener: ThreadListener): Disposable {
    this.#listeners.set(threadId, listener)
    const said = this.#early.filter((early) => early.threadId === threadId)
    this.#early = this.#early.filter((early) => early.threadId !== threadId)
    for (const { method, params, bytes } of said) listener.notification(method, params, bytes)
    return {
      [Symbol.dispose]: () => {
        if (this.#listeners.get(threadId) === listener) this.#listeners.delete(threadId)
        if (this.#listeners.size === 0) this.#above.clear()
      },
    }
  }

  /** Without a thread it concerns all. What an agent of Codex's own does is told by the call that started it. */
  hear(method: string, params: unknown, bytes: number): void {
    const threadId = threadOf(params)
    if (threadId === undefined) {
      for (const listener of this.#listeners.values()) listener.notification(method, params, bytes)
      return
    }
    this.#relate(threadId, params)
    const listener = this.#listeners.get(threadId)
    if (listener !== undefined) listener.notification(method, params, bytes)
    else if (!this.#above.has(threadId))
      this.#early = [...this.#early.slice(1 - EARLY), { threadId, method, params, bytes }]
  }

  /** The thread itself, or the one that it works for. */
  listenerOf(params: unknown): ThreadListener | undefined {
    let threadId = threadOf(params)
    const seen = new Set<string>()
    while (threadId !== undefined && !seen.has(threadId)) {
      seen.add(threadId)
      const listener = this.#listeners.get(threadId)
      if (listener !== undefined) return listener
      threadId = this.#above.get(threadId)
    }
    return undefined
  }

  #relate(threadId: string, params: unknown): void {
    const item = read(itemSaid, params)?.item
    if (item === undefined) return
    const receivers = Array.isArray(item['receiverThreadIds']) ? item['receiverThreadIds'] : []
    for (const child of [...receivers, item['agentThreadId']]) {
      if (typeof child !== 'string' || child === threadId || this.#listeners.has(child)) continue
      this.#above.set(child, threadId)
      this.#early = this.#early.filter((early) => early.threadId !== child)
    }
  }
}

const threadOf = (params: unknown): string | undefined => {
  const id = isRecord(params) ? (params['threadId'] ?? params['conversationId']) : undefined
  return typeof id === 'string' ? id : undefined
}
