/** The agent that a gateway is checked with: the words of a prompt say what it does. Served over standard input and output. */
import type { Readable, Writable } from 'node:stream'
import { isRecord } from '../../contract/json.ts'
import { JsonRpcPeer } from '../../wire/peer.ts'
import { RpcError } from '../../wire/rpc-error.ts'

const OPTIONS = [
  { optionId: 'y', name: 'Yes', kind: 'allow_once' },
  { optionId: 'n', name: 'No', kind: 'reject_once' },
]

type Fields = Readonly<Record<string, unknown>>

const record = (value: unknown): Fields => (isRecord(value) ? value : {})

const wordsOf = ({ prompt }: Fields): string =>
  (Array.isArray(prompt) ? prompt.filter(isRecord) : [])
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('')

/** Resolves when its input has ended. */
export const serveProbe = async (input: Readable, output: Writable): Promise<void> => {
  const ended = Promise.withResolvers<void>()
  let offered: unknown
  let sessions = 0
  /** Turns that last until they are cancelled, by session. */
  const waiting = new Map<unknown, () => void>()
  const peer = new JsonRpcPeer({
    write: (line) => output.write(line),
    notification: (method, params) => {
      if (method === 'session/cancel') waiting.get(record(params)['sessionId'])?.()
    },
    diagnostic: () => {},
    request: (method, params) => {
      switch (method) {
        case 'initialize':
          offered = record(params)['clientCapabilities']
          return { protocolVersion: 1, agentCapabilities: {}, authMethods: [] }
        case 'session/new':
          sessions += 1
          return { sessionId: `probe-${sessions}` }
        case 'session/prompt':
          return turn(record(params))
        default:
          throw new RpcError(-32601, `The probe has no method ${method}.`)
      }
    },
  })
  const turn = async (params: Fields): Promise<object> => {
    const { sessionId } = params
    const say = (text: string, more: object = {}): void =>
      peer.notify('session/update', {
        sessionId,
        update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, ...more },
      })
    const [, echo = '', ask] = /^echo (\w+)(, then ask)?$/u.exec(wordsOf(params)) ?? []
    const [, count = '0'] = /^count (\d+)$/u.exec(wordsOf(params)) ?? []
    if (echo !== '') say(echo)
    if (ask !== undefined) {
      const toolCall = { toolCallId: `${String(sessionId)}-ask`, title: 'A question', kind: 'edit' }
      const answer = await peer.request('session/request_permission', {
        sessionId,
        toolCall,
        options: OPTIONS,
      })
      const { optionId, outcome } = record(record(answer)['outcome'])
      say(`[${String(optionId ?? outcome)}]`)
    }
    for (let number = 0; number < Number(count); number += 1) say(`${number} `)
    if (wordsOf(params) === 'wait') {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.set(sessionId, resolve)
      say('waiting')
      await promise
      return { stopReason: 'cancelled' }
    }
    if (wordsOf(params) === 'hello') say('hello')
    if (wordsOf(params) === 'capabilities') say(JSON.stringify(offered ?? {}))
    if (wordsOf(params) === 'meta')
      say(JSON.stringify(params['_meta'] ?? {}), { _meta: { probe: { deep: 'kept' } } })
    return { stopReason: 'end_turn' }
  }
  input.on('data', (chunk: Buffer) => peer.receive(chunk))
  input.once('end', () => ended.resolve())
  await ended.promise
}
