/** Where the span of a run stands: below its parent's tool call or run, or in a trace that came from outside. */
import { expect, test } from 'vitest'
import { runId, sessionId } from '../../../src/contract/ids.ts'
import { AT, begun, completed, feed, started, traced, TURN } from '../../fixtures/spans.ts'

const OUTSIDE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

const CHILD = { runId: runId('run_2'), sessionId: sessionId('ses_2'), parentSessionId: sessionId('ses_1') }

test('a child stands below the tool call that started it, or below the run when that is unknown', () => {
  const { observer, only } = traced()
  const parent = observer.begin(begun())
  for (const [index, event] of TURN.slice(0, 4).entries())
    parent.event({ seq: index + 1, at: AT + index, event })
  const known = observer.begin(begun(CHILD, 'call_1'))
  const other = { ...CHILD, runId: runId('run_3'), sessionId: sessionId('ses_3') }
  const unknown = observer.begin(begun(other, 'call_9'))
  feed(known, [started, completed])
  feed(unknown, [started, completed])
  feed(parent, [completed])
  const tool = only('gen_ai.tool.call.id', 'call_1')
  const run = only('subgate.run.id', 'run_1')
  expect(only('subgate.run.id', 'run_2').parentSpanContext?.spanId).toBe(tool.spanContext().spanId)
  expect(only('subgate.run.id', 'run_3').parentSpanContext?.spanId).toBe(run.spanContext().spanId)
  const traces = [tool, run, only('subgate.run.id', 'run_2')].map((span) => span.spanContext().traceId)
  expect(new Set(traces).size).toBe(1)
})

test("a root continues the process's trace, and the agent is told of the run's own span in it", () => {
  const home = traced({ inherited: { traceparent: OUTSIDE, tracestate: 'v=1', baggage: 'b=2' } })
  const run = home.observer.begin(begun())
  feed(run, [started, completed])
  const [span] = home.spans()
  expect(span?.parentSpanContext).toMatchObject({ spanId: '00f067aa0ba902b7', isRemote: true })
  expect(run.trace).toEqual({
    traceparent: `00-4bf92f3577b34da6a3ce929d0e0e4736-${span?.spanContext().spanId}-01`,
    tracestate: 'v=1',
    baggage: 'b=2',
  })
})

test("the request's trace comes before the process's", () => {
  const home = traced({ inherited: { traceparent: OUTSIDE } })
  const other = '00-11111111111111111111111111111111-2222222222222222-01'
  feed(home.observer.begin(begun({ trace: { traceparent: other } })), [started, completed])
  expect(home.spans()[0]?.parentSpanContext?.spanId).toBe('2222222222222222')
})

test('a trace that is not sampled is passed on as such, and none of it is exported', () => {
  const home = traced({ inherited: { traceparent: OUTSIDE.replace(/01$/u, '00') } })
  const run = home.observer.begin(begun())
  feed(run, [...TURN, completed])
  expect(home.spans()).toEqual([])
  expect(run.trace?.traceparent).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-00$/u)
})
