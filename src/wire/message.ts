/** What one line of JSON is on a JSON-RPC wire: an envelope, or noise (cases.md rule 5). */
import { isRecord } from '../contract/json.ts'

/** Fractions and null are accepted and echoed exactly. */
export type RpcId = string | number | null

export interface RpcFailure {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export type Message =
  | { readonly kind: 'request'; readonly id: RpcId; readonly method: string; readonly params: unknown }
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  | { readonly kind: 'response'; readonly id: RpcId; readonly result: unknown }
  | { readonly kind: 'failure'; readonly id: RpcId; readonly error: RpcFailure }
  | { readonly kind: 'batch' }
  | { readonly kind: 'noise' }

const NOISE: Message = { kind: 'noise' }
const INTERNAL_ERROR = -32603

/** `lenient` also takes envelopes without the `jsonrpc` member, as the Codex app-server writes them. */
export const classify = (value: unknown, lenient = false): Message => {
  if (Array.isArray(value)) return { kind: 'batch' }
  if (!isRecord(value)) return NOISE
  if (value['jsonrpc'] !== '2.0' && !(lenient && value['jsonrpc'] === undefined)) return NOISE
  const { id, method, params } = value
  if (method !== undefined) {
    if (typeof method !== 'string') return NOISE
    if (id === undefined) return { kind: 'notification', method, params }
    return isId(id) ? { kind: 'request', id, method, params } : NOISE
  }
  if (!isId(id)) return NOISE
  const { result, error } = value
  if (isRecord(error)) return { kind: 'failure', id, error: failureOf(error) }
  if (result !== undefined) return { kind: 'response', id, result }
  // An error that isn't an object still ends the request that it names.
  return error === undefined ? NOISE : { kind: 'failure', id, error: failureOf({ message: error }) }
}

const isId = (value: unknown): value is RpcId =>
  typeof value === 'string' || typeof value === 'number' || value === null

const failureOf = ({ code, message, data }: Record<string, unknown>): RpcFailure => ({
  code: typeof code === 'number' ? code : INTERNAL_ERROR,
  message: typeof message === 'string' && message !== '' ? message : 'Error without a message',
  ...(data === undefined ? {} : { data }),
})
