/** Requests of theirs that are being served: what becomes of each, and how they are cancelled. */
import type { RpcFailure, RpcId } from './message.ts'
import { INTERNAL_ERROR, REQUEST_CANCELLED, RpcError } from './rpc-error.ts'

export type Answer =
  | { readonly id: RpcId; readonly result: unknown }
  | { readonly id: RpcId; readonly error: RpcFailure }

export type RequestHandler = (
  method: string,
  params: unknown,
  context: { readonly signal: AbortSignal },
) => unknown

/** An agent may use one id twice at once; each use is served and cancelled. */
export class ServedRequests {
  readonly #open = new Set<{ readonly id: RpcId; readonly controller: AbortController }>()

  get size(): number {
    return this.#open.size
  }

  /** The handler starts at once, in wire order; never rejects. `fault` hears what no `RpcError` says. */
  async serve(
    { id, method, params }: { readonly id: RpcId; readonly method: string; readonly params: unknown },
    handler: RequestHandler,
    fault: (error: unknown) => void,
  ): Promise<Answer> {
    const entry = { id, controller: new AbortController() }
    const { signal } = entry.controller
    this.#open.add(entry)
    try {
      return { id, result: (await handler(method, params, { signal })) ?? {} }
    } catch (error) {
      if (error instanceof RpcError) return { id, error: failureOf(error) }
      if (signal.aborted) return { id, error: { code: REQUEST_CANCELLED, message: 'Request cancelled' } }
      fault(error)
      return { id, error: { code: INTERNAL_ERROR, message: 'Internal error' } }
    } finally {
      this.#open.delete(entry)
    }
  }

  cancel(id: unknown): void {
    for (const entry of this.#open) if (entry.id === id) entry.controller.abort()
  }

  cancelAll(reason: unknown): void {
    for (const entry of this.#open) entry.controller.abort(reason)
  }
}

const failureOf = ({ code, message, data }: RpcError): RpcFailure => ({
  code,
  message,
  ...(data === undefined ? {} : { data }),
})
