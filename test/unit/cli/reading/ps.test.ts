/** `ps`: which sessions it shows, in which order, and how that fits a terminal. */
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { gather } from '../../../../src/cli/reading/processes.ts'
import { psText } from '../../../../src/cli/reading/ps-text.ts'
import { flattened, INDENTED, LINES, treeOf } from '../../../../src/cli/reading/tree.ts'
import {
  ALIVE,
  asks,
  NOW,
  said,
  session,
  settled,
  started,
  storeOf,
  summary,
  tool,
  update,
} from './stored.ts'
import type { Written } from './stored.ts'

const STYLE = { colors: false, unicode: true }
const HOUR = 3_600_000

const ROOT: Written = {
  id: 'ses_root00000001',
  events: [started('fix the build\nplease'), tool('t1', { title: 'Run tests' })],
  owner: ALIVE,
  at: NOW - 125_000,
}
const CHILD: Written = {
  id: 'ses_child0000001',
  header: { parentId: session('ses_root00000001'), provider: 'q', label: 'helper' },
  events: [started('help'), said('a'), update({ sessionUpdate: 'usage_update', used: 12_345, size: 1 })],
  owner: ALIVE,
  at: NOW - 60_000,
}
const WAITING: Written = {
  id: 'ses_wait00000001',
  events: [started('write it'), asks('q', 'Write a.md')],
  owner: ALIVE,
  at: NOW - HOUR,
}
const ENDED: Written = {
  id: 'ses_done00000001',
  events: [started('x'), settled({ usage: { inputTokens: 900, outputTokens: 100, costUsd: 0.25 } })],
  at: NOW - 2 * HOUR,
}
const OLD: Written = { ...ENDED, id: 'ses_old000000001', at: NOW - 25 * HOUR }

const seen = (sessions: readonly Written[], all = false): readonly string[] =>
  gather(storeOf(...sessions), { all, now: NOW }).map(({ sessionId }) => sessionId)

describe('which sessions', () => {
  test('open ones of every process, also when their process is dead; with --all, what ended within a day', () => {
    const lost: Written = { id: 'ses_lost00000001', events: [started('x')], at: NOW - 30 * HOUR }
    expect(seen([ROOT, CHILD, ENDED, OLD, lost]).toSorted()).toEqual([CHILD.id, lost.id, ROOT.id])
    expect(seen([ROOT, CHILD, ENDED, OLD, lost], true).toSorted()).toEqual([
      CHILD.id,
      ENDED.id,
      lost.id,
      ROOT.id,
    ])
  })

  test('kept ones that a process holds, and not those that are only stored', () => {
    const kept = (id: string, owner?: typeof ALIVE): Written => ({
      id,
      header: { name: id },
      events: [started('x'), settled()],
      ...(owner !== undefined && { owner }),
    })
    expect(seen([kept('ses_a', ALIVE), kept('ses_b')])).toEqual(['ses_a'])
  })

  test('the ancestors of what runs, though they have ended', () => {
    expect(seen([{ ...ROOT, events: [started('x'), settled()], at: NOW - 90 * HOUR }, CHILD])).toEqual([
      CHILD.id,
      ROOT.id,
    ])
  })

  test('a long run is read at its end alone, unless a question stands before that', () => {
    const chunks = Array.from({ length: 5000 }, () => said('x'))
    const quick = storeOf({
      id: 'ses_1',
      events: [started('p'), tool('t', { title: 'Old' }), ...chunks],
      owner: ALIVE,
    })
    expect(gather(quick, { all: false, now: NOW })[0]?.activity).toEqual({
      doing: 'writing',
      needsYou: false,
    })
    expect(Math.max(...quick.reads)).toBe(512)
    const asked = storeOf({
      id: 'ses_1',
      events: [started('p'), asks('q', 'Write'), ...chunks],
      owner: ALIVE,
    })
    expect(gather(asked, { all: false, now: NOW })[0]?.activity).toEqual({
      doing: 'waiting for you: Write',
      needsYou: true,
    })
  })
})

describe('the tree', () => {
  test('children stand below their parents in the order of their start, trees with the newest change first', () => {
    const nodes = treeOf([
      summary('b', { changedAt: NOW - 9 }),
      summary('a2', { parentSessionId: session('a'), createdAt: NOW + 2 }),
      summary('a1', { parentSessionId: session('a'), createdAt: NOW + 1 }),
      summary('a11', { parentSessionId: session('a1') }),
      summary('a', { changedAt: NOW - 10 }),
    ])
    expect(flattened(nodes, LINES).map(({ branch, session: { title } }) => `${branch}${title}`)).toEqual([
      'a',
      '├─ a1',
      '│  └─ a11',
      '└─ a2',
      'b',
    ])
  })

  test('a tree in which anything waits for a person is first, and one whose parent is not listed is a root', () => {
    const nodes = treeOf([
      summary('new', { changedAt: NOW + 100 }),
      summary('child', { parentSessionId: session('old'), state: 'needs_you', changedAt: NOW - 100 }),
      summary('old', { changedAt: NOW - 100 }),
      summary('orphan', { parentSessionId: session('gone'), changedAt: NOW - 200 }),
    ])
    expect(flattened(nodes, INDENTED).map(({ branch, session: { title } }) => `${branch}${title}`)).toEqual([
      'old',
      '  child',
      'new',
      'orphan',
    ])
  })
})

describe('the lines', () => {
  const sessions = gather(storeOf(ROOT, CHILD, WAITING, ENDED), { all: true, now: NOW })

  test('on a terminal have short ids and drawn branches', () => {
    expect(psText(sessions, [], { width: 100, style: STYLE, now: NOW }).split('\n')).toEqual([
      'SESSION       STATE      AGE    TOKENS    AGENT            NOW',
      'ses_wait0000  needs you  1h00m            p write it       waiting for you: Write a.md',
      'ses_root0000  running    2m05s            p fix the build  Run tests',
      'ses_child000  running    1m00s  12.3k     └─ q helper      writing',
      'ses_done0000  completed  2h00m  1k $0.25  p x',
      '',
    ])
  })

  test('end with the starts that wait: who, since when, and why', () => {
    const base = { sessionId: session('ses_new'), pid: 4711 }
    const until = NOW + 90_000
    const waiting = [
      { ...base, provider: 'p', since: NOW - 65_000, reason: 'capacity' },
      { ...base, provider: 'q', since: NOW - 5000, reason: 'paused', until },
    ] as const
    const time = new Date(until).toTimeString().slice(0, 8)
    expect(psText([], waiting, { width: 100, style: STYLE, now: NOW }).split('\n')).toEqual([
      'SESSION  STATE   AGE    TOKENS  AGENT  NOW',
      '         queued  1m05s          p      waits for a free slot (process 4711)',
      `         queued  5s             q      rate limited until ${time} (process 4711)`,
      '',
    ])
  })

  test('in a pipe have whole ids, and nothing is cut', () => {
    const long = gather(storeOf({ ...ROOT, header: { label: 'l'.repeat(300) } }, CHILD), {
      all: false,
      now: NOW,
    })
    const text = psText(long, [], { style: STYLE, now: NOW })
    expect(text).toContain('ses_root00000001')
    expect(text).toContain('l'.repeat(300))
    expect(text).toMatch(/^ses_child0000001 .* {4}q helper +writing$/mu)
  })

  test.each([30, 40, 60, 80])(
    'of %d columns are narrower than the terminal, whatever characters they hold',
    (width) => {
      const foreign = gather(
        storeOf(
          {
            ...ROOT,
            events: [
              started('設計書を読んで翻訳してください。'.repeat(4)),
              tool('t', { title: '翻訳\u001B[2J中'.repeat(9) }),
            ],
          },
          CHILD,
        ),
        { all: false, now: NOW },
      )
      const lines = psText(foreign, [], { width, style: STYLE, now: NOW }).trimEnd().split('\n')
      expect(lines).toHaveLength(3)
      for (const line of lines) expect(stringWidth(line)).toBeLessThan(width)
      expect(lines.join('')).not.toContain('\u001B')
    },
  )
})
