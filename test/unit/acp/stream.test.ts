/** The editor's stream: what the SDK says arrives as lines, whole and in order, and several updates cost one message. */
import { Buffer } from 'node:buffer'
import type * as acp from '@agentclientprotocol/sdk/unstable'
import { expect, test } from 'vitest'
import { editorStream, Updates } from '../../../src/acp/stream.ts'

const KIB = 1024

const chunk = (text: string) => ({
  update: { sessionUpdate: 'agent_message_chunk' as const, content: { type: 'text' as const, text } },
})

const notification = (params: unknown): acp.AnyMessage => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params,
})

const silence = (): ReadableStream<Uint8Array> => new ReadableStream()

/** Takes all of it, or what it is told to. */
const listener = (say?: () => Promise<void>) => {
  const pieces: Buffer[] = []
  const way = {
    say: async (piece: Uint8Array) => {
      pieces.push(Buffer.from(piece))
      await say?.()
    },
    flushed: () => Promise.resolve(),
  }
  const lines = (): unknown[] =>
    Buffer.concat(pieces)
      .toString()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as unknown)
  return { pieces, way, lines }
}

test('updates that are passed together are notifications of their own, each with all of its fields', async () => {
  const { way, lines, pieces } = listener()
  const writer = editorStream(way, silence()).writable.getWriter()
  const foreign = { update: { ...chunk('b').update, x_unknown: [1, null] } }
  await writer.write(notification(new Updates('s1', [chunk('a'), foreign])))
  expect(lines()).toEqual([
    {
      jsonrpc: '2.0',
      method: 'session/update',
      params: {
        sessionId: 's1',
        update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'a' } },
      },
    },
    {
      jsonrpc: '2.0',
      method: 'session/update',
      params: {
        sessionId: 's1',
        update: {
          sessionUpdate: 'agent_message_chunk',
          content: { type: 'text', text: 'b' },
          x_unknown: [1, null],
        },
      },
    },
  ])
  expect(pieces).toHaveLength(1)
})

test('what else is said keeps its place among them', async () => {
  const { way, lines } = listener()
  const writer = editorStream(way, silence()).writable.getWriter()
  void writer.write(notification(new Updates('s1', [chunk('a')])))
  void writer.write({ jsonrpc: '2.0', id: 7, method: 'session/request_permission', params: {} })
  void writer.write(notification(new Updates('s1', [chunk('b')])))
  await writer.write({ jsonrpc: '2.0', id: 1, result: { stopReason: 'end_turn' } })
  expect(lines().map((line) => JSON.stringify(line).replaceAll(/.*"(text":"[ab]|id":\d).*/gu, '$1'))).toEqual(
    ['text":"a', 'id":7', 'text":"b', 'id":1'],
  )
})

test('C17: of much that is passed at once no more is made ready than the reader takes', async () => {
  const taken = Promise.withResolvers<void>()
  const { way, pieces, lines } = listener(() => taken.promise)
  const writer = editorStream(way, silence()).writable.getWriter()
  const said = Array.from({ length: 64 }, () => chunk('x'.repeat(4 * KIB)))
  const written = writer.write(notification(new Updates('s1', said)))
  await new Promise((resolve) => {
    setImmediate(resolve)
  })
  expect(Buffer.concat(pieces).length).toBeLessThan(32 * KIB)
  taken.resolve()
  await written
  expect(lines()).toHaveLength(64)
})

test('a line that is no JSON is answered as JSON-RPC says', async () => {
  const { way, lines } = listener()
  const input = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(Buffer.from('garbage\n'))
      controller.close()
    },
  })
  const reader = editorStream(way, input).readable.getReader()
  expect(await reader.read()).toEqual({ done: true, value: undefined })
  expect(lines()).toMatchObject([{ jsonrpc: '2.0', id: null, error: { code: -32700 } }])
})
