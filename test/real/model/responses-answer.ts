/** Writes an OpenAI Responses answer: a stream of events or one document. */
import type { ServerResponse } from 'node:http'
import type { Answer, Service } from './service.ts'
import { openEvents } from './sse.ts'
import type { EventWriter } from './sse.ts'

const USAGE = {
  input_tokens: 1200,
  input_tokens_details: { cached_tokens: 200 },
  output_tokens: 34,
  output_tokens_details: { reasoning_tokens: 10 },
  total_tokens: 1234,
}
const AT = { output_index: 0 }

type Item = Readonly<Record<string, unknown>>

const itemOf = (answer: Answer): Item =>
  answer.call === undefined
    ? {
        id: `msg_${answer.id}`,
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: answer.text, annotations: [] }],
      }
    : {
        id: `fc_${answer.id}`,
        type: 'function_call',
        status: 'completed',
        call_id: `call_${answer.id}`,
        name: answer.call.tool,
        ...(answer.call.namespace === undefined ? {} : { namespace: answer.call.namespace }),
        arguments: JSON.stringify(answer.call.input),
      }

const sendCall = (events: EventWriter, item: Item): void => {
  const { id: item_id, arguments: json } = item
  events.send('response.output_item.added', {
    ...AT,
    item: { ...item, status: 'in_progress', arguments: '' },
  })
  events.send('response.function_call_arguments.delta', { ...AT, item_id, delta: json })
  events.send('response.function_call_arguments.done', { ...AT, item_id, arguments: json })
}

const sendText = async (events: EventWriter, item: Item, answer: Answer): Promise<boolean> => {
  const at = { ...AT, item_id: item['id'], content_index: 0 }
  const part = { type: 'output_text', text: answer.text, annotations: [] }
  events.send('response.output_item.added', { ...AT, item: { ...item, status: 'in_progress', content: [] } })
  events.send('response.content_part.added', { ...at, part: { ...part, text: '' } })
  const whole = await events.words(answer.text, answer.until, (delta) => {
    events.send('response.output_text.delta', { ...at, delta })
  })
  if (!whole || answer.cut) return false
  events.send('response.output_text.done', { ...at, text: answer.text })
  events.send('response.content_part.done', { ...at, part })
  return true
}

const stream = async (response: ServerResponse, answer: Answer, base: object): Promise<void> => {
  const events = openEvents(response)
  const item = itemOf(answer)
  events.send('response.created', { response: { ...base, status: 'in_progress', output: [] } })
  if (answer.call !== undefined) sendCall(events, item)
  else if (!(await sendText(events, item, answer))) return void response.destroy()
  if (answer.breaks !== undefined) {
    const error = { code: answer.breaks, message: 'The answer could not be finished.' }
    events.send('response.failed', { response: { ...base, status: 'failed', output: [], error } })
    return void response.end()
  }
  events.send('response.output_item.done', { ...AT, item })
  events.send('response.completed', {
    response: { ...base, status: 'completed', output: [item], usage: USAGE },
  })
  response.end()
}

export const responsesService: Service = {
  error: (status, message) => ({
    error: {
      message,
      type: status === 429 ? 'rate_limit_error' : status === 500 ? 'server_error' : 'invalid_request_error',
      param: null,
      code: status === 401 ? 'invalid_api_key' : status === 429 ? 'rate_limit_exceeded' : null,
    },
  }),
  answer: async (response, request, answer) => {
    const base = { id: `resp_${answer.id}`, object: 'response', created_at: 0, model: request.model }
    if (request.stream) return stream(response, answer, base)
    if (answer.cut) return void response.destroy()
    const whole = { ...base, status: 'completed', output: [itemOf(answer)], usage: USAGE }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole))
  },
}
