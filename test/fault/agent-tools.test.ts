/** The file tools against a hostile disk: calls that fail, and links that are swapped in. */
import {
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  symlinkSync,
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
      Object.assign(handle, { [name]: stepping(Function.prototype.bind.call(handle[name], handle)) })
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
    for (const name of ['a.txt', 'secret.txt']) writeFileSync(join(house.dir, 'outside', name), 'secret old')
    return house
  }
  const untouched = ({ dir }: ToolHouse, result: ToolResult, n: number): void => {
    expect([n, readdirSync(join(dir, 'outside'))]).toEqual([n, ['a.txt', 'secret.txt']])
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
