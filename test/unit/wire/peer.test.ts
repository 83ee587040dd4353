/** The two-way peer: what each side sees of requests, answers, notifications and noise. */
import { expect, test, vi } from 'vitest'
import type { PeerOptions } from '../../../src/wire/peer.ts'
import { RpcError } from '../../../src/wire/rpc-error.ts'
import { answer, connect, settled } from './connected-peer.ts'

test('a request goes out with an id of its own and resolves with the result that names it', async () => {
  const { peer, sent, receive } = connect()
  const first = peer.request('a', { x: 1 })
  const second = peer.request('b', undefined)
  expect(sent).toEqual([
    { jsonrpc: '2.0', id: 0, method: 'a', params: { x: 1 } },
    { jsonrpc: '2.0', id: 1, method: 'b' },
  ])
  receive(answer(1, 'B'), answer(0, null))
  expect(await second).toBe('B')
  expect(await first).toBeNull()
})

test('an error response rejects with its code, message and data', async () => {
  const { peer, receive } = connect()
  const request = peer.request('session/new', {})
  receive({ jsonrpc: '2.0', id: 0, error: { code: -32000, message: 'Sign in', data: { methods: [] } } })
  await expect(request).rejects.toMatchObject({
    name: 'RpcError',
    code: -32000,
    message: 'Sign in',
    data: { methods: [] },
  })
})

test('C01: a log object, numbers, strings and banners settle nothing, get no answer and are counted', async () => {
  const { peer, sent, diagnostics, receive } = connect()
  const request = peer.request('initialize', {})
  receive(
    'Starting demo agent 1.0',
    '',
    '\u001b[2J\u001b[H',
    '1',
    'null',
    '"ready"',
    '[1,2]',
    '{"level":"info","id":0,"msg":"up"}',
  )
  expect(peer.noise).toEqual({ count: 7, first: 'Starting demo agent 1.0' })
  expect(diagnostics.map(({ kind }) => kind)).toEqual([
    'noise',
    'noise',
    'noise',
    'noise',
    'noise',
    'batch',
    'noise',
  ])
  receive(answer(0, { protocolVersion: 1 }))
  expect(await request).toEqual({ protocolVersion: 1 })
  // The array alone is answered.
  expect(sent.slice(1)).toEqual([
    { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Batches are not supported' } },
  ])
})

test('C01: the first noise line is quoted in at most 200 characters, with its control characters visible', () => {
  const { peer, receive } = connect()
  receive(`\u001b[31m${'x'.repeat(500)}`)
  expect(peer.noise.first).toBe(`\\x1b[31m${'x'.repeat(191)}…`)
})

test('C09: notifications and answers of one chunk are handled in wire order', async () => {
  const order: string[] = []
  const { peer, receive } = connect({ notification: (method) => order.push(method) })
  const turn = peer.request('session/prompt', {}, { onReply: () => order.push('reply') })
  receive({ jsonrpc: '2.0', method: 'one' }, answer(0), { jsonrpc: '2.0', method: 'late' })
  expect(order).toEqual(['one', 'reply', 'late'])
  expect(await turn).toEqual({})
})

test('onReply is called for an error too, and a fault in it loses nothing', async () => {
  const { peer, diagnostics, receive } = connect()
  const onReply = vi.fn<() => void>(() => {
    throw new Error('mine')
  })
  const request = peer.request('a', {}, { onReply })
  receive({ jsonrpc: '2.0', id: 0, error: { code: 1, message: 'no' } })
  await expect(request).rejects.toBeInstanceOf(RpcError)
  expect(onReply).toHaveBeenCalledTimes(1)
  expect(diagnostics).toMatchObject([{ kind: 'fault', method: 'a' }])
})

test('their requests are answered under the id that they have, be it a string, a fraction or null', async () => {
  const { sent, receive } = connect({ request: (method, params) => ({ method, params }) })
  for (const id of ['p1', 3.5, null, 0]) receive({ jsonrpc: '2.0', id, method: 'm', params: { id } })
  await settled()
  expect(sent).toEqual(
    ['p1', 3.5, null, 0].map((id) => ({ jsonrpc: '2.0', id, result: { method: 'm', params: { id } } })),
  )
})

test('their id and ours are apart', async () => {
  const { peer, sent, receive } = connect({ request: () => 'theirs' })
  const ours = peer.request('a', {})
  receive({ jsonrpc: '2.0', id: 0, method: 'b' })
  await settled()
  expect(sent[1]).toEqual({ jsonrpc: '2.0', id: 0, result: 'theirs' })
  receive(answer(0, 'ours'))
  expect(await ours).toBe('ours')
})

test('a handler that gives nothing answers with an empty object', async () => {
  const { sent, receive } = connect({ request: () => undefined })
  receive({ jsonrpc: '2.0', id: 1, method: 'fs/write_text_file' })
  await settled()
  expect(sent).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }])
})

test('C19: an RpcError of a handler is the answer; anything else becomes -32603 without its words', async () => {
  const { sent, diagnostics, receive } = connect({
    request: (method) => {
      if (method === 'foo/bar') throw new RpcError(-32601, 'Method not found', { method })
      throw new Error('secret sk-TEST-123')
    },
  })
  receive({ jsonrpc: '2.0', id: 1, method: 'foo/bar' }, { jsonrpc: '2.0', id: 2, method: 'x' })
  await settled()
  expect(sent).toEqual([
    {
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32601, message: 'Method not found', data: { method: 'foo/bar' } },
    },
    { jsonrpc: '2.0', id: 2, error: { code: -32603, message: 'Internal error' } },
  ])
  expect(diagnostics).toMatchObject([{ kind: 'fault', method: 'x' }])
})

test('a result that cannot be written as JSON is answered with -32603', async () => {
  const { sent, receive } = connect({ request: () => ({ big: 1n }) })
  receive({ jsonrpc: '2.0', id: 1, method: 'x' })
  await settled()
  expect(sent).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } }])
})

test('C19: nothing is answered to a notification, also when its handler throws', async () => {
  const { sent, diagnostics, receive } = connect({
    notification: () => {
      throw new Error('mine')
    },
  })
  receive({ jsonrpc: '2.0', method: 'foo/note' }, { jsonrpc: '2.0', method: '$/cancel_request' })
  await settled()
  expect(sent).toEqual([])
  expect(diagnostics).toMatchObject([{ kind: 'fault', method: 'foo/note' }])
})

test('a notification carries the size of its line', () => {
  const notification = vi.fn<PeerOptions['notification']>()
  const { receive } = connect({ notification })
  const line = '{"jsonrpc":"2.0","method":"n","params":"ü"}'
  receive(line)
  expect(notification).toHaveBeenCalledWith('n', 'ü', 44)
})

test('the lenient peer writes and reads without the jsonrpc member', async () => {
  const { peer, sent, receive } = connect({ lenient: true, request: () => 1 })
  const request = peer.request('initialize', {})
  peer.notify('initialized', {})
  receive({ id: 0, result: 'ok' }, { id: 0, method: 'approve' })
  expect(await request).toBe('ok')
  await settled()
  expect(sent).toEqual([
    { id: 0, method: 'initialize', params: {} },
    { method: 'initialized', params: {} },
    { id: 0, result: 1 },
  ])
})
