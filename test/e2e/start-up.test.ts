/** What a start must not load: each of these modules of Node's costs it 1 to 7 ms. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EXAMPLE, Rig } from './cli-rig.ts'
import type { Ended } from './cli-rig.ts'

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
