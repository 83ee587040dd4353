/** Notifications of the app-server as events, with frames as 0.171.0 sends them. */
import { expect, test } from 'vitest'
import { NOTHING_SHOWN, translate } from '../../../src/providers/codex/translate.ts'
import type { Shown } from '../../../src/providers/codex/translate.ts'

const events = (method: string, params: unknown, shown: Shown = NOTHING_SHOWN) =>
  translate(method, params, shown).events

const update = (value: object) => ({ type: 'session/update', update: value })

test('a piece of a message is a chunk, and the whole message is not said again', () => {
  const piece = { threadId: 't', turnId: 'u', itemId: 'msg_1', delta: 'Hello ' }
  const first = translate('item/agentMessage/delta', piece, NOTHING_SHOWN)
  expect(first.events).toEqual([
    update({
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: 'Hello ' },
      messageId: 'msg_1',
    }),
  ])
  const whole = { item: { type: 'agentMessage', id: 'msg_1', text: 'Hello world.', phase: null } }
  expect(events('item/completed', whole, first.shown)).toEqual([])
  expect(events('item/completed', whole)).toEqual([
    update({
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: 'Hello world.' },
      messageId: 'msg_1',
    }),
  ])
})

test('thinking is thought, by pieces or as a whole', () => {
  const piece = { itemId: 'rs_1', delta: 'Hm', summaryIndex: 0 }
  expect(events('item/reasoning/summaryTextDelta', piece)).toEqual([
    update({
      sessionUpdate: 'agent_thought_chunk',
      content: { type: 'text', text: 'Hm' },
      messageId: 'rs_1',
    }),
  ])
  const whole = { item: { type: 'reasoning', id: 'rs_2', summary: ['One.', 'Two.'], content: [] } }
  expect(events('item/completed', whole)).toEqual([
    update({
      sessionUpdate: 'agent_thought_chunk',
      content: { type: 'text', text: 'One.\n\nTwo.' },
      messageId: 'rs_2',
    }),
  ])
})

const command = {
  type: 'commandExecution',
  id: 'c1',
  command: "/bin/bash -lc 'cat f.txt'",
  cwd: '/w',
  processId: null,
  commandActions: [{ type: 'read', command: 'cat f.txt', name: 'f.txt', path: '/w/f.txt' }],
  aggregatedOutput: null,
  exitCode: null,
}

test('a command is a tool call, told from reading where Codex itself parsed it', () => {
  expect(events('item/started', { item: { ...command, status: 'inProgress' } })).toEqual([
    update({
      sessionUpdate: 'tool_call',
      toolCallId: 'c1',
      status: 'in_progress',
      title: "/bin/bash -lc 'cat f.txt'",
      kind: 'read',
      rawInput: { command: "/bin/bash -lc 'cat f.txt'", cwd: '/w' },
      content: [],
      locations: [],
    }),
  ])
  const done = { ...command, status: 'completed', aggregatedOutput: 'hi\n', exitCode: 0 }
  expect(events('item/completed', { item: done })[0]).toMatchObject({
    update: {
      sessionUpdate: 'tool_call_update',
      status: 'completed',
      rawOutput: { exitCode: 0 },
      content: [{ type: 'content', content: { type: 'text', text: 'hi\n' } }],
    },
  })
  expect(events('item/completed', { item: { ...done, status: 'declined' } })[0]).toMatchObject({
    update: { status: 'failed' },
  })
})

test('a patch is an edit with a diff for each file', () => {
  const changes = [
    { path: '/w/new', kind: { type: 'add' }, diff: 'hello\n' },
    { path: '/w/old', kind: { type: 'delete' }, diff: 'bye\n' },
    {
      path: '/w/a',
      kind: { type: 'update', move_path: '/w/b' },
      diff: '@@ -1,2 +1,2 @@\n one\n-two\n+three\n',
    },
  ]
  const [event] = events('item/started', {
    item: { type: 'fileChange', id: 'p1', changes, status: 'inProgress' },
  })
  expect(event).toMatchObject({
    update: {
      kind: 'edit',
      title: 'Edit 3 files',
      content: [
        { type: 'diff', path: '/w/new', newText: 'hello\n' },
        { type: 'diff', path: '/w/old', oldText: 'bye\n', newText: '' },
        { type: 'diff', path: '/w/b', oldText: 'one\ntwo\n', newText: 'one\nthree\n' },
      ],
      locations: [{ path: '/w/new' }, { path: '/w/old' }, { path: '/w/b' }],
    },
  })
})

test('calls of MCP servers, searches of the web and agents of its own are tool calls', () => {
  const mcp = {
    type: 'mcpToolCall',
    id: 'm1',
    server: 'pantry',
    tool: 'take',
    arguments: { n: 1 },
    status: 'inProgress',
  }
  expect(events('item/started', { item: mcp })[0]).toMatchObject({
    update: { title: 'pantry: take', kind: 'other', rawInput: { n: 1 }, status: 'in_progress' },
  })
  expect(
    events('item/completed', { item: { type: 'webSearch', id: 'w1', query: 'marmalade' } })[0],
  ).toMatchObject({
    update: { title: 'Search the web: marmalade', kind: 'search', status: 'completed' },
  })
  const spawned = {
    type: 'collabAgentToolCall',
    id: 's1',
    tool: 'spawnAgent',
    status: 'completed',
    prompt: 'Look.',
    receiverThreadIds: ['below'],
  }
  expect(events('item/completed', { item: spawned })[0]).toMatchObject({
    update: { title: 'Start an agent', rawInput: { prompt: 'Look.', agents: ['below'] } },
  })
})

test('a plan is a plan', () => {
  const plan = [
    { step: 'Read', status: 'completed' },
    { step: 'Write', status: 'inProgress' },
    { step: 'Rest', status: 'pending' },
  ]
  expect(events('turn/plan/updated', { threadId: 't', turnId: 'u', explanation: null, plan })).toEqual([
    update({
      sessionUpdate: 'plan',
      entries: [
        { content: 'Read', priority: 'medium', status: 'completed' },
        { content: 'Write', priority: 'medium', status: 'in_progress' },
        { content: 'Rest', priority: 'medium', status: 'pending' },
      ],
    }),
  ])
})

test('how full the context is', () => {
  const tokens = (totalTokens: number) => ({ inputTokens: 1, outputTokens: 1, totalTokens })
  const tokenUsage = { total: tokens(2468), last: tokens(1234), modelContextWindow: 258400 }
  expect(events('thread/tokenUsage/updated', { tokenUsage })).toEqual([
    update({ sessionUpdate: 'usage_update', used: 1234, size: 258400 }),
  ])
})

test('a retry is a notice; a last error is told by the end of the turn', () => {
  const error = { message: 'stream disconnected', codexErrorInfo: 'other', additionalDetails: null }
  expect(events('error', { error, willRetry: true })).toEqual([
    { type: 'notice', severity: 'warning', title: 'Codex tries again.', detail: 'stream disconnected' },
  ])
  expect(events('error', { error, willRetry: false })).toEqual([])
})

test('what is unknown, or has a strange form, is a notice', () => {
  expect(events('future/thing', {})).toEqual([
    { type: 'notice', severity: 'info', title: 'Codex sent "future/thing", which isn\'t known here.' },
  ])
  expect(events('item/completed', { item: { type: 'newKind', id: 'n' } })).toEqual([
    { type: 'notice', severity: 'info', title: 'Codex did something that isn\'t known here: "newKind".' },
  ])
  expect(events('item/agentMessage/delta', { delta: 3 })[0]).toMatchObject({
    type: 'notice',
    severity: 'warning',
  })
})
