/** On a terminal a person is asked once whether a project may do more than choose and narrow. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import { fake, Rig } from './cli-rig.ts'
import type { Ended } from './cli-rig.ts'

const setUp = (): { readonly rig: Rig; readonly log: string } => {
  const rig = new Rig()
  const log = join(rig.root, 'log')
  const command = fake([{ log }, ...acpHandshake(), ...acpTurn(['the answer'])]).slice(1)
  rig.write('.subgate/config.json', { providers: { local: { command } } })
  return { rig, log }
}

/** Types these keys at the question. */
const typing = async (rig: Rig, keys: string): Promise<Ended> => {
  const running = rig.start([], {
    shell: `exec script -qfec "stty cols 200; exec $SUBGATE run -p local x" /dev/null`,
    stdin: 'open',
    env: { SHELL: '/bin/sh', TERM: 'xterm' },
  })
  await running.heard('[y/N]')
  running.child.stdin?.write(keys)
  return running.ended
}

test('yes makes the project count, now and the next time without a question', async () => {
  const { rig, log } = setUp()
  await using _ = rig
  const asked = await typing(rig, 'y\n')
  expect(asked.stdout).toContain('providers.local.command')
  expect(asked.stdout).toContain('the answer')
  expect(asked.code).toBe(0)
  expect(existsSync(log)).toBe(true)
  expect(await rig.run(['run', '-p', 'local', 'x'])).toMatchObject({ code: 0, stdout: 'the answer\n' })
})

test.each([
  ['no', 'n\n', 2],
  ['an empty line', '\n', 2],
  ['the end of input', '\u0004', 2],
  ['Ctrl-C', '\u0003', 130],
])('%s starts nothing and trusts nothing', async (_name, keys, code) => {
  const { rig, log } = setUp()
  await using _ = rig
  const ended = await typing(rig, keys)
  expect(ended.code).toBe(code)
  expect(ended.stdout).not.toContain('the answer')
  expect(existsSync(log)).toBe(false)
  expect((await rig.run(['trust', '--list'])).stdout).toBe('')
})
