/** What an agent answered is remembered for a day, under the command line and the identity of its files. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { commandKey, rememberedAnswers } from '../../../src/capabilities/remembered.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'subgate-remembered-'))
})
afterEach(() => {
  rmSync(dir, { recursive: true, force: true })
})

const file = (name: string, content = 'x'): string => {
  const path = join(dir, name)
  writeFileSync(path, content)
  utimesSync(path, 1000, 1000)
  return path
}

describe('law 1: the key of a command line', () => {
  test('is the same while the program and the files among its arguments stay as they are', () => {
    const [program, script] = [file('node'), file('agent.js')]
    const key = commandKey(program, [script, '--acp'], dir)
    expect(key).toMatch(/^[0-9a-f]{64}$/u)
    expect(commandKey(program, [script, '--acp'], dir)).toBe(key)
  })

  test.each<[string, (script: string, program: string) => void]>([
    ['the size of the script', (script) => writeFileSync(script, 'xy')],
    ['the time of the script', (script) => utimesSync(script, 1000, 2000)],
    ['the time of the program', (_script, program) => utimesSync(program, 1000, 2000)],
  ])('changes with %s', (_what, change) => {
    const [program, script] = [file('node'), file('agent.js')]
    const before = commandKey(program, [script], dir)
    change(script, program)
    expect(commandKey(program, [script], dir)).not.toBe(before)
  })

  test('changes with an argument, and with what a link leads to', () => {
    const program = file('agent')
    const [one, two] = [file('one'), file('two')]
    expect(commandKey(program, ['--a'], dir)).not.toBe(commandKey(program, ['--b'], dir))
    const link = join(dir, 'link')
    symlinkSync(one, link)
    const before = commandKey(link, [], dir)
    rmSync(link)
    symlinkSync(two, link)
    expect(commandKey(link, [], dir)).not.toBe(before)
  })

  test('counts a relative argument that is a file from the directory', () => {
    const [program, script] = [file('node'), file('agent.js')]
    const before = commandKey(program, ['agent.js'], dir)
    writeFileSync(script, 'longer')
    expect(commandKey(program, ['agent.js'], dir)).not.toBe(before)
  })

  test.each(['npx', 'npm', 'pnpm', 'uvx', 'uv', 'sh', 'bash', 'ssh', 'docker', 'env'])(
    'there is none for the launcher %s',
    (name) => {
      expect(commandKey(file(name), [], dir)).toBeUndefined()
    },
  )

  test('there is none for a program that is missing, or is a directory', () => {
    mkdirSync(join(dir, 'folder'))
    expect(commandKey(join(dir, 'missing'), [], dir)).toBeUndefined()
    expect(commandKey(join(dir, 'folder'), [], dir)).toBeUndefined()
  })
})

describe('an answer', () => {
  const HOUR = 3_600_000
  let now: number
  const open = (folder = join(dir, 'answers')) => rememberedAnswers(folder, () => now)
  beforeEach(() => {
    now = 1_000_000
  })

  test('is recalled by another gateway for 24 hours, and not after', () => {
    open().remember('k', { model: 'none' })
    now += 24 * HOUR - 1
    expect(open().recall('k')).toEqual({ model: 'none' })
    now += 1
    expect(open().recall('k')).toBeUndefined()
  })

  test('from the future is not believed', () => {
    open().remember('k', { model: 'none' })
    now -= 1
    expect(open().recall('k')).toBeUndefined()
  })

  test('is replaced by a newer one', () => {
    open().remember('k', { model: 'none' })
    open().remember('k', { model: 'native' })
    expect(open().recall('k')).toEqual({ model: 'native' })
    expect(readdirSync(join(dir, 'answers'))).toEqual(['k.json'])
  })

  test('without a key is neither kept nor recalled', () => {
    open().remember(undefined, { model: 'none' })
    expect(open().recall(undefined)).toBeUndefined()
    expect(readdirSync(dir)).toEqual([])
  })

  test('is for the user alone', () => {
    open().remember('k', { model: 'none' })
    expect(statSync(join(dir, 'answers')).mode & 0o777).toBe(0o700)
    expect(statSync(join(dir, 'answers', 'k.json')).mode & 0o777).toBe(0o600)
  })

  test.each([
    ['cut short', '{"at": 1000'],
    ['null', 'null'],
    ['of NUL bytes', '\0\0\0\0'],
    ['without rows', '{"at": 1000000}'],
    ['with rows of another kind', '{"at": 1000000, "capabilities": {"model": "some"}}'],
    ['with a time that is none', '{"at": "now", "capabilities": {}}'],
  ])('in a file %s is passed over, and the next one is kept', (_what, content) => {
    mkdirSync(join(dir, 'answers'))
    writeFileSync(join(dir, 'answers', 'k.json'), content)
    expect(open().recall('k')).toBeUndefined()
    open().remember('k', { fork: 'none' })
    expect(open().recall('k')).toEqual({ fork: 'none' })
  })

  test('that can be neither read nor written costs nothing but itself', () => {
    const blocked = join(dir, 'blocked')
    writeFileSync(blocked, '')
    chmodSync(blocked, 0o400)
    open(blocked).remember('k', { model: 'none' })
    expect(open(blocked).recall('k')).toBeUndefined()
  })
})
