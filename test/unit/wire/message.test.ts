/** What counts as an envelope, and the small pieces around it. */
import { expect, test, vi } from 'vitest'
import { readHead } from '../../../src/wire/head.ts'
import { classify } from '../../../src/wire/message.ts'
import { startTimer } from '../../../src/wire/timer.ts'
import { visible } from '../../../src/wire/visible.ts'

const NOISE = { kind: 'noise' }

test('a method with an id is a request, whatever kind of id it is', () => {
  for (const id of ['p1', '', 0, -1, 3.5, null])
    expect(classify({ jsonrpc: '2.0', id, method: 'm', params: [1] })).toEqual({
      kind: 'request',
      id,
      method: 'm',
      params: [1],
    })
})

test('a method without an id is a notification', () => {
  expect(classify({ jsonrpc: '2.0', method: 'm' })).toEqual({
    kind: 'notification',
    method: 'm',
    params: undefined,
  })
})

test('an id with a result is a response, also when the result is null, false or an error is null beside it', () => {
  expect(classify({ jsonrpc: '2.0', id: 1, result: null })).toEqual({ kind: 'response', id: 1, result: null })
  expect(classify({ jsonrpc: '2.0', id: 1, result: false })).toEqual({
    kind: 'response',
    id: 1,
    result: false,
  })
  expect(classify({ jsonrpc: '2.0', id: 1, result: 2, error: null })).toEqual({
    kind: 'response',
    id: 1,
    result: 2,
  })
})

test('an id with an error is a failure, and wins over a null result', () => {
  expect(
    classify({ jsonrpc: '2.0', id: 'a', result: null, error: { code: -32000, message: 'm', data: 0 } }),
  ).toEqual({ kind: 'failure', id: 'a', error: { code: -32000, message: 'm', data: 0 } })
})

const malformed = (error: unknown): unknown => classify({ jsonrpc: '2.0', id: 1, error })

test('a malformed error still ends its request', () => {
  expect(malformed('boom')).toMatchObject({ kind: 'failure', error: { code: -32603, message: 'boom' } })
  expect(malformed({})).toMatchObject({ error: { code: -32603, message: 'Error without a message' } })
  expect(malformed(null)).toMatchObject({ kind: 'failure', id: 1 })
})

test('C01: everything else is noise', () => {
  const noise = [
    undefined,
    null,
    1,
    'ready',
    true,
    {},
    { level: 'info', id: 0, msg: 'up' },
    { id: 0, result: {} },
    { jsonrpc: '1.0', id: 0, result: {} },
    { jsonrpc: '2.0' },
    { jsonrpc: '2.0', id: 0 },
    { jsonrpc: '2.0', result: {} },
    { jsonrpc: '2.0', id: {}, result: {} },
    { jsonrpc: '2.0', id: true, method: 'm' },
    { jsonrpc: '2.0', id: 1, method: 7 },
  ]
  for (const value of noise) expect(classify(value)).toEqual(NOISE)
})

test('C01: the lenient wire needs no jsonrpc member, and a log object is noise there too', () => {
  expect(classify({ id: 0, result: {} }, true).kind).toBe('response')
  expect(classify({ id: 0, method: 'm' }, true).kind).toBe('request')
  expect(classify({ method: 'm' }, true).kind).toBe('notification')
  expect(classify({ level: 'info', id: 0, msg: 'up' }, true)).toEqual(NOISE)
  expect(classify({ jsonrpc: '1.0', id: 0, result: {} }, true)).toEqual(NOISE)
})

test('an array is a batch', () => {
  expect(classify([])).toEqual({ kind: 'batch' })
  expect(classify([{ jsonrpc: '2.0', id: 1, result: 1 }])).toEqual({ kind: 'batch' })
})

test('keys of Object.prototype in JSON name nothing', () => {
  const line = '{"__proto__":{"jsonrpc":"2.0","id":0,"result":1},"constructor":1}'
  expect(classify(JSON.parse(line))).toEqual(NOISE)
  expect(({} as { id?: unknown }).id).toBeUndefined()
})

test('a head gives the outer members up to where it is cut', () => {
  const { scalars, keys } = readHead(
    '{"jsonrpc":"2.0","id":7,"a":{"id":1,"s":"}\\""},"result":{"id":2,"t":"aaa',
  )
  expect(Object.fromEntries(scalars)).toEqual({ jsonrpc: '2.0', id: 7 })
  expect([...keys]).toEqual(['jsonrpc', 'id', 'a', 'result'])
})

test('a head that is cut inside a member gives that member no value', () => {
  expect(readHead('{"id":12').scalars.size).toBe(0)
  expect(readHead('{"id":"ab').scalars.size).toBe(0)
  expect(readHead('{"i').keys.size).toBe(0)
  expect(readHead('[{"id":1}]').keys.size).toBe(0)
  expect(readHead('no json').keys.size).toBe(0)
})

test('a head of 64 KiB of quotes, braces or backslashes is read at once', () => {
  for (const filler of ['\\', '"', '{', '[', '{"a":', '\\"', '"a",'])
    expect(readHead(`{"id":3,"x":"${filler.repeat(65_536 / filler.length)}`).scalars.get('id')).toBe(3)
})

test('control characters are made visible and long text is cut at 200 characters', () => {
  expect(visible('\u001b[2J\tx\u0000\u202e')).toBe('\\x1b[2J\\x09x\\x00\\u202e')
  expect(visible('a'.repeat(200))).toBe('a'.repeat(200))
  expect(visible('a'.repeat(201))).toBe(`${'a'.repeat(199)}…`)
  expect(visible('😀'.repeat(200))).toBe(`${'😀'.repeat(99)}…`)
})

test('C30: a limit beyond 2^31-1 ms fires when it is due, not at once; 0, NaN and Infinity never fire', () => {
  vi.useFakeTimers()
  try {
    const fired: string[] = []
    startTimer(3_000_000_000, () => fired.push('long'))
    startTimer(250, () => fired.push('short'))
    startTimer(250, () => fired.push('stopped'))()
    for (const none of [0, undefined, Number.NaN, Infinity]) startTimer(none, () => fired.push('none'))
    vi.advanceTimersByTime(2_999_999_999)
    expect(fired).toEqual(['short'])
    vi.advanceTimersByTime(1)
    expect(fired).toEqual(['short', 'long'])
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})
