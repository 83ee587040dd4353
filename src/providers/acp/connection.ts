/** One agent process and the peer that speaks with it: start-up, requests with typed faults, and the end. */
import { SubagentError } from '../../contract/errors.ts'
import type { ErrorPhase } from '../../contract/errors.ts'
import type { Logger } from '../../contract/logger.ts'
import { maskJson } from '../../contract/secrets.ts'
import type { SupervisedProcess } from '../../process/supervised.ts'
import type { Diagnostic } from '../../wire/diagnostic.ts'
import { JsonRpcPeer } from '../../wire/peer.ts'
import { RpcError } from '../../wire/rpc-error.ts'
import type { RequestHandler } from '../../wire/serving.ts'
import { PROTOCOL_VERSION, readHandshake } from './handshake.ts'
import type { Handshake } from './handshake.ts'
import { errorOf } from './translate.ts'

/** So many lines without a single message: this is no ACP agent. */
const NOISE_LIMIT = 200
/** After the agent closed its output but lives on. */
const SILENT_END_MS = 500

export interface ConnectionHandlers {
  readonly request: RequestHandler
  notification(method: string, params: unknown, bytes: number): void
}

export interface CallOptions {
  /** Aborting it rejects with its reason at once. */
  readonly signal?: AbortSignal
  readonly onReply?: () => void
}

export class AcpConnection implements AsyncDisposable {
  readonly process: SupervisedProcess
  readonly #peer: JsonRpcPeer
  readonly #name: string
  readonly #log: Logger
  readonly #lost = Promise.withResolvers<SubagentError>()
  handshake: Handshake | undefined
  #ready = false
  #gone = false
  /** Present while nothing is read. */
  #resumed: PromiseWithResolvers<void> | undefined

  constructor(name: string, process: SupervisedProcess, handlers: ConnectionHandlers, log: Logger) {
    this.#name = name
    this.process = process
    this.#log = log
    this.#peer = new JsonRpcPeer({
      write: (line) => void process.write(line),
      request: (method, params, context) => {
        // A program that writes back what it reads, such as cat, is no agent.
        if (!this.#ready && method === 'initialize') this.#lose(this.#notAcp())
        return handlers.request(method, params, context)
      },
      notification: (method, params, bytes) => handlers.notification(method, params, bytes),
      diagnostic: (diagnostic) => this.#diagnose(diagnostic),
    })
    process.stdout.on('data', (chunk: Uint8Array) => this.#peer.receive(chunk))
    process.stdout.once('end', () => void this.#ended())
    void process.exited.then(() => this.#exited())
  }

  /** False once the process has ended or closed its output. */
  get alive(): boolean {
    return !this.#gone
  }

  /** Resolves when it takes no more requests. */
  get lost(): Promise<SubagentError> {
    return this.#lost.promise
  }

  pause(): void {
    this.#resumed ??= Promise.withResolvers<void>()
    this.process.stdout.pause()
  }

  resume(): void {
    this.process.stdout.resume()
    this.#resumed?.resolve()
    this.#resumed = undefined
  }

  /** Rejects with AGENT_EXITED, AGENT_NOT_ACP or PROTOCOL_MISMATCH, with the facts of the process. */
  async initialize(params: object, signal: AbortSignal): Promise<Handshake> {
    const result = await this.request('initialize', params, 'initialize', { signal })
    const handshake = readHandshake(result)
    const { protocolVersion } = handshake
    if (protocolVersion !== PROTOCOL_VERSION) {
      throw new SubagentError(
        'PROTOCOL_MISMATCH',
        'initialize',
        `${this.#name} speaks version ${protocolVersion} of the protocol, and version ${PROTOCOL_VERSION} was asked for. Update the agent.`,
        { ...this.process.facts(), asked: PROTOCOL_VERSION, answered: protocolVersion },
      )
    }
    this.handshake = handshake
    this.#ready = true
    return handshake
  }

  /** A request whose every fault is a `SubagentError` of this phase. */
  async request(
    method: string,
    params: object,
    phase: ErrorPhase,
    { signal, onReply }: CallOptions = {},
  ): Promise<unknown> {
    const aborted = Promise.withResolvers<never>()
    aborted.promise.catch(() => {})
    const abort = (): void => aborted.reject(this.#withFacts(signal?.reason, phase))
    if (signal?.aborted === true) abort()
    signal?.addEventListener('abort', abort, { once: true })
    try {
      const answer = this.#peer.request(method, params, { phase, ...(onReply && { onReply }) })
      return await Promise.race([answer, aborted.promise])
    } catch (error) {
      throw this.#fault(error, phase)
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  notify(method: string, params: object): void {
    this.#peer.notify(method, params)
  }

  /** Ends the process tree; says what escaped. */
  async stop(): Promise<readonly number[]> {
    this.resume()
    const { escaped } = await this.process.stop()
    this.#lose()
    return escaped
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  #fault(error: unknown, phase: ErrorPhase): unknown {
    if (SubagentError.is(error) && error.code === 'AGENT_EXITED') return this.#exitError(phase)
    if (!(error instanceof RpcError)) return error
    const mask = (text: string): string => this.process.mask(text)
    const { authMethods = [], gateway = false } = this.handshake ?? {}
    return errorOf(new RpcError(error.code, mask(error.message), maskJson(error.data, mask)), {
      name: this.#name,
      phase,
      authMethods: maskJson(authMethods, mask) as Handshake['authMethods'],
      gateway,
      process: this.process.facts(),
    })
  }

  /** A start-up limit is told with the facts of the process that it ended. */
  #withFacts(reason: unknown, phase: ErrorPhase): unknown {
    if (!SubagentError.is(reason) || reason.code !== 'STARTUP_TIMEOUT') return reason
    return new SubagentError('STARTUP_TIMEOUT', phase, reason.message, {
      ...(reason as SubagentError<'STARTUP_TIMEOUT'>).data,
      ...this.process.facts(),
    })
  }

  async #exited(): Promise<void> {
    // What the pipe still holds is read first, also when a slow reader holds it up; a grandchild that keeps it
    // open is not waited for.
    while (!this.process.stdout.readableEnded) {
      await this.#resumed?.promise
      await Promise.race([this.#outputEnded(), sleep(SILENT_END_MS / 5)])
      if (this.#resumed === undefined) break
    }
    this.#lose()
  }

  async #ended(): Promise<void> {
    this.#peer.end()
    await Promise.race([this.process.exited, sleep(SILENT_END_MS)])
    this.#lose()
  }

  #outputEnded(): Promise<void> {
    return new Promise((resolve) => {
      this.process.stdout.once('end', () => resolve())
    })
  }

  #lose(error: SubagentError = this.#exitError(this.#ready ? 'prompt' : 'initialize')): void {
    if (this.#gone) return
    this.#gone = true
    const stderr = this.process.stderrTail()
    if (stderr !== '') this.#log.debug({ agent: this.#name, stderr }, 'what the agent wrote on stderr')
    this.#lost.resolve(error)
    this.#peer.close(error)
  }

  #exitError(phase: ErrorPhase): SubagentError {
    const facts = this.process.facts()
    const { count } = this.#peer.noise
    if (phase === 'initialize' && count > 0 && (facts.exitCode ?? 0) === 0) return this.#notAcp()
    const how =
      facts.signal !== undefined
        ? `was ended by ${facts.signal}`
        : facts.exitCode !== undefined
          ? `exited with code ${facts.exitCode}`
          : 'closed its output'
    const last = facts.stderr?.trimEnd().split('\n').at(-1)
    const said = last === undefined || last === '' ? '' : ` Its last words: ${last.slice(0, 500)}`
    const line = phase === 'initialize' ? this.#firstLine() : ''
    const wrote = line === '' ? '' : ` It wrote ${JSON.stringify(line)}, which is no ACP.`
    const when = phase === 'prompt' ? 'before it answered the prompt' : 'before it was ready'
    return new SubagentError('AGENT_EXITED', phase, `${this.#name} ${how} ${when}.${wrote}${said}`, {
      ...facts,
      reason: phase === 'prompt' ? 'exited_before_response' : 'exited_at_start',
    })
  }

  /** Of what it wrote in place of ACP: bounded and printable already. */
  #firstLine(): string {
    return this.process.mask(this.#peer.noise.first ?? '')
  }

  #notAcp(): SubagentError {
    const { count } = this.#peer.noise
    const first = this.#firstLine()
    const wrote =
      count === 0
        ? 'wrote back what it was sent'
        : `wrote lines, but none of them is ACP. The first: ${JSON.stringify(first)}`
    return new SubagentError(
      'AGENT_NOT_ACP',
      'initialize',
      `${this.#name} ${wrote}. Add the flag that starts its ACP mode.`,
      { ...this.process.facts(), firstLine: first },
    )
  }

  #diagnose(diagnostic: Diagnostic): void {
    const shown = maskJson(diagnostic, (text) => this.process.mask(text)) as object
    this.#log.debug({ agent: this.#name, ...shown }, 'protocol diagnostic')
    if (!this.#ready && this.#peer.noise.count >= NOISE_LIMIT) this.#lose(this.#notAcp())
  }
}

const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
