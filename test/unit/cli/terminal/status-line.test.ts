/** The live lines as text: what they say, and that they fit. */
import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { columnAfter } from '../../../../src/cli/terminal/fit.ts'
import { elapsed, renderStatus } from '../../../../src/cli/terminal/status-line.ts'
import type { LiveLine } from '../../../../src/cli/terminal/status-line.ts'

const PLAIN = { colors: false, unicode: true }
const line = (more: Partial<LiveLine> = {}): LiveLine => ({
  path: 'codex',
  doing: 'Read src/main.ts',
  startedAt: 1000,
  needsYou: false,
  ...more,
})
const placed = (more: Partial<LiveLine> = {}, branch = '') => [{ run: line(more), branch }]
const one = (more: Partial<LiveLine>, columns: number, now = 8000): string =>
  renderStatus(placed(more), columns, 0, now, PLAIN)[0]!

const frames = (unicode: boolean): readonly string[] =>
  [0, 1, 2, 10].map((frame) => renderStatus(placed(), 80, frame, 8000, { colors: false, unicode })[0]![0]!)

describe('a live line', () => {
  test('shows spinner, path, what the agent does, and the seconds', () => {
    expect(one({}, 80)).toBe('⠋ codex Read src/main.ts 7s')
  })

  test('the spinner turns with the frame, also without Unicode', () => {
    expect(frames(true)).toEqual(['⠋', '⠙', '⠹', '⠋'])
    expect(frames(false)).toEqual(['|', '/', '-', '-'])
  })

  test('a run that needs the person is marked', () => {
    expect(one({ needsYou: true, doing: 'waiting for you: rm' }, 80)).toBe('? codex waiting for you: rm 7s')
  })

  test('the branch of a child stands before its path, as it is', () => {
    expect(renderStatus(placed({}, '│  └─ '), 80, 0, 8000, PLAIN)).toEqual([
      '⠋ │  └─ codex Read src/main.ts 7s',
    ])
  })

  test('what the agent does is shortened first, then the path', () => {
    expect(one({}, 24)).toBe('⠋ codex Read src/ma… 7s')
    expect(one({ path: 'a/very/long/path/of/children' }, 24)).toBe('⠋ a/very/… Read src… 7s')
  })

  test('20 columns hold a line with wide characters', () => {
    const text = one({ path: '翻訳', doing: '設計書を読んでいます' }, 20)
    expect(text).toBe('⠋ 翻訳 設計書を… 7s')
    expect(stringWidth(text)).toBe(19)
  })

  test.each([1, 2, 3, 5, 8, 13, 20, 21, 40])('no line is wider than %i columns less one', (columns) => {
    const names = ['x', '翻訳者', '👩‍👩‍👧 family', 'e\u0301'.repeat(30), 'a'.repeat(300), '']
    for (const path of names)
      for (const doing of names)
        expect(stringWidth(one({ path, doing }, columns, 4_000_000))).toBeLessThan(Math.max(columns, 1))
  })

  test('escape sequences and line ends in titles are gone', () => {
    expect(one({ path: 'a\nb', doing: '\u001B[2J\u001B]0;x\u0007Read\r\nfile' }, 80)).toBe(
      '⠋ a b Read file 7s',
    )
  })

  test('colours are there only when asked for', () => {
    const [colored = ''] = renderStatus(placed(), 80, 0, 8000, { colors: true, unicode: true })
    expect(colored).toContain('\u001B[36m⠋\u001B[39m')
    expect(stripVTControlCharacters(colored)).toBe('⠋ codex Read src/main.ts 7s')
  })

  test.each([
    [-5, '0s'],
    [999, '0s'],
    [59_999, '59s'],
    [125_000, '2m05s'],
    [3_720_000, '1h02m'],
  ])('%i ms are written %s', (ms, expected) => {
    expect(elapsed(ms)).toBe(expected)
  })
})

test.each([
  [0, 'abc', 3],
  [5, 'abc', 8],
  [5, 'abc\n', 0],
  [5, 'abc\n漢字', 4],
  [3, '\tx\t', 16],
  [8, '\t', 16],
])('from column %i the text %j ends at column %i', (column, text, expected) => {
  expect(columnAfter(column, text)).toBe(expected)
})
