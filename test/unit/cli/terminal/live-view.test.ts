/** Live lines and answer text on one terminal, seen through a terminal emulator. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { LiveView } from '../../../../src/cli/terminal/live-view.ts'
import type { LiveLine } from '../../../../src/cli/terminal/status-line.ts'
import { screenOf } from './screen.ts'

beforeEach(() => {
  // The emulator needs its own timeouts.
  vi.useFakeTimers({ now: 0, toFake: ['setInterval', 'clearInterval', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const line = (path: string, doing: string, needsYou = false): LiveLine => ({
  path,
  doing,
  startedAt: 0,
  needsYou,
})

const open = (options: { columns?: number; rows?: number; enabled?: boolean; answersTTY?: boolean } = {}) => {
  const size = { columns: options.columns ?? 40, rows: options.rows ?? 24 }
  const screen = screenOf(size.columns, size.rows)
  const written: string[] = []
  const answers: string[] = []
  const answersTTY = options.answersTTY ?? true
  const view = new LiveView({
    stream: {
      isTTY: true,
      get columns() {
        return size.columns
      },
      get rows() {
        return size.rows
      },
      write(chunk) {
        written.push(chunk)
        screen.write(chunk)
      },
    },
    answers: {
      isTTY: answersTTY,
      write(chunk) {
        answers.push(chunk)
        if (answersTTY) screen.write(chunk)
      },
    },
    now: () => Date.now(),
    timers: globalThis,
    enabled: options.enabled ?? true,
    style: { colors: true, unicode: true },
  })
  return { answers, screen, size, view, written, tick: (ms = 100) => vi.advanceTimersByTime(ms) }
}

describe('live lines', () => {
  test('are drawn one for each run, follow the changes, and are cleared at the end', async () => {
    const { screen, tick, view } = open()
    view.update('1', line('codex', 'thinking'))
    view.update('2', line('codex/tests', 'queued'))
    tick()
    expect(await screen.lines()).toEqual(['⠋ codex thinking 0s', '⠋ codex/tests queued 0s'])
    view.update('2', line('codex/tests', 'Run npm test'))
    tick(3000)
    expect(await screen.lines()).toEqual(['⠋ codex thinking 3s', '⠋ codex/tests Run npm test 3s'])
    view.update('1', undefined)
    tick()
    expect(await screen.lines()).toEqual(['⠙ codex/tests Run npm test 3s'])
    view.close()
    expect(await screen.lines()).toEqual([])
  })

  test('are redrawn at most ten times a second, however many changes there are', () => {
    const { tick, view, written } = open()
    for (let change = 0; change < 1000; change += 1) {
      view.update('1', line('codex', `step ${change}`))
      tick(1)
    }
    expect(written).toHaveLength(10)
  })

  test('a run shorter than a tenth of a second draws nothing at all', () => {
    const { tick, view, written } = open()
    view.update('1', line('codex', 'thinking'))
    tick(99)
    view.close()
    tick(1000)
    expect(written).toEqual([])
  })

  test('of many runs the first ones are shown, and before them those that need the person', async () => {
    const { screen, tick, view } = open({ rows: 6 })
    for (let run = 1; run <= 8; run += 1) view.update(String(run), line(`run-${run}`, 'x', run === 8))
    tick()
    expect(await screen.lines()).toEqual([
      '? run-8 x 0s',
      '⠋ run-1 x 0s',
      '⠋ run-2 x 0s',
      '⠋ run-3 x 0s',
      '  +4',
    ])
    tick(500)
    expect(await screen.lines()).toHaveLength(5)
  })

  test('20 columns, wide characters and a joined emoji leave no line behind', async () => {
    const { screen, tick, view } = open({ columns: 20 })
    view.update('1', line('翻訳', '設計書を読んでいます'))
    view.update('2', line('👩‍👩‍👧', '👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧'))
    for (let redraw = 0; redraw < 5; redraw += 1) tick()
    expect((await screen.lines())[0]).toBe('⠼ 翻訳 設計書を… 0s')
    expect(await screen.lines()).toHaveLength(2)
    view.close()
    expect(await screen.lines()).toEqual([])
  })

  test('a terminal that becomes narrower loses no text', async () => {
    const { screen, size, tick, view } = open({ columns: 60 })
    view.text('The answer.\n')
    view.update('1', line('codex', 'a title that takes more than half of the columns'))
    tick()
    size.columns = 30
    await screen.resize(30, 24)
    tick()
    expect(await screen.lines()).toEqual(['The answer.', '⠙ codex a title that take… 0s'])
  })
})

describe('answer text', () => {
  test('stands above the live lines and goes on where it stopped', async () => {
    const { screen, tick, view } = open()
    view.update('1', line('codex', 'writing'))
    tick()
    view.text('Hel')
    expect(await screen.lines()).toEqual(['Hel'])
    tick()
    expect(await screen.lines()).toEqual(['Hel', '⠙ codex writing 0s'])
    view.text('lo.\n')
    expect(await screen.lines()).toEqual(['Hello.'])
    tick()
    expect(await screen.lines()).toEqual(['Hello.', '⠹ codex writing 0s'])
    view.text('More')
    view.close()
    expect(await screen.lines()).toEqual(['Hello.', 'More'])
  })

  test('goes on where it stopped at the bottom of the screen, too, with more lines than before', async () => {
    const { screen, tick, view } = open({ rows: 5 })
    view.text('1\n2\n3\n4\nunfinished')
    view.update('1', line('a', 'x'))
    tick()
    view.update('2', line('b', 'y'))
    view.update('3', line('c', 'z'))
    tick(200)
    const above = ['1', '2', '3', '4']
    expect(await screen.lines()).toEqual([...above, 'unfinished', '⠹ a x 0s', '⠹ b y 0s', '⠹ c z 0s'])
    view.text(' business\n')
    tick()
    expect(await screen.lines()).toEqual([
      ...above,
      'unfinished business',
      '⠸ a x 0s',
      '⠸ b y 0s',
      '⠸ c z 0s',
    ])
  })

  test('that fills its line to the edge is left alone until it goes on', async () => {
    const { screen, tick, view } = open({ columns: 20 })
    view.update('1', line('codex', 'writing'))
    view.text('exactly twenty chars')
    tick()
    expect(await screen.lines()).toEqual(['exactly twenty chars'])
    view.text('!')
    tick()
    view.text('?\n')
    view.close()
    expect(await screen.lines()).toEqual(['exactly twenty chars', '!?'])
  })

  test('that was unfinished when the terminal was resized goes on in a line of its own', async () => {
    const { screen, size, tick, view } = open({ columns: 60 })
    view.update('1', line('codex', 'writing'))
    view.text('unfinished')
    tick()
    size.columns = 30
    await screen.resize(30, 24)
    view.text(' business\n')
    expect(await screen.lines()).toEqual(['unfinished', ' business'])
  })

  test('is written once and never redrawn', () => {
    const { answers, tick, view, written } = open()
    view.update('1', line('codex', 'writing'))
    for (const chunk of ['one\n', 'two', ' and\n', 'three\n']) {
      view.text(chunk)
      tick(250)
    }
    view.close()
    expect(answers).toEqual(['one\n', 'two', ' and\n', 'three\n'])
    expect(written.join('')).not.toMatch(/one|two|three/v)
  })

  test('C01: its escape sequences do not reach the terminal, also when a chunk cuts them', async () => {
    const { answers, screen, view } = open()
    view.text('safe\u001B')
    view.text('[2J and \u001B]0;owned\u0007sound\n')
    view.close()
    expect(await screen.lines()).toEqual(['safe and sound'])
    expect(answers.join('')).toBe('safe and sound\n')
  })

  test('goes into a pipe byte for byte, while the live lines stay', async () => {
    const { answers, screen, tick, view } = open({ answersTTY: false })
    view.update('1', line('codex', 'writing'))
    tick()
    view.text('\u001B[31mred')
    tick()
    expect(answers).toEqual(['\u001B[31mred'])
    expect(await screen.lines()).toEqual(['⠙ codex writing 0s'])
    view.close()
    expect(await screen.lines()).toEqual([])
  })

  test('a note of ours gets a line of its own', async () => {
    const { screen, tick, view } = open()
    view.update('1', line('codex', 'writing'))
    view.text('half')
    view.note('warning: \u001B[2Jlate')
    tick()
    expect(await screen.lines()).toEqual(['half', 'warning: late', '⠋ codex writing 0s'])
  })
})

describe('a question', () => {
  test('has the screen to itself; text and notes wait until it is answered', async () => {
    const { screen, tick, view } = open()
    const answer = Promise.withResolvers<string>()
    view.update('1', line('codex', 'waiting for you', true))
    tick()
    view.text('half')
    const asked = view.question(() => {
      screen.write('Allow? ')
      return answer.promise
    })
    view.text(' done\n')
    view.note('noted')
    tick(500)
    expect(await screen.lines()).toEqual(['half', 'Allow? '])
    screen.write('y\n')
    answer.resolve('y')
    expect(await asked).toBe('y')
    tick()
    expect(await screen.lines()).toEqual(['half', 'Allow? y', ' done', 'noted', '? codex waiting for you 0s'])
  })
})

test('without the ability nothing is drawn and no cursor is moved', () => {
  const { answers, tick, view, written } = open({ enabled: false })
  view.update('1', line('codex', 'thinking'))
  tick(1000)
  view.text('\u001B[2Jtext')
  view.note('noted')
  view.close()
  expect(answers).toEqual(['text'])
  expect(written).toEqual(['\n', 'noted\n'])
})
