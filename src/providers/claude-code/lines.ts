/** Claude Code's process as a stream of JSON lines and a control channel: requests both ways, each answered once. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { SubagentError } from '../../contract/errors.ts'
import { isRecord } from '../../contract/json.ts'
import type { SupervisedProcess } from '../../process/supervised.ts'
import { LineFramer } from '../../wire/framing.ts'
import { readControlAnswer, readControlRequest } from './protocol.ts'
import type { ControlRequest } from './protocol.ts'

/** For lines that were written before the end. */
const LAST_LINES_MS = 200

type Json = Readonly<Record<string, unknown>>

export interface LineHandlers {
  /** Every line but control ones, in order. */
  line(line: Json, bytes: number): void
  /** A question of the agent. Rejects when nobody here serves it. */
  control(request: ControlRequest): Promise<object>
  /** A line that is no JSON object. */
  noise(text: string): void
}

export class ClaudeLines {
  readonly process: SupervisedProcess
  readonly #handlers: LineHandlers
  readonly #waiting = new Map<string, PromiseWithResolvers<unknown>>()
  readonly #framer: LineFramer
  readonly #lost = Promise.withResolvers<void>()
  #gone = false

  constructor(process: SupervisedProcess, handlers: LineHandlers) {
    this.process = process
    this.#handlers = handlers
    this.#framer = new LineFramer({
      line: (text, bytes) => this.#line(text, bytes),
      oversized: (head) => this.#handlers.noise(head.slice(0, 200)),
    })
    process.stdout.on('data', (chunk: Uint8Array) => this.#framer.push(chunk))
    const ended = Promise.withResolvers<void>()
    process.stdout.once('end', () => {
      this.#framer.end()
      ended.resolve()
    })
    void process.exited.then(() => this.#lose(ended.promise))
  }

  get alive(): boolean {
    return !this.#gone
  }

  /** Resolves when the process has ended and its last line was read. */
  get lost(): Promise<void> {
    return this.#lost.promise
  }

  send(line: object): void {
    this.process.write(`${JSON.stringify(line)}\n`)
  }

  /** Rejects with the agent's own error, on abort, or when it is gone. */
  async ask(request: object, signal?: AbortSignal): Promise<unknown> {
    if (this.#gone) throw new ControlRefused('The process has ended.')
    const id = randomUUID()
    const answer = Promise.withResolvers<unknown>()
    this.#waiting.set(id, answer)
    const abort = (): void => answer.reject(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    if (signal?.aborted === true) abort()
    this.send({ type: 'control_request', request_id: id, request })
    try {
      return await answer.promise
    } finally {
      signal?.removeEventListener('abort', abort)
      this.#waiting.delete(id)
      signal?.removeEventListener('abort', abort)
    }
  }

  #line(text: string, bytes: number): void {
    const line = parsed(text)
    if (line === undefined) {
      this.#handlers.noise(text.slice(0, 200))
      return
    }
    if (line['type'] === 'control_response') this.#answered(line)
    else if (line['type'] === 'control_request') void this.#serve(line)
    else this.#handlers.line(line, bytes)
  }

  #answered(line: Json): void {
    const answer = readControlAnswer(line)
    const waiting = answer && this.#waiting.get(answer.requestId)
    if (answer === undefined || waiting === undefined) return
    if (answer.ok) waiting.resolve(answer.response)
    else waiting.reject(new ControlRefused(String(answer.response)))
  }

  /** No question stays open: what nobody serves is answered with an error. */
  async #serve(line: Json): Promise<void> {
    const request = readControlRequest(line)
    if (request === undefined) return
    const { requestId: request_id } = request
    try {
      const response = await this.#handlers.control(request)
      this.send({ type: 'control_response', response: { subtype: 'success', request_id, response } })
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error)
      this.send({ type: 'control_response', response: { subtype: 'error', request_id, error: words } })
    }
  }

  /** What was written to the end is still read, also by one who had paused; a child of it may hold the pipe open. */
  async #lose(ended: Promise<void>): Promise<void> {
    this.process.stdout.resume()
    const over = new AbortController()
    await Promise.race([ended, sleep(LAST_LINES_MS, undefined, over).catch(() => {})])
    over.abort()
    this.#gone = true
    for (const waiting of this.#waiting.values()) waiting.reject(new ControlRefused('The process has ended.'))
    this.#lost.resolve()
  }
}

export class ControlRefused extends Error {}

const parsed = (text: string): Json | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** How the process ended where it shouldn't have. */
export const exitError = (name: string, process: SupervisedProcess, ready: boolean): SubagentError => {
  const facts = process.facts()
  const how =
    facts.signal !== undefined ? `was ended by ${facts.signal}` : `exited with code ${facts.exitCode ?? '?'}`
  const last = facts.stderr?.trimEnd().split('\n').at(-1) ?? ''
  const said = last === '' ? '' : ` Its last words: ${last.slice(0, 500)}`
  const when = ready ? 'without a result' : 'before it was ready'
  return new SubagentError(
    'AGENT_EXITED',
    ready ? 'prompt' : 'initialize',
    `${name} ${how} ${when}.${said}`,
    {
      ...facts,
      reason: ready ? 'exited_before_response' : 'exited_at_start',
    },
  )
}
