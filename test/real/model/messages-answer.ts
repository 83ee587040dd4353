/** Writes an Anthropic Messages answer: a stream of events or one document. */
import type { ServerResponse } from 'node:http'
import type { Answer, Service } from './service.ts'
import { openEvents } from './sse.ts'

const USAGE = { input_tokens: 1200, cache_creation_input_tokens: 0, cache_read_input_tokens: 200 }
const ERROR_TYPES: { readonly [status: number]: string } = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  500: 'api_error',
}

const contentOf = (answer: Answer): Readonly<Record<string, unknown>> =>
  answer.call === undefined
    ? { type: 'text', text: answer.text }
    : { type: 'tool_use', id: `toolu_${answer.id}`, name: answer.call.tool, input: answer.call.input }

const stopOf = ({ call, breaks }: Answer): string => {
  if (breaks === 'refusal') return 'refusal'
  if (breaks === 'context_length_exceeded') return 'model_context_window_exceeded'
  return call === undefined ? 'end_turn' : 'tool_use'
}

const stream = async (response: ServerResponse, answer: Answer, message: object): Promise<void> => {
  const events = openEvents(response)
  const block = contentOf(answer)
  events.send('message_start', {
    message: { ...message, content: [], stop_reason: null, usage: { ...USAGE, output_tokens: 1 } },
  })
  const start = answer.call === undefined ? { type: 'text', text: '' } : { ...block, input: {} }
  events.send('content_block_start', { index: 0, content_block: start })
  events.send('ping', {})
  if (answer.call === undefined) {
    const whole = await events.words(answer.text, answer.until, (text) => {
      events.send('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })
    })
    if (!whole) return
    if (answer.cut) return void response.destroy()
    if (answer.breaks === 'server_error') {
      events.send('error', { error: { type: 'api_error', message: 'Internal server error' } })
      return void response.end()
    }
  } else {
    const json = JSON.stringify(answer.call.input)
    events.send('content_block_delta', { index: 0, delta: { type: 'input_json_delta', partial_json: json } })
  }
  events.send('content_block_stop', { index: 0 })
  const stop = stopOf(answer)
  events.send('message_delta', {
    delta: { stop_reason: stop, stop_sequence: null },
    usage: { ...USAGE, output_tokens: 34 },
  })
  events.send('message_stop', {})
  response.end()
}

export const messagesService: Service = {
  error: (status, message) => ({
    type: 'error',
    error: { type: ERROR_TYPES[status] ?? 'api_error', message },
    request_id: 'req_loopback',
  }),
  answer: async (response, request, answer) => {
    const message = {
      id: `msg_${answer.id}`,
      type: 'message',
      role: 'assistant',
      model: request.model,
      content: [contentOf(answer)],
      stop_reason: stopOf(answer),
      stop_sequence: null,
      usage: { ...USAGE, output_tokens: 34 },
    }
    if (request.stream) return stream(response, answer, message)
    if (answer.cut) return void response.destroy()
    if (answer.breaks === 'server_error') {
      const error = { type: 'api_error', message: 'Internal server error' }
      response.writeHead(500, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify({ type: 'error', error }))
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message))
  },
}
