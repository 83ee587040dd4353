/** Runs and tool calls in the words of the GenAI conventions. */
import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { describe, expect, test } from 'vitest'
import type { RunSettled, SessionEvent } from '../../../src/contract/events.ts'
import { begun, completed, feed, started, traced, TURN, update } from '../../fixtures/spans.ts'
import type { Traced } from '../../fixtures/spans.ts'

const failed: RunSettled = {
  type: 'run/settled',
  status: 'failed',
  category: 'model',
  denied: [],
  durationMs: 5,
  error: {
    code: 'MODEL_ERROR',
    message: 'the secret words',
    phase: 'prompt',
    retryable: false,
    data: {},
  },
}

const played = (events: readonly SessionEvent[], options?: Parameters<typeof traced>[0]): Traced => {
  const home = traced(options)
  feed(home.observer.begin(begun({ model: 'anthropic/claude-x' })), events)
  return home
}

describe('a run', () => {
  test('is a client span invoke_agent NAME with provider, agent, conversation, model and usage', () => {
    const [, run] = played([...TURN, completed]).spans()
    expect(run).toMatchObject({ name: 'invoke_agent spawn', kind: SpanKind.CLIENT })
    expect(run?.attributes).toEqual({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.agent.name': 'spawn',
      'gen_ai.conversation.id': 'ses_1',
      'gen_ai.request.model': 'anthropic/claude-x',
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 34,
      'subgate.provider': 'spawn',
      'subgate.run.id': 'run_1',
      'subgate.depth': 0,
      'subgate.run.status': 'completed',
      'subgate.usage.cost_usd': 0.5,
    })
    expect(run?.status).toEqual({ code: SpanStatusCode.UNSET })
    expect(run?.startTime).toEqual([1_700_000_000, 0])
    expect(run?.endTime).toEqual([1_700_000_000, 8_000_000])
  })

  test('is named after its preset, and its model after nobody when that names no provider', () => {
    const home = traced()
    feed(home.observer.begin(begun({ preset: { name: 'reviewer' }, model: 'sonnet' })), [started, completed])
    expect(home.spans()[0]).toMatchObject({
      name: 'invoke_agent reviewer',
      attributes: { 'gen_ai.agent.name': 'reviewer', 'gen_ai.provider.name': 'spawn' },
    })
  })

  test("that fails has the error's code as its type, and its status tells none of the agent's words", () => {
    const [run] = played([started, failed]).spans()
    expect(run?.attributes['error.type']).toBe('MODEL_ERROR')
    expect(run?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'failed: model' })
  })

  test.each([
    [{ status: 'empty', category: 'no_text' }, 'no_text'],
    [{ status: 'cancelled', category: 'request' }, 'request'],
    [{ status: 'timed_out', category: 'idle' }, 'idle'],
  ] as const)('that ended as %j is an error of the type %s: only completed is success', (said, type) => {
    const [run] = played([started, { ...completed, ...said }]).spans()
    expect(run?.attributes['error.type']).toBe(type)
    expect(run?.status.code).toBe(SpanStatusCode.ERROR)
  })

  test('that is refused before it is published leaves no span', () => {
    const policy = { type: 'sandbox/mode', mode: 'read-only', source: 'delegation' } as const
    expect(played([policy]).spans()).toEqual([])
  })

  test('whose end was never written ends with what is known', () => {
    const [run] = played([started]).spans()
    expect(run?.attributes['error.type']).toBe('unsettled')
  })

  test('tells policy and permissions as events, and of a permission only its kind', () => {
    const [run] = played([
      { type: 'sandbox/mode', mode: 'read-only', source: 'delegation' },
      started,
      {
        type: 'permission/requested',
        id: 'perm_1' as never,
        toolCall: { toolCallId: 'c', title: 'Write the secret', kind: 'edit' },
        options: [],
        path: [],
      },
      {
        type: 'permission/resolved',
        id: 'perm_1' as never,
        outcome: { outcome: 'cancelled' },
        by: 'policy',
      },
      completed,
    ]).spans()
    expect(run?.events.map(({ name, attributes }) => [name, attributes])).toEqual([
      ['sandbox/mode', { 'subgate.mode': 'read-only', 'subgate.source': 'delegation' }],
      ['permission/requested', { 'subgate.kind': 'edit' }],
      ['permission/resolved', { 'subgate.outcome': 'cancelled', 'subgate.by': 'policy' }],
    ])
  })
})

describe('a tool call', () => {
  test('is a span execute_tool NAME below its run', () => {
    const [tool, run] = played([...TURN, completed]).spans()
    expect(tool).toMatchObject({
      name: 'execute_tool read',
      kind: SpanKind.INTERNAL,
      status: { code: SpanStatusCode.UNSET },
      parentSpanContext: { spanId: run?.spanContext().spanId },
    })
    expect(tool?.attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'read',
      'gen_ai.tool.call.id': 'call_1',
    })
    expect([tool?.startTime[1], tool?.endTime[1]]).toEqual([4_000_000, 6_000_000])
  })

  test('that has no name is named after its kind, never after its title', () => {
    const call = { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'rm the secret', kind: 'execute' }
    const [tool] = played([started, update({ ...call, status: 'failed' }), completed]).spans()
    expect(tool).toMatchObject({
      name: 'execute_tool execute',
      attributes: { 'error.type': '_OTHER' },
      status: { code: SpanStatusCode.ERROR },
    })
  })

  test('that is still open when its run ends, ends with it as an error', () => {
    const call = { sessionUpdate: 'tool_call', toolCallId: 'c', title: 't', status: 'in_progress' }
    const [tool] = played([started, update(call), completed]).spans()
    expect(tool).toMatchObject({ name: 'execute_tool other', attributes: { 'error.type': 'unfinished' } })
  })

  test('that is told of again after its end gets no second span', () => {
    const late = { sessionUpdate: 'tool_call_update', toolCallId: 'call_1', status: 'completed' }
    expect(played([...TURN, update(late), completed]).spans()).toHaveLength(2)
  })
})

describe('content', () => {
  test('is nowhere in the spans by default', () => {
    const words = played([...TURN, failed])
      .spans()
      .map(({ name, attributes, events, status }) => ({ name, attributes, events, status }))
    expect(JSON.stringify(words)).not.toContain('secret')
  })

  test('is there when it is asked for, in the messages of the conventions', () => {
    const [tool, run] = played([...TURN, completed], { content: true }).spans()
    expect(tool?.attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"path":"the secret path"}',
      'gen_ai.tool.call.result': 'the secret text',
    })
    expect(JSON.parse(String(run?.attributes['gen_ai.input.messages']))).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'the secret prompt' }, { type: 'image' }] },
    ])
    expect(JSON.parse(String(run?.attributes['gen_ai.output.messages']))).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'text', content: 'the secret plan' },
          { type: 'text', content: 'the secret answer' },
        ],
        finish_reason: 'stop',
      },
    ])
    expect(run?.attributes['subgate.label']).toBe('the secret label')
  })

  test('is cut at 64 KiB characters', () => {
    const long = update({
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: 'x'.repeat(100_000) },
    })
    const [run] = played([started, long, long, completed], { content: true }).spans()
    expect(String(run?.attributes['gen_ai.output.messages']).length).toBeLessThan(66_000)
  })
})
