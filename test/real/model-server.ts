/**
 * A model on loopback that speaks Anthropic Messages, OpenAI Responses and Gemini, as strict about requests as
 * the services themselves. Tests say what it does for a prompt; it keeps what was asked, never a key.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { generateService } from './model/generate-answer.ts'
import { readGenerate } from './model/generate-check.ts'
import { messagesService } from './model/messages-answer.ts'
import { readMessages } from './model/messages-check.ts'
import { Refusal } from './model/refusal.ts'
import { responsesService } from './model/responses-answer.ts'
import { readResponses } from './model/responses-check.ts'
import { asideText, turnOf } from './model/script.ts'
import type { ModelRequest, Step, ToolInput, Turn } from './model/script.ts'
import type { Answer, Service } from './model/service.ts'

export interface SeenRequest {
  readonly path: string
  /** The scripted turn that it belonged to; absent for what the agent asks on its own. */
  readonly turn?: Turn
  readonly asked: ModelRequest
  /** The agent closed the connection before the answer was whole. */
  aborted: boolean
}

export class ModelServer implements AsyncDisposable {
  /** The only key that is let in. */
  readonly key: string
  readonly seen: SeenRequest[] = []
  /** Requests that a real service would not have taken, and scripts that don't fit: a test wants none. */
  readonly refused: string[] = []
  /** For what the agent asks on its own; without it, a word. */
  aside: Step | undefined
  readonly #server: Server
  readonly #script = new Map<string, readonly Step[]>()
  #port = 0
  #answers = 0

  private constructor(key: string) {
    this.key = key
    this.#server = createServer((request, response) => {
      void this.#serve(request, response)
    })
  }

  static async start(key = 'loopback-key'): Promise<ModelServer> {
    const model = new ModelServer(key)
    model.#server.listen(0, '127.0.0.1')
    await once(model.#server, 'listening')
    model.#port = (model.#server.address() as AddressInfo).port
    return model
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** The n-th step answers the request that carries n tool results after this prompt. */
  when(prompt: string, ...steps: readonly Step[]): void {
    this.#script.set(prompt, steps)
  }

  turns(prompt: string): readonly SeenRequest[] {
    return this.seen.filter((request) => request.turn?.prompt === prompt)
  }

  /** From here on the port is closed: connections are refused. */
  async close(): Promise<void> {
    if (!this.#server.listening) return
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', this.url).pathname
    const service = serviceAt(path)
    try {
      this.#authorize(request)
      if (request.method === 'GET' && path === '/v1/models') {
        reply(response, 200, { object: 'list', data: [], has_more: false })
        return
      }
      if (request.method !== 'POST') throw new Refusal(404, `No route ${request.method} ${path}`)
      const asked = await this.#read(request, path)
      if (path.endsWith('/count_tokens')) reply(response, 200, { input_tokens: 100 })
      else if (path.endsWith(':countTokens')) reply(response, 200, { totalTokens: 100 })
      else await this.#answer(response, service, asked, path)
    } catch (error) {
      const { status, message } = error instanceof Refusal ? error : new Refusal(500, String(error))
      // A wrong key is something that tests ask for.
      if (status !== 401) this.refused.push(`${path}: ${message}`)
      reply(response, status, service.error(status, message))
    }
  }

  #authorize({ headers }: IncomingMessage): void {
    const given =
      headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers.authorization?.replace(/^Bearer /, '')
    if (given !== this.key) throw new Refusal(401, 'The API key is missing or wrong')
  }

  async #read(request: IncomingMessage, path: string): Promise<ModelRequest> {
    const { headers } = request
    const body = await json(request).catch(() => {
      throw new Refusal(400, 'The request body is not valid JSON')
    })
    if (path === '/v1/responses') return readResponses(body)
    const [, model, action] = GENERATE.exec(path) ?? []
    if (model !== undefined && action !== undefined) return readGenerate(body, model, action)
    if (path !== '/v1/messages' && path !== '/v1/messages/count_tokens') {
      throw new Refusal(404, `No route POST ${path}`)
    }
    if (headers['anthropic-version'] !== '2023-06-01') throw new Refusal(400, 'anthropic-version: missing')
    return readMessages(body, path !== '/v1/messages', String(headers['anthropic-beta'] ?? ''))
  }

  async #answer(
    response: ServerResponse,
    service: Service,
    request: ModelRequest,
    path: string,
  ): Promise<void> {
    const turn = turnOf(request.entries, new Set(this.#script.keys()))
    const seen: SeenRequest = {
      path,
      asked: request,
      aborted: false,
      ...(turn === undefined ? {} : { turn }),
    }
    this.seen.push(seen)
    response.on('close', () => {
      seen.aborted = !response.writableFinished
    })
    const step = this.#step(request, turn)
    if (step.do === 'hang') return
    if (step.do === 'fail') {
      const words = step.status === 429 ? 'Rate limit reached' : 'The server had an error'
      reply(response, step.status, step.body ?? service.error(step.status, words), step.headers)
      return
    }
    if (step.do === 'garbage') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(step.text)
      return
    }
    this.#answers += 1
    const answer: Answer = {
      id: `loopback${this.#answers}`,
      text: textOf(step, request),
      cut: step.do === 'cut',
      ...(step.do === 'break' && { breaks: step.code }),
      ...(step.do === 'say' && step.until !== undefined ? { until: step.until } : {}),
      ...(step.do === 'call' ? { call: { ...step, input: inputOf(step, request) } } : {}),
    }
    await service.answer(response, request, answer)
  }

  #step(request: ModelRequest, turn: Turn | undefined): Step {
    if (turn === undefined) return this.aside ?? { do: 'say', text: asideText(request.schema) }
    const step = this.#script.get(turn.prompt)?.[turn.done]
    if (step === undefined) throw new Refusal(500, `No step ${turn.done} for "${turn.prompt}"`)
    // Who offers no tool at all asks on its own, for a title of what was just said.
    if (step.do === 'call' && step.unoffered !== true && request.tools.length === 0) return ASIDE
    if (step.do === 'call' && step.unoffered !== true && !request.tools.includes(step.tool)) {
      throw new Refusal(500, `The agent offers no tool ${step.tool}, but ${request.tools.join(', ')}`)
    }
    return step
  }
}

const ASIDE: Step = { do: 'say', text: 'Aside.' }

const GENERATE = /^\/v1beta\/models\/([\w.-]+):(streamGenerateContent|generateContent|countTokens)$/u

const serviceAt = (path: string): Service => {
  if (path.startsWith('/v1beta/')) return generateService
  return path.endsWith('/responses') ? responsesService : messagesService
}

const inputOf = ({ input }: Extract<Step, { do: 'call' }>, request: ModelRequest): ToolInput =>
  typeof input === 'function' ? input(request) : input

const textOf = (step: Exclude<Step, { do: 'hang' | 'fail' | 'garbage' }>, request: ModelRequest): string =>
  step.do === 'call' ? '' : step.do === 'tell' ? step.tell(request) : step.text

const reply = (
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void => {
  if (response.headersSent) response.destroy()
  else
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
