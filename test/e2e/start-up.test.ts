/** What a start loads, and what it keeps for the next one. */
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { EXAMPLE, Rig } from './cli-rig.ts'
import type { Ended } from './cli-rig.ts'

/** Each of these modules of Node's costs a start 1 to 7 ms. */
const COSTLY = new Set(
  ['crypto', 'fs/promises', 'internal/fs/streams', 'perf_hooks', 'v8', 'worker_threads'].map(
    (name) => `NativeModule ${name}`,
  ),
)

const HOOK =
  "process.on('exit', () => require('node:fs').writeFileSync(process.env.SUBGATE_TEST_LOADED, process.moduleLoadList.join('\\n')))"

test('a run of an agent loads none of the costly modules that it has no use for', async () => {
  await using rig = new Rig()
  rig.write('notes.md', 'one two three\n')
  rig.write('hook.cjs', HOOK)
  const loaded = join(rig.work, 'loaded.txt')
  const env = { NODE_OPTIONS: `--require ${join(rig.work, 'hook.cjs')}`, SUBGATE_TEST_LOADED: loaded }
  const once = (): Promise<Ended> => rig.run(['run', 'count words in notes.md', ...EXAMPLE], { env })
  // The very first start makes the user's key too.
  expect((await once()).code).toBe(0)
  expect((await once()).code).toBe(0)
  const modules = readFileSync(loaded, 'utf8').split('\n')
  expect(modules).toContain('NativeModule sqlite')
  expect(modules.filter((name) => COSTLY.has(name))).toEqual([])
})

describe('compiled code', () => {
  const kept = (folder: string): Readonly<Record<string, number>> =>
    Object.fromEntries(
      globSync('code/*/*/*', { cwd: folder }).map((file) => [file, statSync(join(folder, file)).ino]),
    )

  test('is kept below the cache folder of the user, by command, and made once', async () => {
    await using rig = new Rig()
    const folder = join(rig.root, 'cache/subgate')
    const env = { NODE_COMPILE_CACHE: '' }
    expect((await rig.run(['providers'], { env })).code).toBe(0)
    const first = kept(folder)
    expect(Object.keys(first).map((file) => file.split('/').slice(-2).join('/'))).toContain(
      'providers/main.js',
    )
    expect((await rig.run(['providers'], { env })).code).toBe(0)
    expect(kept(folder)).toEqual(first)
    expect((await rig.run(['ps'], { env })).code).toBe(0)
    expect(Object.keys(kept(folder)).length).toBeGreaterThan(Object.keys(first).length)
  })

  test.each([
    { NODE_COMPILE_CACHE: '', NODE_DISABLE_COMPILE_CACHE: '1' },
    { NODE_COMPILE_CACHE: '', HOME: '', XDG_CACHE_HOME: '' },
  ])('is not kept with %j', async (env) => {
    await using rig = new Rig()
    expect((await rig.run(['--version'], { env })).code).toBe(0)
    expect(kept(join(rig.root, 'cache/subgate'))).toEqual({})
  })

  test('of a start that failed is not kept', async () => {
    await using rig = new Rig()
    expect((await rig.run(['nonsense'], { env: { NODE_COMPILE_CACHE: '' } })).code).toBe(2)
    expect(kept(join(rig.root, 'cache/subgate'))).toEqual({})
  })
})
