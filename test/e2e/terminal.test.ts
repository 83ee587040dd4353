/** The terminal presentation in a real process under a pty, its bytes read by a terminal emulator. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { screenOf } from '../unit/cli/terminal/screen.ts'

const PROGRAM = join(import.meta.dirname, 'terminal-program.ts')
const CLI = join(import.meta.dirname, '../../src/cli/main.ts')
const AGENT = join(import.meta.dirname, '../../examples/agent/main.ts')

const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`

/** Runs the command on a terminal of this width, answers its question, and returns every byte it wrote. */
const onTerminal = async (
  columns: number,
  env: Readonly<Record<string, string | undefined>>,
  line: string,
): Promise<string> => {
  const command = `stty cols ${columns} rows 24; exec ${line}`
  const child = spawn('script', ['-qfec', command, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], LANG: 'C.UTF-8', SHELL: '/bin/sh', ...env },
  })
  let bytes = ''
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    const asked = bytes.includes('Your answer')
    bytes += piece
    if (!asked && bytes.includes('Your answer')) child.stdin.write('y\n')
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`exit ${code}: ${bytes}`)
  return bytes
}

const underPty = (columns: number, env: Readonly<Record<string, string>>, redirect = ''): Promise<string> =>
  onTerminal(columns, env, `${[process.execPath, PROGRAM].map(quoted).join(' ')} ${redirect}`)

const shownBy = async (bytes: string, columns: number): Promise<readonly string[]> => {
  const screen = screenOf(columns)
  screen.write(bytes)
  return (await screen.lines()).map((line) => line.trimEnd())
}

/** The moment just before the first live lines were taken away for the text. */
const beforeText = (bytes: string): string => bytes.slice(0, bytes.indexOf('First')).replace(/\r[^\r]*$/v, '')

const QUESTION = ['codex asks: Write a.md (edit)', '  1 y  Allow', '  2 n  Reject']
const END = ['First line.', ...QUESTION, 'Your answer (1-2, y, n): y', 'Second: yes']

test('live lines are drawn and cleared; text, question and answer are what is left', async () => {
  const bytes = await underPty(60, { TERM: 'xterm-256color' })
  const [first = '', second = ''] = await shownBy(beforeText(bytes), 60)
  expect(first).toMatch(/^[⠋⠙⠹⠸⠼] 翻訳 設計書を読んでいます \ds$/v)
  expect(second).toMatch(/^[⠋⠙⠹⠸⠼] codex Run tests \ds$/v)
  expect(await shownBy(bytes, 60)).toEqual(END)
  expect(bytes).not.toContain('owned')
  expect(bytes).not.toContain('\u001B[2J')
  expect(bytes).toContain('\u001B[36m')
  expect(bytes.split('First')).toHaveLength(2)
})

test('20 columns hold the lines, wide characters included', async () => {
  const bytes = await underPty(20, { TERM: 'xterm-256color', NO_COLOR: '1' })
  const lines = await shownBy(beforeText(bytes), 20)
  expect(lines).toHaveLength(2)
  expect(lines[0]).toMatch(/^[⠋⠙⠹⠸⠼] 翻訳 設計書を… \ds$/v)
  expect(lines[1]).toMatch(/^[⠋⠙⠹⠸⠼] codex Run tes… \ds$/v)
  expect(bytes).not.toContain('\u001B[36m')
  expect((await shownBy(bytes, 20)).filter((line) => /[⠋⠙⠹⠸⠼]/v.test(line))).toEqual([])
})

test('TERM=dumb gets text and question, and not one escape sequence', async () => {
  const bytes = await underPty(60, { TERM: 'dumb' })
  expect(bytes).not.toContain('\u001B')
  expect(await shownBy(bytes, 60)).toEqual(END)
})

test('with stderr in a file there are no live lines, and the text is still made harmless', async () => {
  const bytes = await underPty(60, { TERM: 'xterm-256color' }, '2>/dev/null </dev/null')
  expect(bytes).not.toContain('\u001B')
  expect(bytes.replaceAll('\r\n', '\n')).toBe('First line.\nSecond: no')
})

test('subgate run shows its children as a tree while they work and at the end, and a pipe has none of it', async () => {
  const { XDG_STATE_HOME, XDG_CONFIG_HOME, XDG_CACHE_HOME, XDG_DATA_HOME } = process.env
  const home = mkdtempSync(join(tmpdir(), 'terminal-'))
  const env = { TERM: 'xterm', HOME: home, XDG_STATE_HOME, XDG_CONFIG_HOME, XDG_CACHE_HOME, XDG_DATA_HOME }
  const script =
    'delegate count: say: Seven.\nalso delegate wait: fail 503 once after 1s: busy\n  say: Done.\nsay: Both.'
  const words = [process.execPath, CLI, 'run', 'spawn', '--model', 'rehearsal', '-C', home, script]
  try {
    const bytes = await onTerminal(80, env, words.map(quoted).join(' '))
    expect((await shownBy(bytes, 80)).slice(-4)).toEqual([
      'Both.',
      expect.stringMatching(/^Built-in agent {12}completed {2}\ds$/v),
      expect.stringMatching(/^├─ Built-in agent: count {2}completed {2}0s$/v),
      expect.stringMatching(/^└─ Built-in agent: wait {3}completed {2}\ds$/v),
    ])
    expect(bytes).toMatch(/└─ Built-in agent: wait .*thinking/v)
    const { status, stdout, stderr } = spawnSync(process.execPath, words.slice(1), {
      env: { PATH: process.env['PATH'], ...env },
      encoding: 'utf8',
    })
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'Both.\n' })
    expect(stderr).not.toMatch(/Built-in|[├└]/v)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
})

test('subgate run asks there, shows what the agent does, and leaves its answer alone', async () => {
  const home = mkdtempSync(join(tmpdir(), 'terminal-'))
  const { XDG_STATE_HOME, XDG_CONFIG_HOME, XDG_CACHE_HOME, XDG_DATA_HOME } = process.env
  const env = {
    TERM: 'xterm-256color',
    HOME: home,
    XDG_STATE_HOME,
    XDG_CONFIG_HOME,
    XDG_CACHE_HOME,
    XDG_DATA_HOME,
  }
  const prompt = 'write 設計書.md: hello then sleep 700ms then count words in 設計書.md'
  const words = [process.execPath, CLI, 'run', '-C', home, prompt, '--', process.execPath, AGENT]
  try {
    const bytes = await onTerminal(100, env, words.map(quoted).join(' '))
    const shown = await shownBy(bytes, 100)
    expect(shown.slice(shown.indexOf('Write 設計書.md (edit)'))).toEqual([
      'Write 設計書.md (edit)',
      `  ${home}/設計書.md`,
      '  + hello',
      '  1 y  Allow',
      '  2 a  Allow all edits in this session',
      '  3 n  Reject',
      'Your answer (1-3, y, a, n): y',
      'Write 設計書.md: done.',
      '',
      'I waited for 700 ms.',
      '',
      '設計書.md has 1 word.',
    ])
    expect(shown.filter((line) => /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/v.test(line))).toEqual([])
    const [before = ''] = bytes.split('I waited')
    const during = (await shownBy(before.slice(0, before.lastIndexOf('\u001B8')), 100)).at(-1)
    expect(during).toMatch(/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] node main\.ts writing \ds$/v)
    expect(readFileSync(join(home, '設計書.md'), 'utf8')).toBe('hello\n')
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
})
