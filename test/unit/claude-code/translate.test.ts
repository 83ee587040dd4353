/** Claude Code's lines as events, on literal lines of the real program. */
import { expect, test } from 'vitest'
import { NOTHING_SHOWN, translate } from '../../../src/providers/claude-code/translate.ts'

type Line = Readonly<Record<string, unknown>>

const all = (...lines: readonly Line[]): readonly unknown[] => {
  let shown = NOTHING_SHOWN
  return lines.flatMap((line) => {
    const next = translate(line, shown)
    shown = next.shown
    return next.events.map((event) => ('update' in event ? event.update : event))
  })
}

const delta = (text: string): Line => ({
  type: 'stream_event',
  parent_tool_use_id: null,
  event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
})
const begin: Line = {
  type: 'stream_event',
  parent_tool_use_id: null,
  event: { type: 'message_start', message: { id: 'msg_1', content: [] } },
}
const assistant = (...content: readonly Line[]): Line => ({
  type: 'assistant',
  parent_tool_use_id: null,
  message: { id: 'msg_1', content },
})
const use = (id: string, name: string, input: object): Line => ({ type: 'tool_use', id, name, input })

test('pieces of a message are shown as they come, and the whole that follows says nothing new', () => {
  expect(all(begin, delta('Hel'), delta('lo'), assistant({ type: 'text', text: 'Hello' }))).toEqual([
    { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Hel' }, messageId: 'msg_1' },
    { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'lo' }, messageId: 'msg_1' },
  ])
})

test('an edit is a diff, and keeps it when it is done', () => {
  const input = { file_path: '/w/a.ts', old_string: 'a', new_string: 'b' }
  const done = { type: 'tool_result', tool_use_id: 't1', content: 'The file was updated.' }
  expect(
    all(assistant(use('t1', 'Edit', input)), { type: 'user', message: { content: [done] } }),
  ).toMatchObject([
    {
      sessionUpdate: 'tool_call',
      toolCallId: 't1',
      title: 'Edit /w/a.ts',
      kind: 'edit',
      content: [{ type: 'diff', path: '/w/a.ts', oldText: 'a', newText: 'b' }],
      locations: [{ path: '/w/a.ts' }],
    },
    { sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed' },
  ])
})

test('its list of things to do is a plan, and its calls are no calls', () => {
  const answer = (id: string): Line => ({
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: id, content: 'Task #1 created successfully' }] },
  })
  const create = use('t1', 'TaskCreate', { subject: 'Look', description: 'd' })
  const updates = use('t2', 'TaskUpdate', { taskId: '1', status: 'in_progress' })
  expect(all(assistant(create), answer('t1'), assistant(updates), answer('t2'))).toEqual([
    { sessionUpdate: 'plan', entries: [{ content: 'Look', priority: 'medium', status: 'pending' }] },
    { sessionUpdate: 'plan', entries: [{ content: 'Look', priority: 'medium', status: 'in_progress' }] },
  ])
})

test('the list that earlier versions wrote whole is a plan too', () => {
  const todos = [{ content: 'Look', status: 'completed', activeForm: 'Looking' }]
  expect(all(assistant(use('t1', 'TodoWrite', { todos })))).toEqual([
    { sessionUpdate: 'plan', entries: [{ content: 'Look', priority: 'medium', status: 'completed' }] },
  ])
})

test('an agent in the background goes on after it was started, until it says that it is done', () => {
  const task = { type: 'system', task_id: 'a', tool_use_id: 't1', task_type: 'local_agent' }
  const updates = all(
    assistant(use('t1', 'Agent', { description: 'Look around' })),
    { ...task, subtype: 'task_started', is_backgrounded: true },
    {
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: 't1', content: 'Async agent launched.' }] },
    },
    { ...task, subtype: 'task_notification', status: 'completed' },
  )
  expect(updates).toMatchObject([
    { sessionUpdate: 'tool_call', title: 'Look around', status: 'in_progress' },
    { sessionUpdate: 'tool_call_update', toolCallId: 't1' },
    { sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed' },
  ])
  expect(updates[1]).not.toHaveProperty('status')
})
