/** The fold of a session's log into the messages of the next request. */
import { describe, expect, test } from 'vitest'
import type { ContentBlock, SessionUpdate } from '../../../src/contract/content.ts'
import { runId } from '../../../src/contract/ids.ts'
import { foldHistory, History } from '../../../src/agent/history.ts'
import { INTERRUPTED } from '../../../src/agent/history-step.ts'
import { modelMeta, speakerMeta } from '../../../src/agent/update-meta.ts'
import { entry, say, settled, started } from '../../fixtures/entries.ts'

const RUN = runId('r')

const historyOf = (...updates: readonly SessionUpdate[]): History =>
  foldHistory(
    [started, ...updates.map((update) => ({ type: 'session/update' as const, update })), settled].map(
      (event, index) => entry(index + 1, event, RUN),
    ),
  )

const user = (content: ContentBlock, messageId = 'u'): SessionUpdate => ({
  sessionUpdate: 'user_message_chunk',
  messageId,
  content,
})
const words = (text: string): ContentBlock => ({ type: 'text', text })
const begun = (toolCallId: string, name = 'read'): SessionUpdate => ({
  sessionUpdate: 'tool_call',
  toolCallId,
  title: 'T',
  name,
  rawInput: { path: toolCallId },
})
const ended = (
  toolCallId: string,
  rawOutput = 'ok',
  status: 'completed' | 'failed' = 'completed',
): SessionUpdate => ({
  sessionUpdate: 'tool_call_update',
  toolCallId,
  status,
  rawOutput,
})
const calling = (toolCallId: string, toolName = 'read'): object => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input: { path: toolCallId },
})
const result = (toolCallId: string, type: string, value: string): object => ({
  type: 'tool-result',
  toolCallId,
  toolName: 'read',
  output: { type, value },
})

test('what a user sent is one message with a part for each block', () => {
  const image: ContentBlock = { type: 'image', mimeType: 'image/png', data: 'AAA' }
  const link: ContentBlock = { type: 'resource_link', name: 'a.ts', uri: 'file:///a.ts' }
  const doc: ContentBlock = { type: 'resource', resource: { uri: 'file:///b', text: 'B' } }
  const blob: ContentBlock = {
    type: 'resource',
    resource: { uri: 'file:///c.pdf', blob: 'CCC', mimeType: 'application/pdf' },
  }
  expect(
    historyOf(...[words('look'), image, link, doc, blob].map((block) => user(block))).messages(),
  ).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'look' },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAA' } },
        { type: 'text', text: '[a.ts](file:///a.ts)' },
        { type: 'text', text: '<resource uri="file:///b">\nB\n</resource>' },
        {
          type: 'file',
          mediaType: 'application/pdf',
          filename: 'file:///c.pdf',
          data: { type: 'data', data: 'CCC' },
        },
      ],
    },
  ])
})

test('parallel calls stand in one message, and their results in the next, in the order of the calls', () => {
  const history = historyOf(begun('a'), begun('b'), ended('b', 'two'), ended('a', 'no', 'failed'), say('so'))
  expect(history.messages()).toEqual([
    { role: 'assistant', content: [calling('a'), calling('b')] },
    { role: 'tool', content: [result('a', 'error-text', 'no'), result('b', 'text', 'two')] },
    { role: 'assistant', content: [{ type: 'text', text: 'so' }] },
  ])
})

describe('an interrupted turn', () => {
  test('gives its open call a result that says so, so that the next request is valid', () => {
    const history = historyOf(begun('a'), begun('b'), ended('b'))
    expect(history.messages()[1]).toEqual({
      role: 'tool',
      content: [result('a', 'error-text', INTERRUPTED), result('b', 'text', 'ok')],
    })
  })

  test('ends where the next run begins: what comes late belongs to no conversation', () => {
    const history = historyOf(begun('a'))
    history.add({ type: 'session/late_update', update: ended('a', 'late') })
    history.add(started)
    history.add({ type: 'session/update', update: say('hello') })
    expect(history.messages()).toMatchObject([
      { role: 'assistant' },
      { role: 'tool', content: [{ output: { value: INTERRUPTED } }] },
      { role: 'assistant', content: [{ text: 'hello' }] },
    ])
  })
})

test('a step that left nothing to be reminded of leaves no message', () => {
  const thought: SessionUpdate = {
    sessionUpdate: 'agent_thought_chunk',
    content: words('hm'),
    _meta: modelMeta({ block: '0' }),
  }
  expect(historyOf(user(words('go')), thought, say(' \n')).messages()).toHaveLength(1)
})

test('the last runtime-context statement is known, and is a user message like any other', () => {
  const context: SessionUpdate = {
    sessionUpdate: 'user_message_chunk',
    messageId: 'c',
    content: words('read-only'),
    _meta: speakerMeta('context'),
  }
  const history = historyOf(user(words('go')), context)
  expect(history.context).toBe('read-only')
  expect(history.messages().map(({ role }) => role)).toEqual(['user', 'user'])
})

test('plans, usage and unknown updates are not for the model', () => {
  const history = historyOf(
    { sessionUpdate: 'plan', entries: [] },
    { sessionUpdate: 'usage_update', used: 1, size: 2 },
    { sessionUpdate: 'weather', sky: 'blue' },
  )
  expect(history.messages()).toEqual([])
})

describe("B8.1: another agent's turns, as a fork takes them over", () => {
  test('are told without its thoughts, with names and ids that a model service takes', () => {
    const history = historyOf(
      { sessionUpdate: 'agent_thought_chunk', content: words('private') },
      say('I look.'),
      { sessionUpdate: 'tool_call', toolCallId: 't 1', title: 'Read `a.ts` (1–9)', status: 'pending' },
      {
        sessionUpdate: 'tool_call_update',
        toolCallId: 't 1',
        status: 'completed',
        content: [{ type: 'content', content: words('text of a') }],
      },
    )
    expect(history.messages()).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'tool-call', toolCallId: 't_1', toolName: 'Read_a_ts_1_9_', input: {} },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 't_1',
            toolName: 'Read_a_ts_1_9_',
            output: { type: 'text', value: 'text of a' },
          },
        ],
      },
    ])
  })

  test('keep each call apart where ids begin anew in each step', () => {
    const history = historyOf(begun('0'), ended('0', 'one'), begun('0'), ended('0', 'two'))
    expect(history.messages()).toMatchObject([
      { content: [{ toolCallId: '0' }] },
      { content: [{ toolCallId: '0', output: { value: 'one' } }] },
      { content: [{ toolCallId: '0_2' }] },
      { content: [{ toolCallId: '0_2', output: { value: 'two' } }] },
    ])
  })
})
