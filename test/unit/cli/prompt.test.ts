/** Where the prompt of a `run` comes from. Standard input is a real descriptor here, as its kind decides. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const PROGRAM = `
import { readPrompt } from ${JSON.stringify(join(import.meta.dirname, '../../../src/cli/run/prompt.ts'))}
const [words, file] = JSON.parse(process.argv[1])
const said = []
const began = performance.now()
const prompt = await readPrompt({ words, stdin: () => process.stdin, say: (line) => said.push(line), ...(file && { file }) })
  .catch((error) => ({ code: error.code, message: error.message }))
process.stdout.write(JSON.stringify({ prompt, said, ms: performance.now() - began }), () => process.exit(0))
`

interface Read {
  readonly prompt: string | { readonly code: string; readonly message: string }
  readonly said: readonly string[]
  readonly ms: number
}

let dir: string
let child: ChildProcess | undefined
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'subgate-prompt-'))
})
afterEach(() => {
  child?.kill('SIGKILL')
  rmSync(dir, { recursive: true, force: true })
})

const begin = (words: readonly string[], stdin: 'pipe' | 'ignore' | number, file?: string): Promise<Read> => {
  child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, JSON.stringify([words, file])], {
    cwd: dir,
    stdio: [stdin, 'pipe', 'inherit'],
  })
  const { stdout } = child
  if (stdout === null) throw new Error('no pipe')
  return text(stdout).then((json) => JSON.parse(json) as Read)
}

const piped = (words: readonly string[], input: string, file?: string): Promise<Read> => {
  const read = begin(words, 'pipe', file)
  child?.stdin?.end(input)
  return read
}

test('words are joined by spaces', async () => {
  expect(await begin(['fix', 'the', 'bug'], 'ignore')).toMatchObject({ prompt: 'fix the bug', said: [] })
})

test('what is piped is appended to a given prompt', async () => {
  expect(await piped(['review this'], 'diff --git\n')).toMatchObject({
    prompt: 'review this\n\ndiff --git\n',
  })
})

test('what is piped is the prompt when no words are given, also beyond one pipe buffer', async () => {
  const long = 'ü'.repeat(200_000)
  expect((await piped([], long)).prompt).toBe(long)
})

test('a file on standard input is read as a pipe is', async () => {
  writeFileSync(join(dir, 'in.txt'), 'from a file')
  const descriptor = openSync(join(dir, 'in.txt'), 'r')
  const read = begin(['x'], descriptor)
  closeSync(descriptor)
  expect((await read).prompt).toBe('x\n\nfrom a file')
})

test('an empty pipe adds nothing', async () => {
  expect((await piped(['x'], '')).prompt).toBe('x')
})

describe('-f and -', () => {
  test('-f reads a file; words stand before it, standard input after it', async () => {
    writeFileSync(join(dir, 'p.md'), 'from the file')
    expect((await piped(['first'], 'last', 'p.md')).prompt).toBe('first\n\nfrom the file\n\nlast')
  })

  test('a file that is missing is refused with its name', async () => {
    expect((await begin([], 'ignore', 'gone.md')).prompt).toEqual({
      code: 'INVALID_REQUEST',
      message: "The prompt file gone.md can't be read (ENOENT). Name a file that can.",
    })
  })

  test.each([
    [['-'], undefined],
    [[], '-'],
  ])('%j with -f %s waits for a pipe that is silent for longer than a second', async (words, file) => {
    const read = begin(words, 'pipe', file)
    setTimeout(() => child?.stdin?.end('late'), 1500)
    const { prompt, said } = await read
    expect(prompt).toBe('late')
    expect(said).toEqual([])
  })
})

describe('silence', () => {
  test('an open pipe that says nothing is given up after a second, and that is said', async () => {
    const { prompt, said, ms } = await begin(['x'], 'pipe')
    expect(prompt).toBe('x')
    expect(said).toEqual([
      'Standard input is an open pipe that says nothing; going on without it (close it with < /dev/null).',
    ])
    expect(ms).toBeGreaterThan(900)
    expect(ms).toBeLessThan(5000)
  })

  test('a pipe that has begun is read to its end, however slow', async () => {
    const read = begin(['x'], 'pipe')
    child?.stdin?.write('one ')
    setTimeout(() => child?.stdin?.end('two'), 1500)
    expect((await read).prompt).toBe('x\n\none two')
  })

  test('/dev/null costs no wait', async () => {
    const { prompt, said, ms } = await begin(['x'], 'ignore')
    expect(prompt).toBe('x')
    expect(said).toEqual([])
    expect(ms).toBeLessThan(800)
  })

  test.each(['', '  \n'])('no prompt at all is refused with what to type: %j', async (word) => {
    expect((await begin([word], 'ignore')).prompt).toEqual({
      code: 'INVALID_REQUEST',
      message: 'There is no prompt. Type: subgate run <provider> "…", or -f FILE, or pipe it in.',
    })
  })
})
