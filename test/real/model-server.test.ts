/** The model on loopback refuses what the services refuse, and never keeps a key. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ModelServer } from './model-server.ts'

let model: ModelServer
beforeEach(async () => {
  model = await ModelServer.start('right')
})
afterEach(() => model.close())

const post = async (path: string, headers: Record<string, string>, body: unknown): Promise<Response> =>
  fetch(`${model.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
const messages = (body: object, path = '/v1/messages?beta=true'): Promise<Response> =>
  post(path, { 'x-api-key': 'right', 'anthropic-version': '2023-06-01' }, body)
const responses = (body: object): Promise<Response> =>
  post('/v1/responses', { authorization: 'Bearer right' }, body)

const ask = (...more: readonly object[]): object => ({
  model: 'm',
  max_tokens: 10,
  messages: [{ role: 'user', content: 'Hello.' }, ...more],
})
const use = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }] }
const result = (id: string): object => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }],
})

describe('Anthropic Messages', () => {
  test.for([
    ['no max_tokens', { model: 'm', messages: [{ role: 'user', content: 'x' }] }, 'max_tokens'],
    ['an unknown field', { ...ask(), extra: 1 }, 'Extra inputs'],
    ['a role it does not know', ask({ role: 'robot', content: 'x' }), 'messages.1.role'],
    ['an assistant first', { ...ask(), messages: [use, result('t1')] }, 'first message'],
    ['a result without its call', ask(result('t1')), 'unexpected tool_use_id'],
    ['a result with another id', ask(use, result('t2')), 'unexpected tool_use_id'],
    ['a call without its result', ask(use, { role: 'user', content: 'x' }), 'without tool_result'],
    ['a call at the end', ask(use), 'without tool_result'],
    ['empty text', ask({ role: 'assistant', content: '' }), 'non-empty'],
    ['two tools of one name', { ...ask(), tools: [tool('A'), tool('A')] }, 'unique'],
  ] as const)('refuses %s with 400', async ([, body, words]) => {
    const answer = await messages(body)
    expect(answer.status).toBe(400)
    const error = (await answer.json()) as { error: { message: string } }
    expect(error).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } })
    expect(error.error.message).toContain(words)
    expect(model.refused).toHaveLength(1)
  })

  test('takes a call with its result', async () => {
    model.when('Hello.', { do: 'hang' }, { do: 'say', text: 'Hi there.' })
    const answer = await messages(ask(use, result('t1')))
    expect(await answer.json()).toMatchObject({
      content: [{ type: 'text', text: 'Hi there.' }],
      stop_reason: 'end_turn',
    })
    expect(model.refused).toEqual([])
    expect(model.seen).toMatchObject([{ path: '/v1/messages', turn: { prompt: 'Hello.', done: 1 } }])
  })

  test('counts tokens, where max_tokens is an extra field', async () => {
    const path = '/v1/messages/count_tokens?beta=true'
    const { max_tokens: _, ...counting } = ask() as { max_tokens: number }
    expect((await messages(counting, path)).status).toBe(200)
    expect((await messages(ask(), path)).status).toBe(400)
  })

  test('refuses a wrong key with 401 and does not keep it', async () => {
    const answer = await post('/v1/messages', { 'x-api-key': 'wr0ng' }, ask())
    expect(answer.status).toBe(401)
    expect(await answer.json()).toMatchObject({ type: 'error', error: { type: 'authentication_error' } })
    expect(JSON.stringify(model)).not.toContain('wr0ng')
  })
})

function tool(name: string): object {
  return { name, input_schema: { type: 'object' } }
}

const user = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] }
const call = { type: 'function_call', call_id: 'c1', name: 'exec', arguments: '{}' }
const output = { type: 'function_call_output', call_id: 'c1', output: 'ok' }

describe('OpenAI Responses', () => {
  test.for([
    ['an unknown parameter', { model: 'm', input: [user], extra: 1 }, 'Unknown parameter'],
    ['a user who speaks output_text', { model: 'm', input: [{ ...user, role: 'assistant' }] }, 'input_text'],
    ['a role it does not know', { model: 'm', input: [{ ...user, role: 'robot' }] }, 'role'],
    ['an output without its call', { model: 'm', input: [user, output] }, 'No tool call found'],
    ['a call without its output', { model: 'm', input: [user, call] }, 'No tool output found'],
    ['an output given twice', { model: 'm', input: [user, call, output, output] }, 'No tool call found'],
    ['an item of unknown type', { model: 'm', input: [{ type: 'thought' }] }, 'thought'],
    ['a foreign id', { model: 'm', input: [{ ...user, id: 'fc_1' }] }, "begins with 'msg'"],
    [
      'a tool without parameters',
      { model: 'm', input: [user], tools: [{ type: 'function', name: 'x' }] },
      '',
    ],
  ] as const)('refuses %s with 400', async ([, body, words]) => {
    const answer = await responses(body)
    expect(answer.status).toBe(400)
    const error = (await answer.json()) as { error: { message: string } }
    expect(error).toMatchObject({ error: { type: 'invalid_request_error' } })
    expect(error.error.message).toContain(words)
  })

  test('takes a call with its output and streams the next step', async () => {
    model.when('Hello.', { do: 'hang' }, { do: 'say', text: 'Hi there.' })
    const answer = await responses({ model: 'm', stream: true, input: [user, call, output] })
    const stream = await answer.text()
    expect(stream).toContain('event: response.output_text.delta\n')
    expect(stream).toContain('event: response.completed\n')
    expect(model.refused).toEqual([])
  })

  test('refuses a wrong key with 401', async () => {
    const answer = await post('/v1/responses', { authorization: 'Bearer wr0ng' }, { model: 'm', input: 'x' })
    expect(answer.status).toBe(401)
    expect(await answer.json()).toMatchObject({ error: { code: 'invalid_api_key' } })
  })
})

const path = '/v1beta/models/m:streamGenerateContent?alt=sse'
const generate = (body: object): Promise<Response> => post(path, { 'x-goog-api-key': 'right' }, body)
const saying = (role: string, ...parts: readonly object[]): object => ({ role, parts })
const asked = saying('user', { text: 'Hello.' })
const called = saying('model', { functionCall: { name: 'exec', args: {} } })
const answered = saying('user', { functionResponse: { name: 'exec', response: { output: 'ok' } } })

describe('Gemini', () => {
  test.for([
    ['an unknown field', { contents: [asked], extra: 1 }, 'Unknown name "extra"'],
    ['no contents', { contents: [] }, 'contents is not specified'],
    ['a role it does not know', { contents: [saying('robot', { text: 'x' })] }, 'valid role'],
    ['a content without parts', { contents: [saying('user')] }, 'must not be empty'],
    ['a part of two kinds', { contents: [saying('user', { text: 'x', inlineData: {} })] }, 'oneof'],
    ['a result without its call', { contents: [asked, answered] }, 'number of function response parts'],
    ['a call without its result', { contents: [asked, called, asked] }, 'number of function response parts'],
    [
      'a model that speaks last',
      { contents: [asked, saying('model', { text: 'x' })] },
      'end with a user role',
    ],
    [
      'two tools of one name',
      { contents: [asked], tools: [{ functionDeclarations: [{ name: 'A' }, { name: 'A' }] }] },
      'Duplicate function declaration',
    ],
  ] as const)('refuses %s with 400', async ([, body, words]) => {
    const answer = await generate(body)
    expect(answer.status).toBe(400)
    const error = (await answer.json()) as { error: { message: string } }
    expect(error).toMatchObject({ error: { code: 400, status: 'INVALID_ARGUMENT' } })
    expect(error.error.message).toContain(words)
    expect(model.refused).toHaveLength(1)
  })

  test('takes a call with its result and streams the next step', async () => {
    model.when('Hello.', { do: 'hang' }, { do: 'say', text: 'Hi there.' })
    const stream = await (await generate({ contents: [asked, called, answered] })).text()
    const pieces = stream.split('\n\n').filter((piece) => piece !== '')
    expect(pieces.map((piece) => JSON.parse(piece.slice('data: '.length)) as object)).toMatchObject([
      { candidates: [{ content: { parts: [{ text: 'Hi ' }] } }] },
      { candidates: [{ content: { parts: [{ text: 'there.' }] } }] },
      { candidates: [{ finishReason: 'STOP' }], usageMetadata: { candidatesTokenCount: 34 } },
    ])
    expect(model.refused).toEqual([])
  })

  test('refuses a wrong key with 401 and does not keep it', async () => {
    const answer = await post(path, { 'x-goog-api-key': 'wr0ng' }, { contents: [asked] })
    expect(answer.status).toBe(401)
    expect(await answer.json()).toMatchObject({ error: { code: 401, status: 'UNAUTHENTICATED' } })
    expect(JSON.stringify(model)).not.toContain('wr0ng')
  })
})
