/** Laws of the conversation's fold over random logs: incremental is whole, and every log gives a valid request. */
import type { LanguageModelV4Message } from '@ai-sdk/provider'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SessionUpdate } from '../../src/contract/content.ts'
import type { SessionEvent } from '../../src/contract/events.ts'
import { foldHistory, History } from '../../src/agent/history.ts'
import { entry, RUN, say, settled, started } from '../fixtures/entries.ts'

const callId = fc.constantFrom('a', 'b', 'c d')
const words = fc.constantFrom('', ' ', 'x', 'y')
const block = fc.constantFrom('0', '1')
const chunk = (kind: 'agent_message_chunk' | 'agent_thought_chunk'): fc.Arbitrary<SessionUpdate> =>
  fc.record({ words, block }).map(({ words: text, block: id }) => ({
    sessionUpdate: kind,
    messageId: 'm',
    content: { type: 'text' as const, text },
    _meta: { subgate: { model: { block: id, ...(text === 'y' && { metadata: { p: { id } } }) } } },
  }))

const update = fc.oneof<fc.Arbitrary<SessionUpdate>[]>(
  chunk('agent_message_chunk'),
  chunk('agent_thought_chunk'),
  words.map((text) => say(text)),
  fc.record({ text: words, messageId: fc.constantFrom('u1', 'u2') }).map(({ text, messageId }) => ({
    sessionUpdate: 'user_message_chunk' as const,
    messageId,
    content: { type: 'text' as const, text },
  })),
  fc.record({ toolCallId: callId, name: fc.constantFrom('read', 'Read a file!') }).map((call) => ({
    sessionUpdate: 'tool_call' as const,
    title: call.name,
    rawInput: {},
    ...call,
  })),
  fc
    .record({
      toolCallId: callId,
      status: fc.constantFrom('in_progress' as const, 'completed' as const, 'failed' as const),
    })
    .map((fields) => ({ sessionUpdate: 'tool_call_update' as const, rawOutput: 'out', ...fields })),
  fc.constant({ sessionUpdate: 'plan' as const, entries: [] }),
)
const event: fc.Arbitrary<SessionEvent> = fc.oneof(
  { weight: 12, arbitrary: update.map((each) => ({ type: 'session/update' as const, update: each })) },
  { weight: 1, arbitrary: update.map((each) => ({ type: 'session/late_update' as const, update: each })) },
  { weight: 1, arbitrary: fc.constantFrom(started, settled) },
)
const log = fc.array(event, { maxLength: 40 })
const entries = (events: readonly SessionEvent[]): ReturnType<typeof entry>[] =>
  events.map((each, index) => entry(index + 1, each, RUN))

test('a fold in two parts, as of a fork and its parent, is the fold of the whole', () => {
  fc.assert(
    fc.property(log, fc.nat(40), (events, cut) => {
      const whole = entries(events)
      const first = foldHistory(whole.slice(0, cut))
      first.messages()
      const second = foldHistory(whole.slice(cut), first)
      expect(second.messages()).toEqual(foldHistory(whole).messages())
      expect(second.context).toEqual(foldHistory(whole).context)
    }),
  )
})

const idsOf = (message: LanguageModelV4Message | undefined, type: string): readonly string[] =>
  message === undefined || message.role === 'system'
    ? []
    : message.content.flatMap((part) => (part.type === type && 'toolCallId' in part ? [part.toolCallId] : []))

test('whatever the log holds, every call is answered once in the next message, and no message is empty', () => {
  fc.assert(
    fc.property(log, (events) => {
      const messages = foldHistory(entries(events)).messages()
      const calls = messages.flatMap((message) => idsOf(message, 'tool-call'))
      expect(new Set(calls).size).toBe(calls.length)
      messages.forEach((message, index) => {
        expect(message.content.length).toBeGreaterThan(0)
        const asked = message.role === 'assistant' ? idsOf(message, 'tool-call') : []
        const next = messages[index + 1]
        if (asked.length > 0) expect(next?.role).toBe('tool')
        if (message.role === 'assistant') {
          expect(idsOf(next?.role === 'tool' ? next : undefined, 'tool-result')).toEqual(asked)
        }
        for (const id of asked) expect(id).toMatch(/^[\w-]+$/u)
      })
    }),
  )
})

test('to read the messages changes nothing', () => {
  fc.assert(
    fc.property(log, (events) => {
      const read = new History()
      for (const each of events) {
        read.add(each)
        read.messages()
      }
      expect(read.messages()).toEqual(foldHistory(entries(events)).messages())
    }),
  )
})
