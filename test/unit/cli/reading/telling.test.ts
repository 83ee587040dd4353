/** A log in words: lines of messages, facts of events, and how both look. */
import { describe, expect, test } from 'vitest'
import stringWidth from 'string-width'
import { logText } from '../../../../src/cli/reading/log-text.ts'
import { finish, tell, UNTOLD } from '../../../../src/cli/reading/telling.ts'
import type { Told } from '../../../../src/cli/reading/telling.ts'
import { wrap } from '../../../../src/cli/reading/wrap.ts'
import type { SessionEvent } from '../../../../src/contract/events.ts'
import { permissionId, runId, sessionId } from '../../../../src/contract/ids.ts'
import { asks, NOW, said, settled, started, tool, update } from './stored.ts'

const toldOf = (events: readonly SessionEvent[]): readonly Told[] => {
  let telling = UNTOLD
  const lines: Told[] = []
  for (const [index, event] of events.entries()) {
    const [next, more] = tell(telling, { seq: index + 1, at: NOW + index, event })
    telling = next
    lines.push(...more)
  }
  return [...lines, ...finish(telling)[1]]
}

const words = (...events: readonly SessionEvent[]): readonly string[] =>
  toldOf(events).map(({ word, text }) => `${word}|${text}`)

describe('messages', () => {
  test('pieces become lines; the word stands before the first one', () => {
    expect(words(said('Hel'), said('lo\nwor'), said('ld\n\nend'))).toEqual([
      'says|Hello',
      '|world',
      '|',
      '|end',
    ])
  })

  test('a message ends with a tool, a thought or another id, and not with what tells nothing', () => {
    const used = update({ sessionUpdate: 'usage_update', used: 1, size: 2 })
    expect(words(said('a'), used, said('b'), said('c', 'agent_thought_chunk'), said('d'))).toEqual([
      'says|ab',
      'thinks|c',
      'says|d',
    ])
    const part = (text: string, messageId: string): SessionEvent =>
      update({ sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text } })
    expect(words(part('a', '1'), part('b', '2'))).toEqual(['says|a', 'says|b'])
  })

  test('the prompt is told by the start alone; what was put in later is told', () => {
    const echo = (text: string, subgate: object): SessionEvent =>
      update({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text }, _meta: { subgate } })
    expect(
      words(
        started('do it'),
        echo('do it', { prompt: true }),
        echo('cwd is /w', { context: true }),
        echo('stop', { steer: true }),
      ),
    ).toEqual(['started|p', 'asked|do it', 'told|stop'])
    expect(words(started(), echo('do it', { prompt: true }))).toEqual(['started|p', 'told|do it'])
  })
})

describe('facts', () => {
  test('a tool call is told at its start and its end, by the title that it had', () => {
    expect(
      words(
        tool('t', { title: 'Read a', kind: 'read', status: 'pending' }),
        update({ sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'in_progress' }),
        update({ sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'completed' }),
      ),
    ).toEqual(['tool|Read a (read)', 'done|Read a'])
  })

  test('a question names who asks, and its answer the option', () => {
    const answer = (
      outcome: Extract<SessionEvent, { type: 'permission/resolved' }>['outcome'],
    ): SessionEvent => ({
      type: 'permission/resolved',
      id: permissionId('q'),
      outcome,
      by: 'person',
    })
    expect(words(asks('q', 'Write a.md'), answer({ outcome: 'selected', optionId: 'yes' }))).toEqual([
      'asks|helper: Write a.md (edit)',
      'answered|Allow (by person)',
    ])
    expect(words(answer({ outcome: 'cancelled' }))).toEqual(['withdrawn|by person'])
  })

  test('the end says status, time, usage, denials and the error', () => {
    const error = {
      code: 'AGENT_EXITED',
      message: 'It died.',
      phase: 'prompt',
      retryable: false,
      data: {},
    } as const
    expect(
      words(
        settled({
          status: 'timed_out',
          category: 'idle',
          usage: { inputTokens: 1200, outputTokens: 34 },
          denied: [{ title: 'Write x', kind: 'edit', flag: '--permission allow' }],
          error,
        }),
      ),
    ).toEqual([
      'settled|timed out (idle) after 1m05s · 1.2k tokens in, 34 out',
      'denied|Write x (--permission allow would allow it)',
      'error|It died.',
    ])
  })

  test('letters between sessions, policy and setup are told', () => {
    const from = sessionId('ses_c')
    const letter = (body: object): SessionEvent => ({
      type: 'letter/received',
      letter: { id: 1, to: sessionId('ses_p'), from, at: NOW, ...body } as never,
    })
    expect(
      words(
        { type: 'subagent/descriptor', version: 3, provider: 'p', mode: 'kept', label: 'l', model: 'm' },
        { type: 'sandbox/mode', mode: 'read-only', source: 'delegation' },
        { type: 'approval/policy', policy: 'never', source: 'delegation' },
        letter({ kind: 'report', text: 'half\ndone' }),
        letter({ kind: 'settled', runId: runId('run_c'), status: 'failed', label: 'helper' }),
        letter({ kind: 'message', content: [{ type: 'text', text: 'go on' }] }),
      ),
    ).toEqual([
      'created|p kept (l) model m',
      'policy|sandbox read-only',
      'policy|approvals are never given',
      'report|from ses_c: half',
      '|done',
      'settled|helper: failed',
      'message|from ses_c: go on',
    ])
  })
})

describe('the lines', () => {
  const style = { colors: false, unicode: true }

  test('in a pipe have date and time, and are whole', () => {
    const [line = ''] = logText([{ at: NOW, word: 'says', text: 'x'.repeat(200) }], { style }).split('\n')
    expect(line).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d says {6}x{200}$/u)
  })

  test('on a terminal are broken between words and indented, and no escape sequence gets through', () => {
    const text = `\u001B[31m設計書 ${'word '.repeat(30)}\u0007`
    const lines = logText([{ at: NOW, word: 'says', text }], { width: 40, style })
      .trimEnd()
      .split('\n')
    expect(lines.length).toBeGreaterThan(5)
    for (const line of lines) expect(stringWidth(line)).toBeLessThan(40)
    expect(lines.slice(1).every((line) => /^ {19}word/u.test(line))).toBe(true)
    for (const control of ['\u001B', '\u0007']) expect(lines.join('')).not.toContain(control)
  })

  test('a word that is too long is cut, and nothing of it is lost', () => {
    expect(wrap('ab abcdefghij k', 4)).toEqual(['ab', 'abcd', 'efgh', 'ij k'])
    expect(wrap('  x', 4)).toEqual(['  x'])
    expect(wrap('', 4)).toEqual([''])
    expect(wrap('漢字', 1)).toEqual(['漢', '字'])
  })
})
