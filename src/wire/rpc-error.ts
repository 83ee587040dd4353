/** Errors of the wire itself; a provider turns them into typed errors before a user sees them. */

export const INVALID_REQUEST = -32600
export const METHOD_NOT_FOUND = -32601
export const INVALID_PARAMS = -32602
export const INTERNAL_ERROR = -32603
export const REQUEST_CANCELLED = -32800

/** An error response: theirs when a request of ours rejects with it, ours when a handler throws it. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** A request of ours got no answer within its limit. Only the caller knows which of its limits that was. */
export class RpcTimeout extends Error {
  override readonly name = 'RpcTimeout'
  readonly method: string
  readonly limitMs: number

  constructor(method: string, limitMs: number) {
    super(`\`${method}\` got no answer within ${limitMs} ms.`)
    this.method = method
    this.limitMs = limitMs
  }
}
