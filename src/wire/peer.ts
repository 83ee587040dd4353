/** The two-way JSON-RPC peer: one class for ACP agents and for the Codex app-server. */
import { SubagentError } from '../contract/errors.ts'
import { isRecord } from '../contract/json.ts'
import type { Diagnostic } from './diagnostic.ts'
import { LineFramer, MAX_LINE_BYTES } from './framing.ts'
import { readHead } from './head.ts'
import { classify } from './message.ts'
import type { Message, RpcFailure, RpcId } from './message.ts'
import { PendingRequests } from './pending.ts'
import type { RequestOptions, Waiting } from './pending.ts'
import { INTERNAL_ERROR, INVALID_REQUEST, RpcError } from './rpc-error.ts'
import { ServedRequests } from './serving.ts'
import type { RequestHandler } from './serving.ts'
import { visible } from './visible.ts'

export interface PeerOptions {
  /** Takes one message with its LF. */
  write(line: string): void
  /** Their requests. An `RpcError` becomes the answer; anything else thrown is -32603 without its words. */
  readonly request: RequestHandler
  /** Synchronous and in wire order; `bytes` is the line's size, for back-pressure. */
  notification(method: string, params: unknown, bytes: number): void
  /** Must not throw. */
  diagnostic(diagnostic: Diagnostic): void
  /** Size limit of one line; 32 MiB when absent. */
  readonly maxBytes?: number
  /** No `jsonrpc` member is written, and none is needed in what is read. */
  readonly lenient?: boolean
}

export interface Noise {
  readonly count: number
  readonly first?: string
}

export class JsonRpcPeer {
  readonly #options: PeerOptions
  readonly #framer: LineFramer
  readonly #pending = new PendingRequests()
  readonly #served = new ServedRequests()
  #noise: Noise = { count: 0 }
  #closed: SubagentError | undefined

  constructor(options: PeerOptions) {
    this.#options = options
    this.#framer = new LineFramer({
      line: (text, bytes) => this.#line(text, bytes),
      oversized: (head, bytes) => this.#oversized(head, bytes),
      ...(options.maxBytes === undefined ? {} : { maxBytes: options.maxBytes }),
    })
  }

  /** Raw bytes of the other side, cut anywhere. */
  receive(chunk: Uint8Array): void {
    if (this.#closed === undefined) this.#framer.push(chunk)
  }

  /** The other side's stream has ended; a last line without LF is still handled. */
  end(): void {
    if (this.#closed === undefined) this.#framer.end()
  }

  /** Rejects with `RpcError` (their error), `RpcTimeout`, or a `SubagentError` (closed, answer too large). */
  request(method: string, params: unknown, options: RequestOptions = {}): Promise<unknown> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed)
    if (options.signal?.aborted) return Promise.reject(options.signal.reason)
    const id = this.#pending.nextId()
    const answer = this.#pending.add(id, method, options, () =>
      this.notify('$/cancel_request', { requestId: id }),
    )
    try {
      this.#write({ id, method, params })
    } catch (error) {
      this.#pending.fail(id, error)
    }
    return answer
  }

  /** After `close` nothing is sent. */
  notify(method: string, params: unknown): void {
    if (this.#closed !== undefined) return
    this.#guard(method, () => this.#write({ method, params }))
  }

  /** Rejects all that is pending, aborts handlers' signals; nothing is read or written any more. */
  close(reason: SubagentError): void {
    if (this.#closed !== undefined) return
    this.#closed = reason
    this.#pending.rejectAll(reason)
    this.#served.cancelAll(reason)
  }

  /** Lines that were no envelope. `first` has at most 200 characters. */
  get noise(): Noise {
    return this.#noise
  }

  /** Requests that wait, in both directions. */
  get open(): { readonly ours: number; readonly theirs: number } {
    return { ours: this.#pending.size, theirs: this.#served.size }
  }

  #line(text: string, bytes: number): void {
    if (this.#closed !== undefined) return
    const message = classify(parsed(text), this.#options.lenient)
    switch (message.kind) {
      case 'notification':
        if (message.method === '$/cancel_request')
          this.#served.cancel(isRecord(message.params) ? message.params['requestId'] : undefined)
        else
          this.#guard(message.method, () => this.#options.notification(message.method, message.params, bytes))
        return
      case 'response':
        this.#take(message.id)?.resolve(message.result)
        return
      case 'failure': {
        const { code, message: words, data } = message.error
        this.#take(message.id, message.error)?.reject(new RpcError(code, words, data))
        return
      }
      case 'request':
        void this.#serve(message)
        return
      case 'batch':
      case 'noise':
        this.#ignore(message.kind, text, bytes)
        return
    }
  }

  #take(id: RpcId, error?: RpcFailure): Waiting | undefined {
    const taken = this.#pending.take(id)
    if (typeof taken !== 'string') {
      this.#guard(taken.method, () => taken.onReply?.())
      return taken
    }
    this.#options.diagnostic({ kind: taken, id, ...(error && { error }) })
    return undefined
  }

  async #serve(request: Extract<Message, { kind: 'request' }>): Promise<void> {
    const fault = (error: unknown): void =>
      this.#options.diagnostic({ kind: 'fault', method: request.method, error })
    const answer = await this.#served.serve(request, this.#options.request, fault)
    if (this.#closed !== undefined) return
    try {
      this.#write(answer)
    } catch (error) {
      fault(error)
      // The result may be what can't be written, as with a cycle in it: the other side must not wait for ever.
      this.#fail(request.id, INTERNAL_ERROR, 'Internal error')
    }
  }

  #ignore(kind: 'batch' | 'noise', text: string, bytes: number): void {
    const line = visible(text)
    this.#noise = { count: this.#noise.count + 1, first: this.#noise.first ?? line }
    this.#options.diagnostic({ kind, line, bytes })
    if (kind === 'batch') this.#fail(null, INVALID_REQUEST, 'Batches are not supported')
  }

  /** Of an oversized line only the head is known: it costs the one message that it is, whosever that was. */
  #oversized(text: string, bytes: number): void {
    if (this.#closed !== undefined) return
    const limit = this.#options.maxBytes ?? MAX_LINE_BYTES
    const { scalars, keys } = readHead(text)
    const message = classify(
      {
        jsonrpc: scalars.get('jsonrpc') ?? (keys.has('jsonrpc') ? null : '2.0'),
        id: scalars.get('id'),
        method: scalars.get('method'),
        ...(keys.has('result') || keys.has('error') ? { result: null } : {}),
      },
      this.#options.lenient,
    )
    const waiting =
      message.kind === 'response' && this.#pending.has(message.id) ? this.#take(message.id) : undefined
    const method = waiting?.method ?? ('method' in message ? message.method : undefined)
    this.#options.diagnostic({ kind: 'oversized', bytes, limit, ...(method === undefined ? {} : { method }) })
    waiting?.reject(
      new SubagentError(
        'MESSAGE_TOO_LARGE',
        waiting.phase,
        `The agent's answer to \`${waiting.method}\` has ${bytes} bytes, over the limit of ${limit} for one ` +
          'message; it alone is lost. Ask for less at once.',
        { bytes, limit },
      ),
    )
    if (message.kind === 'request')
      this.#fail(message.id, INVALID_REQUEST, 'Message too large', { bytes, limit })
  }

  #fail(id: RpcId, code: number, message: string, data?: unknown): void {
    const error = { code, message, ...(data === undefined ? {} : { data }) }
    this.#guard('', () => this.#write({ id, error }))
  }

  #write(message: Readonly<Record<string, unknown>> | object): void {
    const envelope = this.#options.lenient ? message : { jsonrpc: '2.0', ...message }
    this.#options.write(`${JSON.stringify(envelope)}\n`)
  }

  #guard(method: string, action: () => void): void {
    try {
      action()
    } catch (error) {
      this.#options.diagnostic({ kind: 'fault', method, error })
    }
  }
}

/** Only objects and arrays can be messages: nothing else is worth the cost of a parser's error. */
const parsed = (text: string): unknown => {
  const json = text.trimStart()
  if (json[0] !== '{' && json[0] !== '[') return undefined
  try {
    return JSON.parse(json)
  } catch {
    // Not JSON: noise.
    return undefined
  }
}
