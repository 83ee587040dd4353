/** The editor's own files, terminals and forms, as the agents of one chat reach them: in order, each by its session. */
import { randomUUID } from 'node:crypto'
import { RequestError } from '@agentclientprotocol/sdk/unstable'
import type { Client, ClientAnswer, ClientOffer, PlacedCall } from '../contract/client.ts'
import type { SessionId } from '../contract/ids.ts'
import { isRecord } from '../contract/json.ts'
import type { JsonObject } from '../contract/json.ts'
import type { Asker } from './subagents/show.ts'

const record = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {})

/** What an editor said that it does for its agents. */
export const offerOf = (capabilities: JsonObject): ClientOffer => {
  const fs = record(capabilities['fs'])
  const { form, url } = record(capabilities['elicitation'])
  return {
    readTextFile: fs['readTextFile'] === true,
    writeTextFile: fs['writeTextFile'] === true,
    terminal: capabilities['terminal'] === true,
    elicitation: { form: isRecord(form), url: isRecord(url) },
  }
}

const isEmpty = ({ readTextFile, writeTextFile, terminal, elicitation }: ClientOffer): boolean =>
  !readTextFile && !writeTextFile && !terminal && !elicitation.form && !elicitation.url

/**
 * One that stands in the chat for somebody below it says whose it is, as a permission request does; its tool call isn't
 * known there.
 */
export const questionOf = (
  params: JsonObject,
  path: readonly string[],
  { own, toolCallId }: Asker,
): JsonObject => {
  if (own || path.length === 0) return params
  const { toolCallId: _, message, _meta: meta, ...asked } = params
  return {
    ...asked,
    ...(toolCallId !== undefined && { toolCallId }),
    message: `${path.join('/')}: ${typeof message === 'string' ? message : ''}`,
    _meta: { ...(record(meta) as JsonObject), subgate: { path: [...path], message: message ?? null } },
  }
}

export interface EditorServicesOptions {
  readonly offer: ClientOffer
  /** The chat's directories. */
  readonly roots: readonly string[]
  /** An agent has a terminal of the editor's. */
  made(terminalId: string): void
  /** Resolves with the editor's answer, rejects with its error, also when it is withdrawn. */
  request(method: string, params: object, signal: AbortSignal): Promise<unknown>
  notify(method: string, params: object): Promise<void>
  /** Resolves when the editor has been told of all before this event; false: it never will be. */
  told(sessionId: SessionId, seq: number, signal: AbortSignal): Promise<boolean>
  /** Who asks, as the editor knows it; undefined: not at all. */
  asker(call: PlacedCall): Asker | undefined
  /** Somebody waits for the person; `cancel` withdraws the question. Resolves with what to call when it is over. */
  waits(call: PlacedCall, cancel: () => void): Promise<() => Promise<void>>
}

const WITHDRAWN: ClientAnswer = { error: { code: -32800, message: 'Request cancelled' } }
const GONE: ClientAnswer = { error: { code: -32603, message: 'The editor is gone' } }
const CANCELLED: ClientAnswer = { result: { action: 'cancel' } }

export class EditorServices implements Client {
  readonly #options: EditorServicesOptions
  /** Those of the editor, by whose question it is: agents don't know of each other's. */
  readonly #elicitations = new Map<string, string>()

  constructor(options: EditorServicesOptions) {
    this.#options = options
  }

  get offer(): ClientOffer {
    return this.#options.offer
  }

  get roots(): readonly string[] {
    return this.#options.roots
  }

  /** Undefined where there is nothing to be had. */
  get offered(): this | undefined {
    return isEmpty(this.offer) ? undefined : this
  }

  async request(call: PlacedCall): Promise<ClientAnswer> {
    const { sessionId, after, signal, method } = call
    const withdrawn = method === 'elicitation/create' ? CANCELLED : WITHDRAWN
    const told = await this.#options.told(sessionId, after, signal)
    // What an agent leaves is released also when nothing more is said of it.
    if (!told && (signal.aborted || method !== 'terminal/release')) return withdrawn
    const asker = this.#options.asker(call)
    if (asker === undefined)
      return { error: { code: -32602, message: 'The session that asks is not known to the editor yet' } }
    if (method === 'elicitation/create') return this.#ask(call, asker).catch(() => GONE)
    const answer = await this.#pass(call, { ...call.params, sessionId: asker.sessionId })
    if (method === 'terminal/create' && 'result' in answer) {
      const { terminalId } = answer.result
      if (typeof terminalId === 'string') this.#options.made(terminalId)
    }
    return answer
  }

  completeElicitation(sessionId: SessionId, elicitationId: string): void {
    const key = keyOf(sessionId, elicitationId)
    const known = this.#elicitations.get(key)
    if (known === undefined) return
    this.#elicitations.delete(key)
    // An editor that has gone is noticed by whoever reads for it.
    this.#options.notify('elicitation/complete', { elicitationId: known }).catch(() => {})
  }

  async #ask(call: PlacedCall, asker: Asker): Promise<ClientAnswer> {
    const { params, path, sessionId } = call
    const stopped = new AbortController()
    const over = await this.#options.waits(call, () => stopped.abort())
    const { elicitationId } = params
    const key = typeof elicitationId === 'string' ? keyOf(sessionId, elicitationId) : undefined
    const own = key === undefined ? {} : { elicitationId: randomUUID() }
    if (key !== undefined && own.elicitationId !== undefined) this.#elicitations.set(key, own.elicitationId)
    try {
      const signal = AbortSignal.any([call.signal, stopped.signal])
      const asked = { ...questionOf(params, path, asker), ...own, sessionId: asker.sessionId }
      const answer = await this.#pass({ ...call, signal }, asked)
      const accepted = 'result' in answer && answer.result['action'] === 'accept'
      if (!accepted && key !== undefined) this.#elicitations.delete(key)
      return 'error' in answer && signal.aborted ? CANCELLED : answer
    } finally {
      await over()
    }
  }

  async #pass(
    { method, signal }: Pick<PlacedCall, 'method' | 'signal'>,
    params: object,
  ): Promise<ClientAnswer> {
    try {
      const result = await this.#options.request(method, params, signal)
      // ACP lets an empty answer be null.
      return { result: record(result) as JsonObject }
    } catch (error) {
      if (signal.aborted) return WITHDRAWN
      if (!(error instanceof RequestError)) return GONE
      const { code, message, data } = error
      return { error: { code, message, ...(data !== undefined && { data }) } }
    }
  }
}

const keyOf = (sessionId: SessionId, elicitationId: string): string => `${sessionId} ${elicitationId}`
