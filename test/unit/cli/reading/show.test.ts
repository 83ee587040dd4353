/** One session or run: what is read back of it, and how it looks. */
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { RunRecorder } from '../../../../src/cli/reading/run-record.ts'
import type { RunRecord } from '../../../../src/cli/reading/run-record.ts'
import { showText } from '../../../../src/cli/reading/show-text.ts'
import type { SessionEvent } from '../../../../src/contract/events.ts'
import { runId } from '../../../../src/contract/ids.ts'
import { NOW, said, session, settled, started, summary, tool, update } from './stored.ts'

const RUN = runId('run_1')

const recordOf = (...events: readonly SessionEvent[]): RunRecord => {
  const recorder = new RunRecorder(RUN)
  for (const [index, event] of events.entries())
    recorder.take({ seq: index + 1, at: NOW + index, runId: RUN, event })
  return recorder.record()
}

const ended = (toolCallId: string, status: string, fields: object = {}): SessionEvent =>
  update({ sessionUpdate: 'tool_call_update', toolCallId, status, ...fields })

describe('a run', () => {
  test('is its prompt, its last message that is not empty, and its ending (B10.2)', () => {
    const usage = { inputTokens: 1, outputTokens: 2 }
    expect(
      recordOf(
        started('do\nit'),
        said('Let me see.'),
        tool('t'),
        said('Done.'),
        tool('u'),
        said(' '),
        settled({ usage }),
      ),
    ).toEqual({
      runId: 'run_1',
      startedAt: NOW,
      settledAt: NOW + 6,
      prompt: 'do\nit',
      text: 'Done.',
      status: 'completed',
      denied: [],
      usage,
      durationMs: 65_000,
      files: [],
    })
  })

  test('that is open has no status, and the text so far', () => {
    const record = recordOf(started('x'), said('so f'), said('ar'))
    expect(record).toMatchObject({ text: 'so far', denied: [] })
    expect(record).not.toHaveProperty('status')
    expect(record).not.toHaveProperty('settledAt')
  })

  test('changed the files of its edits that succeeded, and no others', () => {
    const diff = (path: string): Record<string, unknown> => ({
      content: [{ type: 'diff', path, newText: '' }],
    })
    expect(
      recordOf(
        started('x'),
        tool('read', { kind: 'read', locations: [{ path: '/w/read' }] }),
        ended('read', 'completed'),
        tool('edit', { kind: 'edit' }),
        ended('edit', 'completed', diff('/w/edit')),
        tool('fail', { kind: 'edit', ...diff('/w/fail') }),
        ended('fail', 'failed'),
        tool('bare', diff('/w/bare')),
        ended('bare', 'completed'),
        tool('rm', { kind: 'delete', locations: [{ path: '/w/edit' }] }),
        ended('rm', 'completed'),
        tool('open', { kind: 'edit', ...diff('/w/open') }),
      ).files,
    ).toEqual([
      { path: '/w/edit', kind: 'delete' },
      { path: '/w/bare', kind: 'edit' },
    ])
  })

  test('is told apart from the other runs of its session', () => {
    const recorder = new RunRecorder(RUN)
    recorder.take({ seq: 1, at: NOW, runId: runId('run_2'), event: started('other') })
    recorder.take({ seq: 2, at: NOW, event: said('late') })
    expect(recorder.record()).toMatchObject({ prompt: '', text: '' })
  })
})

describe('the lines', () => {
  const style = { colors: false, unicode: true }
  const error = {
    code: 'AGENT_EXITED',
    message: 'It died.',
    phase: 'prompt',
    retryable: false,
    data: { stderr: 'boom\n' },
  } as const
  const shown = {
    session: summary('ses_1', { title: 'fix \u001B[2Jit', state: 'failed', pid: 7 }),
    children: [summary('ses_2', { parentSessionId: session('ses_1'), provider: 'q', title: 'helper' })],
    runs: [
      recordOf(started('first\nmore'), said('old answer'), settled()),
      recordOf(
        started('second'),
        said('設計書を読んで翻訳しました。'.repeat(8)),
        tool('t', { kind: 'edit', locations: [{ path: '/w/src/a.ts' }] }),
        ended('t', 'completed'),
        settled({
          status: 'failed',
          category: 'process',
          error,
          denied: [{ title: 'Write x', kind: 'edit', flag: '--permission allow' }],
        }),
      ),
    ],
  }

  test('have the facts, earlier runs in a line, the last one whole', () => {
    const text = showText(shown, { style, now: NOW + 60_000 })
    for (const part of [
      'Session   ses_1\n',
      'Title     fix it\n',
      'State     failed\n',
      'Held by   process 7\n',
      'Children  ses_2 running q helper\n',
      'run_1 completed after 1m05s  first\n',
      'run_1 failed after 1m05s (process)\n',
      'Asked\n  second\n',
      'Denied\n  Write x (--permission allow would allow it)\n',
      'Error\n  It died.\n  The agent wrote on stderr:\n    boom\n',
      'Changed files\n  src/a.ts (edit)\n',
    ])
      expect(text).toContain(part)
    expect(text).not.toContain('old answer')
    expect(text).not.toContain('\u001B')
  })

  test.each([30, 60, 100])('fit a terminal of %d columns', (width) => {
    const lines = showText(shown, { width, style, now: NOW }).split('\n')
    for (const line of lines) expect(stringWidth(line)).toBeLessThan(width)
    expect(lines.join('').replaceAll(/\s/gu, '')).toContain('設計書を読んで翻訳しました。'.repeat(8))
  })
})
