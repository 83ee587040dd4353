import { RequestError } from '@agentclientprotocol/sdk/unstable'
import { describe, expect, test } from 'vitest'
import { EditorServices, offerOf, questionOf } from '../../../src/acp/editor-services.ts'
import type { EditorServicesOptions } from '../../../src/acp/editor-services.ts'
import { Progress } from '../../../src/acp/progress.ts'
import type { PlacedCall } from '../../../src/contract/client.ts'
import { sessionId } from '../../../src/contract/ids.ts'
import { ALL_OFFERED } from '../../fixtures/recorded-client.ts'

const ID = sessionId('ses_1')
const NOTHING = {
  readTextFile: false,
  writeTextFile: false,
  terminal: false,
  elicitation: { form: false, url: false },
}

describe('what an editor offers', () => {
  test('is what it says with true, or with an object', () => {
    expect(offerOf({})).toEqual(NOTHING)
    expect(
      offerOf({
        fs: { readTextFile: true, writeTextFile: true },
        terminal: true,
        elicitation: { form: {}, url: {} },
      }),
    ).toEqual(ALL_OFFERED)
  })

  test('is nothing where it says anything else', () => {
    expect(
      offerOf({ fs: { readTextFile: 'yes' }, terminal: {}, elicitation: { form: null, url: true } }),
    ).toEqual(NOTHING)
    expect(offerOf({ fs: true, elicitation: {} })).toEqual(NOTHING)
  })
})

describe('a question', () => {
  const params = { mode: 'form', message: 'Which?', toolCallId: 't1', _meta: { a: 1 } }

  test('in a session of its own stays as it was asked', () => {
    expect(questionOf(params, ['one'], { sessionId: 's', own: true })).toBe(params)
    expect(questionOf(params, [], { sessionId: 's', own: false })).toBe(params)
  })

  test('in the chat says whose it is, and names no tool call that is not known there', () => {
    expect(questionOf(params, ['one', 'two'], { sessionId: 's', own: false })).toEqual({
      mode: 'form',
      message: 'one/two: Which?',
      _meta: { a: 1, subgate: { path: ['one', 'two'], message: 'Which?' } },
    })
    expect(questionOf(params, ['one'], { sessionId: 's', own: false, toolCallId: 'call' })).toMatchObject({
      toolCallId: 'call',
    })
  })
})

const services = (more: Partial<EditorServicesOptions> = {}): EditorServices & { asked: unknown[] } => {
  const asked: unknown[] = []
  const made = new EditorServices({
    offer: ALL_OFFERED,
    roots: ['/'],
    request: (method, params) => {
      asked.push([method, params])
      return Promise.resolve({})
    },
    notify: () => Promise.resolve(),
    made: () => {},
    told: () => Promise.resolve(true),
    asker: () => ({ sessionId: 'wire', own: true }),
    waits: () => Promise.resolve(() => Promise.resolve()),
    ...more,
  })
  return Object.assign(made, { asked })
}

const call = (more: Partial<PlacedCall> = {}): PlacedCall => ({
  method: 'fs/read_text_file',
  params: { path: '/a' },
  sessionId: ID,
  path: [],
  after: 0,
  signal: new AbortController().signal,
  ...more,
})

describe('a call', () => {
  test("goes out under the editor's own id of the session", async () => {
    const face = services()
    expect(await face.request(call())).toEqual({ result: {} })
    expect(face.asked).toEqual([['fs/read_text_file', { path: '/a', sessionId: 'wire' }]])
  })

  test('is none of an editor that offers nothing', () => {
    expect(services({ offer: NOTHING }).offered).toBeUndefined()
  })

  test('of a session that the editor does not know is refused', async () => {
    const face = services({ asker: () => undefined })
    expect(await face.request(call())).toMatchObject({ error: { code: -32602 } })
    expect(face.asked).toEqual([])
  })

  test('waits until the editor was told what precedes it', async () => {
    const progress = new Progress()
    const face = services({ told: (id, seq, signal) => progress.told(id, seq, signal) })
    const answer = face.request(call({ after: 3 }))
    progress.reached(ID, 2)
    progress.reached(sessionId('ses_2'), 3)
    await new Promise((resolve) => setImmediate(resolve))
    expect(face.asked).toEqual([])
    progress.reached(ID, 3)
    expect(await answer).toEqual({ result: {} })
    expect(await face.request(call({ after: 3 }))).toEqual({ result: {} })
  })

  test('that nobody waits for any more, or that the editor will not hear, is answered and never goes out', async () => {
    const progress = new Progress()
    const face = services({ told: (id, seq, signal) => progress.told(id, seq, signal) })
    const stop = new AbortController()
    const read = face.request(call({ after: 1, signal: stop.signal }))
    const form = face.request(
      call({ after: 1, method: 'elicitation/create', params: { mode: 'form' }, signal: stop.signal }),
    )
    stop.abort()
    expect(await read).toEqual({ error: { code: -32800, message: 'Request cancelled' } })
    expect(await form).toEqual({ result: { action: 'cancel' } })
    const late = face.request(call({ after: 1 }))
    progress.end()
    expect(await late).toMatchObject({ error: { code: -32800 } })
    progress.close()
    expect(await face.request(call({ after: 1 }))).toMatchObject({ error: { code: -32800 } })
    expect(face.asked).toEqual([])
    // A terminal that nobody has any more must go all the same.
    expect(await face.request(call({ after: 1, method: 'terminal/release' }))).toEqual({ result: {} })
  })

  test("has the editor's error, and one of ours when the editor is gone", async () => {
    const refused = services({
      request: () => Promise.reject(new RequestError(-32002, 'no buffer', { uri: '/a' })),
    })
    expect(await refused.request(call())).toEqual({
      error: { code: -32002, message: 'no buffer', data: { uri: '/a' } },
    })
    const gone = services({ request: () => Promise.reject(new Error('closed')) })
    expect(await gone.request(call())).toMatchObject({ error: { code: -32603 } })
  })

  test('of a child that its user stops is cancelled, and the child waits no longer', async () => {
    let stop = (): void => {}
    let over = 0
    const face = services({
      request: (_method, _params, signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('withdrawn')))),
      waits: async (_, cancel) => {
        stop = cancel
        return async () => void (over += 1)
      },
    })
    const answer = face.request(call({ method: 'elicitation/create', params: { mode: 'form' } }))
    await new Promise((resolve) => setImmediate(resolve))
    stop()
    expect(await answer).toEqual({ result: { action: 'cancel' } })
    expect(over).toBe(1)
  })
})
