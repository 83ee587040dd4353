/** Writes a Gemini generateContent answer: a stream of pieces or one document. */
import type { ServerResponse } from 'node:http'
import type { BreakCode } from './script.ts'
import type { Answer, Service } from './service.ts'
import { openEvents } from './sse.ts'

const USAGE = { promptTokenCount: 1400, candidatesTokenCount: 34, totalTokenCount: 1434 }
const STATUS: { readonly [status: number]: string } = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
}
const ENDS: { readonly [Code in BreakCode]: string } = {
  refusal: 'SAFETY',
  context_length_exceeded: 'MAX_TOKENS',
  server_error: 'OTHER',
  rate_limit_exceeded: 'OTHER',
}

/** What comes in the place of an end. */
const FAULTS: { readonly [Code in BreakCode]?: readonly [status: number, message: string] } = {
  server_error: [500, 'An internal error has occurred.'],
  rate_limit_exceeded: [429, 'Resource has been exhausted.'],
}

const error: Service['error'] = (code, message) => ({
  error: { code, message, status: STATUS[code] ?? 'INTERNAL' },
})

const partOf = ({ call, text }: Pick<Answer, 'call' | 'text'>): object =>
  call === undefined ? { text } : { functionCall: { name: call.tool, args: call.input } }

const endOf = ({ breaks }: Answer): string => (breaks === undefined ? 'STOP' : ENDS[breaks])

const stream = async (response: ServerResponse, answer: Answer, about: object): Promise<void> => {
  const events = openEvents(response)
  const piece = (parts: readonly object[], more: object = {}): object => ({
    ...about,
    candidates: [{ index: 0, content: { role: 'model', parts }, ...more }],
  })
  if (answer.call === undefined) {
    const whole = await events.words(answer.text, answer.until, (text) => events.piece(piece([{ text }])))
    if (!whole) return
    if (answer.cut) return void response.destroy()
    const fault = answer.breaks === undefined ? undefined : FAULTS[answer.breaks]
    if (fault !== undefined) {
      events.piece(error(...fault))
      return void response.end()
    }
  } else {
    events.piece(piece([partOf(answer)]))
  }
  events.piece({ ...piece([{ text: '' }], { finishReason: endOf(answer) }), usageMetadata: USAGE })
  response.end()
}

export const generateService: Service = {
  error,
  answer: async (response, request, answer) => {
    const about = { modelVersion: request.model, responseId: answer.id }
    if (request.stream) return stream(response, answer, about)
    if (answer.cut) return void response.destroy()
    response.writeHead(200, { 'content-type': 'application/json' })
    const content = { role: 'model', parts: [partOf(answer)] }
    const candidates = [{ index: 0, content, finishReason: endOf(answer) }]
    response.end(JSON.stringify({ ...about, candidates, usageMetadata: USAGE }))
  },
}
