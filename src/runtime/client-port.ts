/** One session's way to the client of the person it works for: placed in the tree, and in the order of its events. */
import type { Client, ClientAnswer, ClientCall, ClientOffer, SessionClient } from '../contract/client.ts'
import type { ElicitationRequested, ElicitationResolved } from '../contract/events.ts'
import type { SessionId } from '../contract/ids.ts'
import type { ResolvedStartRequest } from '../contract/request.ts'
import { after } from '../contract/timer.ts'
import type { Admitted } from './admit.ts'
import { isOffered, offerFor } from './client-offer.ts'
import type { LiveSession } from './live-session.ts'
import type { InnerStartOptions, Surroundings } from './options.ts'

/** As JSON-RPC says it of a request that was withdrawn. */
const WITHDRAWN: ClientAnswer = { error: { code: -32800, message: 'Request cancelled' } }
const CANCELLED: ClientAnswer = { result: { action: 'cancel' } }
const UNPUBLISHED: ClientAnswer = { error: { code: -32603, message: "The session isn't open yet" } }

const notOffered = ({ method }: ClientCall): ClientAnswer => ({
  error: { code: -32601, message: `Method not found: ${method}` },
})

/** As much of it as one line of a list may need. */
const MAX_MESSAGE = 1000

const messageOf = ({ params: { message } }: ClientCall): string =>
  (typeof message === 'string' && message.trim() !== '' ? message : 'a question').slice(0, MAX_MESSAGE)

const actionOf = (answer: ClientAnswer): ElicitationResolved['action'] => {
  const action = 'result' in answer ? answer.result['action'] : undefined
  return action === 'accept' || action === 'decline' ? action : 'cancel'
}

export class ClientPort implements SessionClient {
  readonly client: Client
  readonly offer: ClientOffer
  readonly #sessionId: SessionId
  readonly #isChild: boolean
  readonly #questionMs: number
  #session: LiveSession | undefined
  /** Web pages that a person was led to, and hasn't turned away from. */
  readonly #pages = new Set<unknown>()
  #questions = 0
  #asked = 0

  /** `questionMs`: until a question that nobody answers is cancelled; 0 = never. */
  constructor(client: Client, request: ResolvedStartRequest, questionMs: number) {
    this.client = client
    this.offer = offerFor(client, request)
    this.#sessionId = request.sessionId
    this.#isChild = request.parentSessionId !== undefined
    this.#questionMs = questionMs
  }

  /** A person was asked and hasn't answered: it isn't the agent that is silent. */
  get asking(): boolean {
    return this.#questions > 0
  }

  /** The session is published: what it has said until now can be waited for. */
  attach(session: LiveSession): void {
    this.#session = session
  }

  async request(call: ClientCall): Promise<ClientAnswer> {
    if (!isOffered(this.offer, call)) return notOffered(call)
    if (call.method !== 'elicitation/create') return this.#placed(call, WITHDRAWN)
    // Nobody can tell yet whose question it would be.
    if (this.#session === undefined) return CANCELLED
    const expired = new AbortController()
    using _ = this.#questionMs > 0 ? after(this.#questionMs, () => expired.abort()) : undefined
    const { elicitationId: page } = call.params
    this.#asks(1)
    const id = `form_${(this.#asked += 1)}`
    this.#log({ type: 'elicitation/requested', id, message: messageOf(call) })
    this.#pages.add(page)
    let action: ElicitationResolved['action'] = 'cancel'
    try {
      const signal = AbortSignal.any([call.signal, expired.signal])
      const answer = await this.#placed({ ...call, signal }, CANCELLED)
      action = actionOf(answer)
      if (action !== 'accept') this.#pages.delete(page)
      return answer
    } finally {
      this.#log({ type: 'elicitation/resolved', id, action })
      this.#asks(-1)
    }
  }

  completeElicitation(elicitationId: string): void {
    if (this.#pages.delete(elicitationId)) this.client.completeElicitation(this.#sessionId, elicitationId)
  }

  /** Whatever the client does, whoever withdraws a call is answered. */
  async #placed(call: ClientCall, withdrawn: ClientAnswer): Promise<ClientAnswer> {
    const { signal } = call
    if (signal.aborted) return withdrawn
    // What isn't published yet must not be named.
    if (this.#session === undefined && this.#isChild) return UNPUBLISHED
    const { promise: aborted, resolve } = Promise.withResolvers<ClientAnswer>()
    const withdraw = (): void => resolve(withdrawn)
    signal.addEventListener('abort', withdraw, { once: true })
    try {
      const { path = [], log } = this.#session ?? {}
      const placed = {
        ...call,
        sessionId: this.#sessionId,
        path: [...path, ...(call.path ?? [])],
        after: log?.lastSeq ?? 0,
      }
      return await Promise.race([this.client.request(placed), aborted])
    } finally {
      signal.removeEventListener('abort', withdraw)
    }
  }

  /** So that whoever reads the log sees that a person is waited for; a log that takes no more holds no answer up. */
  #log(event: ElicitationRequested | ElicitationResolved): void {
    const log = this.#session?.log
    try {
      log?.append(event, log.registers.openRun)
    } catch {
      // What ended the log is told by its run.
    }
  }

  #asks(more: 1 | -1): void {
    this.#questions += more
    this.#session?.stir()
  }
}

/** The one that came with the start, else what the session or its parent has had: the whole tree is one person's. */
export const clientPortOf = (
  { client }: Pick<InnerStartOptions, 'client'>,
  { request, resolved }: Pick<Admitted, 'request' | 'resolved'>,
  sessions: ReadonlyMap<SessionId, LiveSession>,
  { settings }: Pick<Surroundings, 'settings'>,
): ClientPort | undefined => {
  const { parentSessionId } = request
  const above = parentSessionId === undefined ? undefined : sessions.get(parentSessionId)
  const given = client ?? resolved.live?.client?.client ?? above?.client?.client
  return given && new ClientPort(given, request, settings().permissionTimeoutMs)
}
