/** Policy across processes: a child that delegates by the command line is held to its parent's row (law 11, B3.5). */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PROGRAM } from './built.ts'
import { documentOf, Rig, shellAgent } from './cli-rig.ts'

const WRITE = `call write: {"path": "nested.txt", "content": "from below"}`

/** Root (built in) → an ACP agent that confines itself → `subgate run` within it, which tries to write a file. */
const nested = async (rig: Rig, ...flags: readonly string[]) => {
  const words = [process.execPath, PROGRAM, 'run', 'spawn', '--json', '--model', 'rehearsal']
  const [, ...command] = shellAgent(rig, `${words.map((word) => `'${word}'`).join(' ')} '${WRITE}'`)
  rig.configure({
    subagent: { maxDepth: 2 },
    providers: { shell: { command, sandbox: 'provider-managed' } },
    tools: { subagent: { provider: 'shell' } },
  })
  const ended = await rig.run(['run', 'spawn', '--json', '--model', 'rehearsal', ...flags, 'delegate: go'])
  return documentOf(ended)
}

test('law 11: below a read-only root a nested run takes its sandbox from the store, and its write is refused', async () => {
  await using rig = new Rig()
  const document = await nested(rig, '--sandbox', 'read-only')
  expect(document.status).toBe('completed')
  expect(document.text).toContain('read-only')
  expect(existsSync(join(rig.work, 'nested.txt'))).toBe(false)
})

test('law 11: below a root without an override the same nested run writes its file', async () => {
  await using rig = new Rig()
  await nested(rig)
  expect(rig.read('nested.txt')).toBe('from below')
})
