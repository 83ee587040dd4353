/** One `codex app-server`: its process, the peer that speaks with it, and the threads that it hosts. */
import { SubagentError } from '../../contract/errors.ts'
import type { ErrorPhase } from '../../contract/errors.ts'
import type { Logger } from '../../contract/logger.ts'
import { maskJson } from '../../contract/secrets.ts'
import { after } from '../../contract/timer.ts'
import type { SupervisedProcess } from '../../process/supervised.ts'
import { JsonRpcPeer } from '../../wire/peer.ts'
import { METHOD_NOT_FOUND, RpcError } from '../../wire/rpc-error.ts'
import { rateLimitsSaid, read } from './protocol.ts'
import { Threads } from './threads.ts'
import type { ThreadListener } from './threads.ts'
import { OLDEST, tooOld, versionOf } from './version.ts'

export interface ServerOptions {
  readonly name: string
  readonly process: SupervisedProcess
  readonly clientVersion: string
  readonly log: Logger
}

/** Told to nobody who follows a run, and never needed: left out at the source. */
const OPTED_OUT = ['remoteControl/status/changed', 'thread/readState/changed']

const SILENT_MS = 1000

export class CodexServer implements AsyncDisposable {
  readonly process: SupervisedProcess
  readonly #options: ServerOptions
  readonly #peer: JsonRpcPeer
  readonly #threads = new Threads()
  readonly #lost = Promise.withResolvers<SubagentError>()
  #resetsAt: number | undefined
  #gone = false

  constructor(options: ServerOptions) {
    this.#options = options
    const { process, log, name } = options
    this.process = process
    this.#peer = new JsonRpcPeer({
      lenient: true,
      write: (line) => void process.write(line),
      request: (method, params) => this.#serve(method, params),
      notification: (method, params, bytes) => {
        if (method === 'account/rateLimits/updated') this.#meter(params)
        else this.#threads.hear(method, params, bytes)
      },
      diagnostic: (diagnostic) => {
        const shown = maskJson(diagnostic, (text) => process.mask(text)) as object
        log.debug({ agent: name, ...shown }, 'protocol diagnostic')
      },
    })
    process.stdout.on('data', (chunk: Uint8Array) => this.#peer.receive(chunk))
    process.stdout.once('end', () => {
      this.#peer.end()
      // One that says nothing any more but lives on would be waited for.
      after(SILENT_MS, () => void this.stop(), { idle: true })
    })
    void process.exited.then(() => this.#lose())
  }

  get alive(): boolean {
    return !this.#gone
  }

  /** Resolves when it takes no more requests, with how it ended in mid-turn. */
  get lost(): Promise<SubagentError> {
    return this.#lost.promise
  }

  /** Milliseconds until the account's used-up window begins anew. */
  get resetMs(): number | undefined {
    const left = (this.#resetsAt ?? 0) - Date.now()
    return left > 0 ? left : undefined
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
      { signal, phase: 'initialize' },
    )
    const found = versionOf(answer)
    if (found !== undefined && tooOld(found)) throw mismatch(name, found, this.process)
    this.#peer.notify('initialized', {})
  }

  listen(threadId: string, listener: ThreadListener): Disposable {
    return this.#threads.listen(threadId, listener)
  }

  /** A request whose every fault is a `SubagentError`; aborting `signal` rejects with its reason at once. */
  async request(
    method: string,
    params: object,
    { phase, signal }: { readonly phase: ErrorPhase; readonly signal?: AbortSignal },
  ): Promise<unknown> {
    const aborted = Promise.withResolvers<never>()
    aborted.promise.catch(() => {})
    const abort = (): void => aborted.reject(signal?.reason)
    if (signal?.aborted === true) abort()
    signal?.addEventListener('abort', abort, { once: true })
    try {
      return await Promise.race([this.#peer.request(method, params, { phase }), aborted.promise])
    } catch (error) {
      throw this.#fault(error, phase)
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

  /** An unknown request is refused by its code, so that it doesn't stay open. */
  async #serve(method: string, params: unknown): Promise<unknown> {
    const listener = this.#threads.listenerOf(params)
    if (listener !== undefined) return listener.request(method, params)
    this.#options.log.warn({ agent: this.#options.name, method }, 'a request of no known thread was refused')
    throw new RpcError(METHOD_NOT_FOUND, `Not served here: ${method}`)
  }

  #meter(params: unknown): void {
    const { primary, secondary } = read(rateLimitsSaid, params)?.rateLimits ?? {}
    const used = [primary, secondary].filter((window) => (window?.usedPercent ?? 0) >= 100)
    const resets = used.flatMap((window) => (window?.resetsAt == null ? [] : [window.resetsAt * 1000]))
    this.#resetsAt = resets.length === 0 ? undefined : Math.max(...resets)
  }

  #fault(error: unknown, phase: ErrorPhase): unknown {
    const { name, process } = this.#options
    if (SubagentError.is(error) && this.#gone && error.code === 'AGENT_EXITED') return this.#ended(phase)
    if (!(error instanceof RpcError)) return error
    const words = process.mask(error.message).replaceAll(/\s+/gu, ' ').slice(0, 2000)
    return new SubagentError('AGENT_ERROR', phase, `${name} reported: ${words}`, { agentCode: error.code })
  }

  #lose(): void {
    if (this.#gone) return
    this.#gone = true
    const error = this.#ended('prompt')
    this.#lost.resolve(error)
    this.#peer.close(error)
  }

  #ended(phase: ErrorPhase): SubagentError {
    const { name, process } = this.#options
    const facts = process.facts()
    const how =
      facts.signal !== undefined
        ? `was ended by ${facts.signal}`
        : `exited with code ${facts.exitCode ?? '?'}`
    const when = phase === 'prompt' ? 'before its turn ended' : 'before it was ready'
    const last = facts.stderr?.trimEnd().split('\n').at(-1) ?? ''
    const said = last === '' ? '' : ` Its last words: ${last.slice(0, 500)}`
    return new SubagentError('AGENT_EXITED', phase, `${name} ${how} ${when}.${said}`, {
      ...facts,
      reason: phase === 'prompt' ? 'exited_before_response' : 'exited_at_start',
    })
  }
}

const mismatch = (name: string, [major, minor]: readonly [number, number], process: SupervisedProcess) =>
  new SubagentError(
    'PROTOCOL_MISMATCH',
    'initialize',
    `${name} ${major}.${minor} is too old to be driven here: ${OLDEST.join('.')} is the oldest. Update it: npm install -g @openai/codex`,
    { ...process.facts(), asked: OLDEST[1], answered: minor },
  )
