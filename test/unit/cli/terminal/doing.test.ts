/** What an agent does now, told from its events. */
import { expect, test } from 'vitest'
import { nextDoing, QUEUED, STARTING } from '../../../../src/cli/terminal/doing.ts'
import type { SessionUpdate } from '../../../../src/contract/content.ts'
import type { SessionEvent } from '../../../../src/contract/events.ts'
import { permissionId } from '../../../../src/contract/ids.ts'

const update = (fields: Record<string, unknown>): SessionEvent => ({
  type: 'session/update',
  update: fields as SessionUpdate,
})
const chunk = (kind: string): SessionEvent =>
  update({ sessionUpdate: kind, content: { type: 'text', text: 'x' } })
const tool = (toolCallId: string, fields: Record<string, unknown>): SessionEvent =>
  update({ sessionUpdate: 'tool_call_update', toolCallId, ...fields })
const asks = (id: string, title: string): SessionEvent => ({
  type: 'permission/requested',
  id: permissionId(id),
  toolCall: { toolCallId: 't1', title },
  options: [],
  path: [],
})
const answered = (id: string): SessionEvent => ({
  type: 'permission/resolved',
  id: permissionId(id),
  outcome: { outcome: 'cancelled' },
  by: 'person',
})

const STARTED: SessionEvent = { type: 'run/started', provider: 'codex', depth: 0 }
const after = (...events: readonly SessionEvent[]): string =>
  events.reduce((now, event) => nextDoing(now, { event }), STARTING).doing

test('before the run is published it is queued or starting', () => {
  expect([QUEUED.doing, STARTING.doing]).toEqual(['queued', 'starting'])
})

test('thinking, writing and tools follow the updates', () => {
  expect(after(STARTED)).toBe('thinking')
  expect(after(STARTED, chunk('agent_message_chunk'))).toBe('writing')
  expect(after(STARTED, chunk('agent_message_chunk'), chunk('agent_thought_chunk'))).toBe('thinking')
  expect(after(STARTED, tool('t1', { title: 'Read a.ts', status: 'pending' }))).toBe('Read a.ts')
  expect(after(STARTED, tool('t1', { title: 'Read a.ts' }), tool('t1', { status: 'completed' }))).toBe(
    'thinking',
  )
})

test('of several open tool calls the latest is shown, and a change keeps its title', () => {
  const open = [STARTED, tool('t1', { title: 'Build' }), tool('t2', { title: 'Test' })]
  expect(after(...open)).toBe('Test')
  expect(after(...open, tool('t2', { status: 'failed' }))).toBe('Build')
  expect(after(...open, tool('t1', { status: 'in_progress' }))).toBe('Build')
  expect(after(...open, chunk('agent_message_chunk'))).toBe('Test')
})

test('a tool call without a title is shown by its kind', () => {
  expect(after(STARTED, tool('t1', { kind: 'execute' }))).toBe('execute')
  expect(after(STARTED, tool('t1', {}))).toBe('a tool call')
})

test('an open question waits for the person until it is answered', () => {
  const asked = [STARTED, tool('t1', { title: 'rm' }), asks('p1', 'rm'), asks('p2', 'mv')]
  const states = asked.reduce((now, event) => nextDoing(now, { event }), STARTING)
  expect(states).toMatchObject({ doing: 'waiting for you: mv', needsYou: true })
  expect(after(...asked, answered('p2'))).toBe('waiting for you: rm')
  expect(after(...asked, answered('p2'), answered('p1'))).toBe('rm')
})

test('events that change nothing shown give the same object back', () => {
  const now = nextDoing(nextDoing(STARTING, { event: STARTED }), { event: chunk('agent_message_chunk') })
  for (const event of [chunk('agent_message_chunk'), update({ sessionUpdate: 'future_kind' })])
    expect(nextDoing(now, { event })).toBe(now)
})
