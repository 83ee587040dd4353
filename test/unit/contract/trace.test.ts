/** W3C trace context: what is read, what is dropped, and what goes on. */
import { expect, test } from 'vitest'
import {
  parseTraceparent,
  readTrace,
  readTraceEnvironment,
  traceEnvironment,
  traceparentOf,
} from '../../../src/contract/trace.ts'

const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

test('a traceparent is read as W3C writes it, and written back', () => {
  const link = {
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    spanId: '00f067aa0ba902b7',
    sampled: true,
  }
  expect(parseTraceparent(PARENT)).toEqual(link)
  expect(traceparentOf(link)).toBe(PARENT)
  expect(parseTraceparent(PARENT.replace(/01$/u, '00'))).toMatchObject({ sampled: false })
})

test('of a later version the parts of the first are read', () => {
  expect(parseTraceparent(`cc${PARENT.slice(2)}-what-comes`)).toMatchObject({ spanId: '00f067aa0ba902b7' })
})

test.each([
  '',
  'nonsense',
  PARENT.toUpperCase(),
  `ff${PARENT.slice(2)}`,
  `${PARENT}-more`,
  '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
  '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01',
  `${PARENT}\n`,
  7,
  null,
])('%j is no traceparent, and what stands beside it means nothing', (traceparent) => {
  expect(parseTraceparent(traceparent)).toBeUndefined()
  expect(readTrace({ traceparent, tracestate: 'a=1', baggage: 'b=2' })).toBeUndefined()
})

test('tracestate and baggage go with it, unless they are too long or hold control characters', () => {
  expect(readTrace({ traceparent: PARENT, tracestate: 'a=1', baggage: 'b=2', other: 'x' })).toEqual({
    traceparent: PARENT,
    tracestate: 'a=1',
    baggage: 'b=2',
  })
  expect(readTrace({ traceparent: PARENT, tracestate: 'a'.repeat(513), baggage: 'a\nb' })).toEqual({
    traceparent: PARENT,
  })
})

test('the environment has it under the names that OpenTelemetry gives it', () => {
  const trace = readTraceEnvironment({ TRACEPARENT: PARENT, TRACESTATE: 'a=1', BAGGAGE: 'b=2' })
  expect(trace).toEqual({ traceparent: PARENT, tracestate: 'a=1', baggage: 'b=2' })
  expect(traceEnvironment(trace)).toEqual({ TRACEPARENT: PARENT, TRACESTATE: 'a=1' })
  expect(traceEnvironment(undefined)).toEqual({})
})
