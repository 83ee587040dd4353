/** The fold that finds a run's output: the last assistant message that isn't empty (B10.2). */
import { describe, expect, test } from 'vitest'
import type { SessionUpdate } from '../../../src/contract/content.ts'
import { advanceOutput, NO_OUTPUT, outputText } from '../../../src/sessions/output.ts'
import { say } from '../../fixtures/entries.ts'

const outputOf = (...updates: readonly SessionUpdate[]): string =>
  outputText(updates.reduce(advanceOutput, NO_OUTPUT))

const tool: SessionUpdate = { sessionUpdate: 'tool_call', toolCallId: 't', title: 'Read' }
const toolEnd: SessionUpdate = { sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'completed' }
const thought: SessionUpdate = { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } }
const user: SessionUpdate = { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'also' } }
const usage: SessionUpdate = { sessionUpdate: 'usage_update', used: null, size: 1 }
const future: SessionUpdate = { sessionUpdate: 'future_kind', x: 1 }
const image: SessionUpdate = {
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'image', data: 'AA==', mimeType: 'image/png' },
}

describe('B10.2: the output', () => {
  test.each<[string, string, readonly SessionUpdate[]]>([
    ['of nothing is nothing', '', []],
    ['joins the chunks of a message', 'Hello world', [say('Hello '), say('world')]],
    ['is the message after the last tool call', 'done', [say('I read.'), tool, toolEnd, say('done')]],
    ['is the message after the last thought', 'b', [say('a'), thought, say('b')]],
    ['is the message after what a person added', 'b', [say('a'), user, say('b')]],
    ['stays when nothing comes after a tool call', 'a', [say('a'), tool, toolEnd]],
    ['is not hidden by a message of white space', 'a', [say('a'), tool, say(' \n'), tool]],
    ['is not hidden by an empty message that carries only usage', 'a', [say('a'), tool, say(''), usage]],
    ['is not split by usage', 'ab', [say('a'), usage, say('b')]],
    ['is not split by the progress of a tool', 'ab', [say('a'), toolEnd, say('b')]],
    ['is not split by an update of an unknown kind', 'ab', [say('a'), future, say('b')]],
    ['joins the chunks of one message id', 'ab', [say('a', 'm1'), say('b', 'm1')]],
    ['is the message with the last id', 'b', [say('a', 'm1'), say('b', 'm2')]],
    [
      'counts a chunk without an id, after one with, as a message of its own',
      'b',
      [say('a', 'm1'), say('b')],
    ],
    [
      'counts a chunk with an id, after one without, as a message of its own',
      'b',
      [say('a'), say('b', 'm1')],
    ],
    ['takes a null id for none', 'ab', [say('a', null), say('b')]],
    ['comes back to no earlier message by its id', 'c', [say('a', 'm1'), say('b', 'm2'), say('c', 'm1')]],
    ['begins with an empty chunk of another id', 'xy', [say('', 'm1'), say('x'), say('y')]],
    ['splits after an empty chunk too', 'y', [say('', 'm1'), say('x'), say('y', 'm1')]],
    ['has white space where the message has', ' a\n', [say(' a'), say('\n')]],
    ['leaves out what is no text', 'ab', [say('a'), image, say('b')]],
    ['of white space alone is white space, which counts as empty', ' ', [say(' ')]],
  ])('%s', (_what, expected, updates) => {
    expect(outputOf(...updates).trim()).toBe(expected.trim())
    if (expected.trim() !== '') expect(outputOf(...updates)).toBe(expected)
  })

  test('survives chunks of a foreign shape', () => {
    const sessionUpdate = 'agent_message_chunk'
    const updates: SessionUpdate[] = [
      { sessionUpdate },
      { sessionUpdate, content: null },
      { sessionUpdate, content: { type: 'text' } },
      { sessionUpdate, content: { type: 'text', text: 1 } },
    ]
    expect(outputOf(say('a'), ...updates, say('b'))).toBe('ab')
  })
})
