/** One `codex app-server`: its process, the peer that speaks with it, and the threads that it hosts. */
import { SubagentError } from '../../contract/errors.ts'
import type { ErrorPhase } from '../../contract/errors.ts'
import { isRecord } from '../../contract/json.ts'
import type { Logger } from '../../contract/logger.ts'
import { maskJson } from '../../contract/secrets.ts'
import type { SupervisedProcess } from '../../process/supervised.ts'
import { JsonRpcPeer } from '../../wire/peer.ts'
import { METHOD_NOT_FOUND, RpcError } from '../../wire/rpc-error.ts'
import { OLDEST, tooOld, versionOf } from './version.ts'

/** What a thread hears of its server, in wire order. */
export interface ThreadListener {
  notification(method: string, params: unknown, bytes: number): void
  /** Rejects with `RpcError` for what it doesn't serve. */
  request(method: string, params: unknown): Promise<unknown>
}

export interface ServerOptions {
  readonly name: string
  readonly process: SupervisedProcess
  readonly clientVersion: string
  readonly log: Logger
}

/** Told to nobody who follows a run, and never needed: left out at the source. */
const OPTED_OUT = ['account/rateLimits/updated', 'remoteControl/status/changed', 'thread/readState/changed']

export class CodexServer implements AsyncDisposable {
  readonly process: SupervisedProcess
  readonly #options: ServerOptions
  readonly #peer: JsonRpcPeer
  readonly #threads = new Map<string, ThreadListener>()
  readonly #lost = Promise.withResolvers<SubagentError>()
  /** A notification of a thread may come before the answer that names it. */
  readonly #early: { method: string; params: unknown; bytes: number }[] = []
  #phase: ErrorPhase = 'initialize'
  #gone = false

  constructor(options: ServerOptions) {
    this.#options = options
    const { process, log, name } = options
    this.process = process
    this.#peer = new JsonRpcPeer({
      lenient: true,
      write: (line) => void process.write(line),
      request: (method, params) => this.#serve(method, params),
      notification: (method, params, bytes) => this.#hear(method, params, bytes),
      diagnostic: (diagnostic) => {
        const shown = maskJson(diagnostic, (text) => process.mask(text)) as object
        log.debug({ agent: name, ...shown }, 'protocol diagnostic')
      },
    })
    process.stdout.on('data', (chunk: Uint8Array) => this.#peer.receive(chunk))
    process.stdout.once('end', () => this.#peer.end())
    void process.exited.then(() => this.#lose())
  }

  get alive(): boolean {
    return !this.#gone
  }

  get threads(): number {
    return this.#threads.size
  }

  /** Resolves when it takes no more requests. */
  get lost(): Promise<SubagentError> {
    return this.#lost.promise
  }

  /** Rejects with `PROTOCOL_MISMATCH` for a version that is too old, or with how the program ended. */
  async initialize(signal: AbortSignal): Promise<void> {
    const { clientVersion: version, name } = this.#options
    const answer = await this.request(
      'initialize',
      {
        clientInfo: { name: 'subgate', title: null, version },
        capabilities: { experimentalApi: true, optOutNotificationMethods: OPTED_OUT },
      },
      signal,
    )
    const found = versionOf(answer)
    if (found !== undefined && tooOld(found)) throw mismatch(name, found, this.process)
    this.#peer.notify('initialized', {})
    this.#phase = 'session'
  }

  listen(threadId: string, listener: ThreadListener): Disposable {
    this.#threads.set(threadId, listener)
    this.#phase = 'prompt'
    for (const { method, params, bytes } of this.#early.splice(0)) this.#hear(method, params, bytes)
    return {
      [Symbol.dispose]: () => {
        if (this.#threads.get(threadId) === listener) this.#threads.delete(threadId)
      },
    }
  }

  /** A request whose every fault is a `SubagentError`; aborting `signal` rejects with its reason at once. */
  async request(method: string, params: object, signal?: AbortSignal): Promise<unknown> {
    const aborted = Promise.withResolvers<never>()
    aborted.promise.catch(() => {})
    const abort = (): void => aborted.reject(signal?.reason)
    if (signal?.aborted === true) abort()
    signal?.addEventListener('abort', abort, { once: true })
    try {
      return await Promise.race([this.#peer.request(method, params, { phase: this.#phase }), aborted.promise])
    } catch (error) {
      throw this.#fault(error)
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  /** Ends the process tree; says what escaped. */
  async stop(): Promise<readonly number[]> {
    const { escaped } = await this.process.stop()
    this.#lose()
    return escaped
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  #hear(method: string, params: unknown, bytes: number): void {
    const id = isRecord(params) ? params['threadId'] : undefined
    if (typeof id !== 'string') {
      for (const listener of this.#threads.values()) listener.notification(method, params, bytes)
      return
    }
    const listener = this.#threads.get(id)
    if (listener !== undefined) listener.notification(method, params, bytes)
    else if (this.#early.length < 64) this.#early.push({ method, params, bytes })
  }

  async #serve(method: string, params: unknown): Promise<unknown> {
    const id = isRecord(params) ? (params['threadId'] ?? params['conversationId']) : undefined
    const listener = typeof id === 'string' ? this.#threads.get(id) : undefined
    if (listener === undefined) throw new RpcError(METHOD_NOT_FOUND, `Not served here: ${method}`)
    return listener.request(method, params)
  }

  #fault(error: unknown): unknown {
    if (!(error instanceof RpcError)) return error
    const { name, process } = this.#options
    const words = process.mask(error.message).replaceAll(/\s+/gu, ' ').slice(0, 2000)
    return new SubagentError('AGENT_ERROR', this.#phase, `${name} reported: ${words}`, {
      agentCode: error.code,
    })
  }

  #lose(): void {
    if (this.#gone) return
    this.#gone = true
    const { name, process } = this.#options
    const facts = process.facts()
    const how =
      facts.signal !== undefined
        ? `was ended by ${facts.signal}`
        : `exited with code ${facts.exitCode ?? '?'}`
    const when = this.#phase === 'prompt' ? 'before its turn ended' : 'before it was ready'
    const last = facts.stderr?.trimEnd().split('\n').at(-1) ?? ''
    const said = last === '' ? '' : ` Its last words: ${last.slice(0, 500)}`
    const error = new SubagentError('AGENT_EXITED', this.#phase, `${name} ${how} ${when}.${said}`, {
      ...facts,
      reason: this.#phase === 'prompt' ? 'exited_before_response' : 'exited_at_start',
    })
    this.#lost.resolve(error)
    this.#peer.close(error)
  }
}

const mismatch = (name: string, [major, minor]: readonly [number, number], process: SupervisedProcess) =>
  new SubagentError(
    'PROTOCOL_MISMATCH',
    'initialize',
    `${name} ${major}.${minor} is too old to be driven here: ${OLDEST.join('.')} is the oldest. Update it: npm install -g @openai/codex`,
    { ...process.facts(), asked: OLDEST[1], answered: minor },
  )
