/** The file tools against a hostile disk: failing calls, links that are swapped, files that are none. */
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ToolResult } from '../../src/agent/tools/tool.ts'
import type { JsonObject } from '../../src/contract/json.ts'
import { toolHouse } from '../fixtures/tool-house.ts'
import type { ToolHouse } from '../fixtures/tool-house.ts'

/** What happens at the n-th call of the file system: it fails, or something is done just before it. */
const disk = vi.hoisted(() => {
  const state = { calls: 0, at: 0, act: (): void => undefined }
  return {
    arm: (at: number, act: () => void): void => {
      Object.assign(state, { calls: 0, at, act })
    },
    /** Whether the n-th call was reached. */
    reached: (): boolean => state.at > 0 && state.calls >= state.at,
    step: (): void => {
      state.calls += 1
      if (state.calls === state.at) state.act()
    },
  }
})

vi.mock('node:fs/promises', async (original) => {
  const actual = await original<Record<string, unknown>>()
  type Call = (...args: unknown[]) => Promise<unknown>
  const stepping =
    (call: Call): Call =>
    async (...args) => {
      disk.step()
      return call(...args)
    }
  const METHODS = ['read', 'readFile', 'writeFile', 'stat', 'chmod', 'sync'] as const
  const open: Call = async (...args) => {
    disk.step()
    const handle = (await (actual['open'] as Call)(...args)) as FileHandle
    for (const name of METHODS)
      Object.assign(handle, { [name]: stepping((handle[name] as Call).bind(handle) as Call) })
    return handle
  }
  const NAMES = [
    'lstat',
    'mkdir',
    'readFile',
    'readdir',
    'readlink',
    'realpath',
    'rename',
    'stat',
    'writeFile',
  ]
  const wrapped = Object.fromEntries(NAMES.map((name) => [name, stepping(actual[name] as Call)]))
  return { ...actual, ...wrapped, open }
})

const PATH = process.env['PATH']
beforeEach(() => {
  process.env['PATH'] = '/nonexistent'
})
afterEach(() => {
  process.env['PATH'] = PATH
  disk.arm(0, () => undefined)
})

interface Action {
  readonly tool: string
  readonly input: JsonObject
}

const ACTIONS: readonly Action[] = [
  { tool: 'read', input: { path: 'sub/a.txt' } },
  { tool: 'write', input: { path: 'sub/a.txt', content: 'new', overwrite: true } },
  { tool: 'write', input: { path: 'sub/x/y/b.txt', content: 'new' } },
  { tool: 'edit', input: { path: 'sub/a.txt', old_text: 'old', new_text: 'new' } },
  { tool: 'glob', input: { pattern: '**' } },
  { tool: 'grep', input: { pattern: 'old|secret' } },
]

const failWith = (errno: string) => (): never => {
  throw Object.assign(new Error(`${errno}: planted`), { code: errno })
}

const SAYS_WHY = /\([A-Z]+\)|does not exist|is not a regular file|was replaced/u

/** Runs the action with the n-th call struck, for n = 1, 2, … until it is no longer reached. */
const forEachCall = async (
  prepare: () => ToolHouse,
  { tool, input }: Action,
  strike: (house: ToolHouse) => () => void,
  check: (house: ToolHouse, result: ToolResult, n: number) => void,
): Promise<number> => {
  for (let n = 1; ; n += 1) {
    const house = prepare()
    disk.arm(n, strike(house))
    const result = await house.call(tool, input)
    const reached = disk.reached()
    disk.arm(0, () => undefined)
    check(house, result, n)
    if (!reached) return n - 1
  }
}

describe.each(['ENOSPC', 'EACCES', 'EISDIR', 'ENOENT', 'EIO'])(
  'when the n-th call fails with %s',
  (errno) => {
    test.each(ACTIONS)('$tool $input leaves a file whole, nothing beside it, and says so', async (action) => {
      const prepare = (): ToolHouse => toolHouse({ files: { '.gitignore': '*.tmp', 'sub/a.txt': 'old' } })
      const struck = await forEachCall(
        prepare,
        action,
        () => failWith(errno),
        ({ w }, result, n) => {
          const failed = result.isError === true
          const text = readFileSync(join(w, 'sub/a.txt'), 'utf8')
          const replaced = !failed && action.input['path'] === 'sub/a.txt' && action.tool !== 'read'
          expect([n, text]).toEqual([n, replaced ? 'new' : 'old'])
          const made = !failed && action.input['path'] === 'sub/x/y/b.txt'
          expect([n, readdirSync(join(w, 'sub'))]).toEqual([n, made ? ['a.txt', 'x'] : ['a.txt']])
          if (made) expect(readdirSync(join(w, 'sub/x/y'))).toEqual(['b.txt'])
          if (failed) expect(result.text).toMatch(SAYS_WHY)
        },
      )
      expect(struck).toBeGreaterThan(4)
    })

    test('what could not be stored of a large output is said, and the next one is stored', async () => {
      const { outputs } = toolHouse({ outputs: { fits: 4, head: 2, tail: 2, session: 1000 } })
      disk.arm(1, failWith(errno))
      expect(await outputs.fit('abcdefgh')).toContain(`could not be stored (${errno})`)
      disk.arm(3, failWith(errno))
      expect(await outputs.fit('abcdefgh')).toContain(`could not be stored (${errno})`)
      expect(outputs.bytes).toBe(0)
      disk.arm(0, () => undefined)
      expect(await outputs.fit('abcdefgh')).toContain('The whole output is output-2')
      expect(await outputs.find('output-2')).toBe('abcdefgh')
    })
  },
)

describe('C37: when something is swapped for a link out of the roots before the n-th call', () => {
  const prepare = (): ToolHouse => {
    const house = toolHouse({ files: { 'sub/a.txt': 'old' } })
    mkdirSync(join(house.dir, 'outside'))
    writeFileSync(join(house.dir, 'outside/a.txt'), 'secret old')
    return house
  }
  const untouched = ({ dir }: ToolHouse, result: ToolResult, n: number): void => {
    expect([n, readdirSync(join(dir, 'outside'))]).toEqual([n, ['a.txt']])
    expect([n, readFileSync(join(dir, 'outside/a.txt'), 'utf8')]).toEqual([n, 'secret old'])
    expect(JSON.stringify(result)).not.toContain('secret')
  }

  test.each(ACTIONS)('a directory: $tool $input touches nothing outside', async (action) => {
    const strike =
      ({ dir, w }: ToolHouse) =>
      (): void => {
        renameSync(join(w, 'sub'), join(dir, 'moved'))
        symlinkSync(join(dir, 'outside'), join(w, 'sub'))
      }
    expect(await forEachCall(prepare, action, strike, untouched)).toBeGreaterThan(4)
  })

  test.each(ACTIONS)('a file: $tool $input touches nothing outside', async (action) => {
    const strike =
      ({ dir, w }: ToolHouse) =>
      (): void => {
        unlinkSync(join(w, 'sub/a.txt'))
        symlinkSync(join(dir, 'outside/a.txt'), join(w, 'sub/a.txt'))
      }
    expect(await forEachCall(prepare, action, strike, untouched)).toBeGreaterThan(4)
  })
})

describe('C37: paths out of the roots', () => {
  const world = (): ToolHouse => {
    const house = toolHouse({ files: { 'sub/in.txt': 'old' } })
    const { dir, w } = house
    for (const name of ['W-evil', 'outside']) mkdirSync(join(dir, name))
    writeFileSync(join(dir, 'outside', 'secret'), 'secret')
    symlinkSync(join(dir, 'outside'), join(w, 'out'))
    symlinkSync(join(dir, 'none'), join(w, 'dang'))
    symlinkSync(join(dir, 'outside', 'secret'), join(w, 'link'))
    symlinkSync('circle', join(w, 'circle'))
    execFileSync('/usr/bin/mkfifo', [join(w, 'fifo')])
    return house
  }
  const OUTSIDE = [
    '../x',
    '../W-evil/x',
    'out/x',
    'out/secret',
    'link',
    'sub/../../x',
    'out/deep/x',
    '/etc/hostname',
  ]
  const NOTHING: readonly (readonly [string, string])[] = [
    ['dang', 'is or passes a symbolic link to nothing'],
    ['dang/x', 'is or passes a symbolic link to nothing'],
    ['circle', 'is a circle of symbolic links'],
    ['a\0b', 'holds a NUL byte'],
    ['fifo', 'is not a regular file'],
    ['sub', 'is not a regular file'],
    ['sub/in.txt/x', 'lies below a file'],
    ['', 'The path is empty'],
    ['x'.repeat(300), 'The name is too long'],
  ]

  test('are asked about and, when that is rejected, neither read nor written', async () => {
    const { call, dir, w, asked } = world()
    for (const path of OUTSIDE) {
      for (const result of [
        await call('read', { path }),
        await call('write', { path, content: 'new', overwrite: true }),
        await call('edit', { path, old_text: 'secret', new_text: 'new' }),
      ]) {
        expect([path, result.isError]).toEqual([path, true])
        expect(result.text).toContain("it lies outside of the session's directories")
      }
    }
    expect(asked).toHaveLength(OUTSIDE.length * 3)
    expect(readdirSync(dir).toSorted()).toEqual(['W', 'W-evil', 'outside'])
    expect(readdirSync(join(dir, 'outside'))).toEqual(['secret'])
    expect(readFileSync(join(dir, 'outside/secret'), 'utf8')).toBe('secret')
    expect(readdirSync(join(dir, 'W-evil'))).toEqual([])
    expect(readdirSync(w).toSorted()).toEqual(['circle', 'dang', 'fifo', 'link', 'out', 'sub'])
  })

  test('that were approved are followed to their real place', async () => {
    const { dir, w, context } = world()
    const { readTool } = await import('../../src/agent/tools/read.ts')
    const { writeTool } = await import('../../src/agent/tools/write.ts')
    const approving = { ...context, ask: () => Promise.resolve('allowed' as const) }
    expect(await readTool.run({ path: 'link' }, approving)).toEqual({ text: '1\tsecret' })
    expect((await writeTool.run({ path: 'link', content: 'new' }, approving)).isError).toBeUndefined()
    expect(lstatSync(join(w, 'link')).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(dir, 'outside/secret'), 'utf8')).toBe('new')
  })

  test('links within the roots are followed, and stay links', async () => {
    const { call, w } = world()
    symlinkSync('sub/in.txt', join(w, 'alias'))
    await call('edit', { path: 'alias', old_text: 'old', new_text: 'new' })
    expect(lstatSync(join(w, 'alias')).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(w, 'sub/in.txt'), 'utf8')).toBe('new')
  })

  test.each(NOTHING)('%j is nothing to read or write: %s', async (path, words) => {
    const { call, dir, asked } = world()
    for (const [tool, input] of [
      ['read', { path }],
      ['write', { path, content: 'new', overwrite: true }],
      ['edit', { path, old_text: 'old', new_text: 'new' }],
    ] as const) {
      const result = await call(tool, input)
      expect([tool, result.isError]).toEqual([tool, true])
      expect(result.text).toContain(words)
    }
    expect(asked).toEqual([])
    expect(existsSync(join(dir, 'none'))).toBe(false)
  })
})

describe('files that are no files', () => {
  test('devices neither block nor are read, also under full access', async () => {
    const { call } = toolHouse({ sandbox: 'danger-full-access' })
    for (const path of ['/dev/zero', '/dev/tty', '/dev/full']) {
      expect((await call('read', { path })).isError).toBe(true)
      expect((await call('write', { path, content: 'x', overwrite: true })).isError).toBe(true)
    }
  })

  test('a huge file is read in parts without being taken in, and is not edited', async () => {
    const { call, w } = toolHouse({ files: { big: 'row\n'.repeat(100_000) } })
    truncateSync(join(w, 'big'), 2 ** 40)
    expect(await call('read', { path: 'big', offset: 50_000, limit: 1 })).toEqual({
      text: '50000\trow\n[big goes on: read it with offset 50001.]',
    })
    expect(await call('edit', { path: 'big', old_text: 'row', new_text: 'x' })).toEqual({
      text: 'big is larger than 10485760 bytes. Nothing was changed.',
      isError: true,
    })
  })

  test('a call that is stopped ends in the middle of a huge file', async () => {
    const stop = new AbortController()
    const { call, w } = toolHouse({ signal: stop.signal, files: { big: 'row\n'.repeat(100_000) } })
    truncateSync(join(w, 'big'), 2 ** 40)
    const reading = call('read', { path: 'big', offset: 1_000_000 })
    setTimeout(() => stop.abort(), 50)
    expect(await reading).toEqual({ text: 'The call was stopped.', isError: true })
    expect(await call('write', { path: 'a', content: 'x' })).toEqual({
      text: 'The call was stopped.',
      isError: true,
    })
    expect(readdirSync(w)).toEqual(['big'])
  })

  test('a line without an end takes no more memory than its limit', async () => {
    const { call, w } = toolHouse({ files: { line: 'x'.repeat(100_000) } })
    truncateSync(join(w, 'line'), 200 * 1024 * 1024)
    const before = process.memoryUsage().arrayBuffers
    const { text } = await call('read', { path: 'line' })
    expect(text).toBe(`1\t${'x'.repeat(2000)} [209713200 more bytes]`)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024)
  })
})
