/** What an agent is told of a chat that went on without it. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { handOver, linesOf } from '../../../src/acp/hand-over.ts'
import type { Line } from '../../../src/acp/hand-over.ts'
import { contextBlock } from '../../../src/acp/said.ts'
import type { LogEntry, SessionEvent } from '../../../src/contract/events.ts'
import type { RunId } from '../../../src/contract/ids.ts'

const heard = (title: string, ...events: readonly object[]) =>
  events.map((event, index) => ({
    title,
    entry: { seq: index + 1, at: index, runId: 'run_1' as RunId, event: event as SessionEvent } as LogEntry,
  }))

const asked = (...prompt: readonly object[]) => ({ type: 'run/started', prompt })
const words = (text: string) => ({ type: 'text', text })
const update = (sessionUpdate: string, fields: object) => ({
  type: 'session/update',
  update: { sessionUpdate, ...fields },
})
const said = (text: string) => update('agent_message_chunk', { content: words(text) })

describe('the lines of a chat', () => {
  test('pieces of one answer are one line, and thoughts and plans are none', () => {
    const events = heard(
      'Codex',
      asked(words('Fix the test')),
      update('agent_thought_chunk', { content: words('hm') }),
      said('I will '),
      update('plan', { entries: [] }),
      said('fix it.'),
    )
    expect(linesOf(events)).toEqual([
      { who: 'User', text: 'Fix the test' },
      { who: 'Codex', text: 'I will fix it.' },
    ])
  })

  test('a tool call is one line of its own where it began, with the state in which it ended', () => {
    const events = heard(
      'Codex',
      said('Look.'),
      update('tool_call', { toolCallId: 't', title: 'Run\n  npm test', status: 'pending' }),
      update('tool_call_update', { toolCallId: 't', status: 'in_progress' }),
      said('Done.'),
      update('tool_call_update', { toolCallId: 't', title: 'npm test', status: 'completed' }),
    )
    expect(linesOf(events)).toEqual([
      { who: 'Codex', text: 'Look.' },
      { who: 'Codex', text: '[tool] npm test (completed)', tool: true },
      { who: 'Codex', text: 'Done.' },
    ])
  })

  test('what was told an agent before is not told again, and what is no text is named', () => {
    const events = heard(
      'Codex',
      asked(contextBlock('earlier'), words('See'), { type: 'image', data: '', mimeType: 'image/png' }),
      asked({ type: 'resource_link', name: 'a.ts', uri: 'file:///a.ts' }),
      asked({ type: 'resource', resource: { uri: 'file:///b.ts', text: 'secret' } }),
    )
    expect(linesOf(events).map(({ text }) => text)).toEqual(['See\n[image]', '[a.ts]', '[file:///b.ts]'])
  })
})

describe('the hand-over', () => {
  const lines: readonly Line[] = [
    { who: 'User', text: 'Fix it' },
    { who: 'Codex', text: '[tool] npm test (failed)', tool: true },
    { who: 'Codex', text: 'It fails.' },
  ]

  test('tells all of a short chat', () => {
    expect(handOver(lines, false)).toEqual({
      text: [
        '<earlier-conversation>',
        'This chat began without you. What was said so far, for your information:',
        'User:\nFix it\n',
        'Codex: [tool] npm test (failed)',
        'Codex:\nIt fails.\n',
        '</earlier-conversation>',
      ].join('\n'),
      speakers: ['Codex'],
      cut: 0,
    })
  })

  test('says what was cut, and the limit', () => {
    const told = handOver(lines, true, 60)
    expect(told?.cut).toBe(1)
    expect(told?.text).toBe(
      [
        '<earlier-conversation>',
        'While you were away, this chat went on with others:',
        '(1 earlier message cut: no more than 60 characters are told.)',
        'Codex: [tool] npm test (failed)',
        'Codex:\nIt fails.\n',
        '</earlier-conversation>',
      ].join('\n'),
    )
  })

  test('of a message that is too long by itself the end is told', () => {
    const told = handOver([{ who: 'Codex', text: 'a'.repeat(100) + 'the end' }], false, 60)
    expect(told?.text).toContain('Codex (the end of it):\n…aaaaa')
    expect(told?.text).toContain('the end\n')
    expect(told?.cut).toBe(1)
  })

  test('nothing said is nothing to tell', () => {
    expect(handOver([], false)).toBeUndefined()
  })

  const line = fc.record({
    who: fc.constantFrom('User', 'Codex', 'Claude Code'),
    text: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
  })
  const calls = fc.record({
    who: fc.constant('Codex'),
    text: fc.string({ minLength: 1, maxLength: 50 }).map((title) => `[tool] ${title}`),
    tool: fc.constant(true as const),
  })

  test('property: the limit is held, the newest are kept, in order and without a gap', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(line, calls), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 0, max: 2000 }),
        (all, limit) => {
          const told = handOver(all, false, limit)
          const [, , ...rest] = (told?.text ?? '').split('\n')
          const body = rest.slice(told?.cut === 0 ? 0 : 1, -1).join('\n')
          expect(body.length).toBeLessThanOrEqual(limit)
          const cut = told?.cut ?? 0
          const whole = all
            .slice(cut)
            .map(({ who, text, ...kind }) => ('tool' in kind ? `${who}: ${text}` : `${who}:\n${text}\n`))
          expect(body.endsWith(whole.join('\n'))).toBe(true)
          expect(body.isWellFormed()).toBe(true)
        },
      ),
    )
  })
})
