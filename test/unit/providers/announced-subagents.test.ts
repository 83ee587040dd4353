/** The subagents that an ACP agent announces in its own session. */
import { describe, expect, test } from 'vitest'
import type { SessionUpdate } from '../../../src/contract/content.ts'
import { AnnouncedSubagents } from '../../../src/providers/acp/subagents.ts'
import { say } from '../../fixtures/entries.ts'

const announce = (id: string, more: object = {}): SessionUpdate => ({
  sessionUpdate: 'subagent_update',
  sessionId: id,
  title: id,
  ...more,
})

const taken = (subagents: AnnouncedSubagents, sessionId: string, update: SessionUpdate, bytes = 10) =>
  subagents.take('root', { sessionId, update, bytes })

describe('AnnouncedSubagents', () => {
  test('what comes before the announcement waits for it, in order, over two levels', () => {
    const subagents = new AnnouncedSubagents()
    expect(taken(subagents, 'b', say('1'))).toEqual([])
    expect(taken(subagents, 'a', announce('b'))).toEqual([])
    expect(taken(subagents, 'b', say('2'))).toEqual([])
    expect(taken(subagents, 'root', announce('a'))).toEqual([
      { type: 'subagent/update', childId: 'a', update: announce('a') },
      { type: 'subagent/update', childId: 'b', parentChildId: 'a', update: announce('b') },
      { type: 'subagent/update', childId: 'b', parentChildId: 'a', update: say('1') },
      { type: 'subagent/update', childId: 'b', parentChildId: 'a', update: say('2') },
    ])
    expect(taken(subagents, 'a', say('3'))).toEqual([
      { type: 'subagent/update', childId: 'a', update: say('3') },
    ])
  })

  test('a later announcement changes what is said of it, and never its parent', () => {
    const subagents = new AnnouncedSubagents()
    taken(subagents, 'root', announce('a'))
    taken(subagents, 'root', announce('b'))
    expect(taken(subagents, 'root', announce('a', { title: 'new' }))).toHaveLength(1)
    expect(subagents.path('a')).toEqual(['new'])
    expect(taken(subagents, 'b', announce('a'))).toEqual([])
    expect(taken(subagents, 'a', announce('a'))).toEqual([])
    expect(taken(subagents, 'a', announce('root'))).toEqual([])
    expect(subagents.path('a')).toEqual(['new'])
  })

  test('of a session that is never announced no more is kept than a limit', () => {
    const subagents = new AnnouncedSubagents()
    for (let count = 0; count < 3; count += 1) taken(subagents, 'x', say(String(count)), 500_000)
    expect(taken(subagents, 'root', announce('x'))).toHaveLength(3)
    for (let count = 0; count < 2000; count += 1) taken(subagents, 'y', say(String(count)))
    expect(taken(subagents, 'root', announce('y'))).toHaveLength(1001)
  })

  test("a question is described by its own subagent's calls alone", () => {
    const subagents = new AnnouncedSubagents()
    taken(subagents, 'root', announce('a'))
    taken(subagents, 'root', announce('b'))
    taken(subagents, 'a', { sessionUpdate: 'tool_call', toolCallId: 't', title: 'read x', kind: 'read' })
    expect(subagents.described('a', { toolCallId: 't' })).toEqual({
      toolCallId: 't',
      title: 'read x',
      kind: 'read',
    })
    expect(subagents.described('b', { toolCallId: 't' })).toEqual({
      toolCallId: 't',
      title: 't',
      kind: 'other',
    })
  })
})
