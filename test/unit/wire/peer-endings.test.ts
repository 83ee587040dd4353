/** The two-way peer: cancellation, limits, lines over the size limit, and the end. */
import { expect, test } from 'vitest'
import { SubagentError } from '../../../src/contract/errors.ts'
import { RpcTimeout } from '../../../src/wire/rpc-error.ts'
import { answer, closed, connect, settled } from './connected-peer.ts'

test('aborting sends $/cancel_request once and goes on waiting for the answer', async () => {
  const { peer, sent, receive } = connect()
  const controller = new AbortController()
  const request = peer.request('session/prompt', {}, { signal: controller.signal })
  controller.abort()
  expect(sent[1]).toEqual({ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 0 } })
  receive(answer(0, { stopReason: 'cancelled' }))
  expect(await request).toEqual({ stopReason: 'cancelled' })
  expect(sent).toHaveLength(2)
})

test('a signal that aborts after the answer sends nothing; one aborted before sends nothing and rejects', async () => {
  const { peer, sent, receive } = connect()
  const controller = new AbortController()
  const request = peer.request('a', {}, { signal: controller.signal })
  receive(answer(0))
  await request
  controller.abort(new Error('enough'))
  await expect(peer.request('b', {}, { signal: controller.signal })).rejects.toThrow('enough')
  expect(sent).toHaveLength(1)
})

test('their $/cancel_request aborts the signal of that handler alone, and its abort is answered -32800', async () => {
  const signals = new Map<string, AbortSignal>()
  const { peer, sent, receive } = connect({
    request: (method, _params, { signal }) => {
      signals.set(method, signal)
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      )
    },
  })
  receive({ jsonrpc: '2.0', id: '1', method: 'a' }, { jsonrpc: '2.0', id: 1, method: 'b' })
  receive({ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 1 } })
  await settled()
  expect([signals.get('a')?.aborted, signals.get('b')?.aborted]).toEqual([false, true])
  expect(sent).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: -32800, message: 'Request cancelled' } }])
  expect(peer.open).toEqual({ ours: 0, theirs: 1 })
})

test('a request that gets no answer rejects at its limit; its answer is late, a second one a duplicate', async () => {
  const { peer, diagnostics, receive } = connect()
  const request = peer.request('initialize', {}, { timeoutMs: 20 })
  const error: unknown = await request.catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(RpcTimeout)
  expect(error).toMatchObject({ method: 'initialize', limitMs: 20 })
  receive(answer(0), answer(0), answer(7), {
    jsonrpc: '2.0',
    id: null,
    error: { code: -32700, message: 'p' },
  })
  expect(diagnostics).toEqual([
    { kind: 'late_answer', id: 0 },
    { kind: 'duplicate_answer', id: 0 },
    { kind: 'unknown_answer', id: 7 },
    { kind: 'unknown_answer', id: null, error: { code: -32700, message: 'p' } },
  ])
  expect(peer.open).toEqual({ ours: 0, theirs: 0 })
})

test('an id of another type settles nothing', async () => {
  const { peer, diagnostics, receive } = connect()
  const request = peer.request('a', {})
  receive(answer('0'), answer(0.5), answer(null))
  expect(diagnostics.map(({ kind }) => kind)).toEqual(['unknown_answer', 'unknown_answer', 'unknown_answer'])
  receive(answer(0, 'right'))
  expect(await request).toBe('right')
})

test('close rejects all that is pending, aborts handlers, and ends reading and writing', async () => {
  let signal: AbortSignal | undefined
  const { peer, sent, notified, receive } = connect({
    request: (_method, _params, context) => {
      signal = context.signal
      return new Promise((resolve) => setTimeout(resolve, 5))
    },
  })
  const request = peer.request('a', {}, { timeoutMs: 10_000 })
  receive({ jsonrpc: '2.0', id: 1, method: 'b' })
  peer.close(closed)
  peer.close(new SubagentError('CLOSED', 'prompt', 'second', {}))
  await expect(request).rejects.toBe(closed)
  await expect(peer.request('c', {})).rejects.toBe(closed)
  expect(signal?.reason).toBe(closed)
  peer.notify('d', {})
  receive({ jsonrpc: '2.0', method: 'e' })
  peer.end()
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect(sent).toHaveLength(1)
  expect(notified).toEqual([])
  expect(peer.open).toEqual({ ours: 0, theirs: 0 })
})

test('close within a notification stops the rest of the chunk', () => {
  const seen: string[] = []
  const { peer, receive } = connect({
    notification: (method) => {
      seen.push(method)
      peer.close(closed)
    },
  })
  receive({ jsonrpc: '2.0', method: 'one' }, { jsonrpc: '2.0', method: 'two' })
  expect(seen).toEqual(['one'])
})

test('a last line without LF is handled when the stream ends', async () => {
  const { peer } = connect()
  const request = peer.request('a', {})
  peer.receive(Buffer.from(JSON.stringify(answer(0, 'last'))))
  peer.end()
  expect(await request).toBe('last')
})

test('a request whose params cannot be written rejects and leaves nothing pending', async () => {
  const { peer } = connect()
  await expect(peer.request('a', { big: 1n })).rejects.toBeInstanceOf(TypeError)
  expect(peer.open).toEqual({ ours: 0, theirs: 0 })
})

test('C03: an oversized answer rejects its own request with MESSAGE_TOO_LARGE; the next message works', async () => {
  const { peer, diagnostics, receive } = connect({ maxBytes: 1000 })
  const large = peer.request('session/prompt', {})
  const other = peer.request('session/list', {})
  receive(answer(0, 'a'.repeat(2000)), answer(1, 'fine'))
  const error = (await large.catch((reason: unknown) => reason)) as SubagentError
  expect(error).toMatchObject({
    code: 'MESSAGE_TOO_LARGE',
    phase: 'prompt',
    data: { bytes: 2036, limit: 1000 },
  })
  expect(await other).toBe('fine')
  expect(diagnostics).toEqual([{ kind: 'oversized', bytes: 2036, limit: 1000, method: 'session/prompt' }])
})

test('C03: an oversized line that is no answer to a pending request is a diagnostic alone', async () => {
  const { peer, diagnostics, receive, sent } = connect({ maxBytes: 1000 })
  const request = peer.request('a', {})
  const filler = 'a'.repeat(2000)
  receive(
    { jsonrpc: '2.0', method: 'session/update', params: { id: 0, result: filler } },
    { level: 'info', id: 0, msg: filler },
    { jsonrpc: '2.0', params: { id: 0 }, result: filler },
    { jsonrpc: '2.0', id: 5, result: filler },
    { jsonrpc: '1.0', id: 0, result: filler },
    filler,
    answer(0, 'right'),
  )
  expect(await request).toBe('right')
  expect(diagnostics.map(({ kind }) => kind)).toEqual(Array<string>(6).fill('oversized'))
  expect(sent).toHaveLength(1)
})

test('C03: an oversized request of theirs is answered with an error and never mistaken for an answer', async () => {
  const { peer, sent, receive } = connect({ maxBytes: 1000 })
  const request = peer.request('a', {})
  const line = { jsonrpc: '2.0', id: 0, method: 'fs/write_text_file', params: { content: 'a'.repeat(2000) } }
  receive(line, answer(0, 'right'))
  expect(await request).toBe('right')
  expect(sent[1]).toEqual({
    jsonrpc: '2.0',
    id: 0,
    error: {
      code: -32600,
      message: 'Message too large',
      data: { bytes: JSON.stringify(line).length, limit: 1000 },
    },
  })
})

test('20,000 updates cost the peer less than 0.1 ms each', () => {
  let count = 0
  const { peer } = connect({ notification: () => (count += 1) })
  const update = `${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's1', update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'x'.repeat(60) } } } })}\n`
  const stream = Buffer.from(update.repeat(20_000))
  const start = performance.now()
  for (let at = 0; at < stream.length; at += 65_536) peer.receive(stream.subarray(at, at + 65_536))
  const ms = performance.now() - start
  if (process.env['SUBGATE_TEST_FIGURES']) console.log(`peer: 20,000 updates in ${ms.toFixed(1)} ms`)
  expect(count).toBe(20_000)
  expect(ms).toBeLessThan(2000)
})
