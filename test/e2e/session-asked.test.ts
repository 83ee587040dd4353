/** What `-s`, `--resume` and `--fork` were asked for: one session for a name, and one run for a key, whatever they mean by then. */
import { expect, test } from 'vitest'
import { documentOf, Rig } from './cli-rig.ts'
import type { Document, Ended } from './cli-rig.ts'

const SPAWN = ['run', 'spawn', '--json', '--model', 'rehearsal']

interface Result extends Document {
  readonly runId: string
  readonly sessionId: string
}

const result = (ended: Ended): Result => documentOf(ended) as Result

const listed = async (rig: Rig): Promise<readonly { readonly name?: string }[]> => {
  const { stdout } = await rig.run(['sessions', 'list', '--json'])
  return (JSON.parse(stdout) as { sessions: readonly { name?: string }[] }).sessions
}

test('-s of one name in several processes at once begins one session; the others go on with it or are SESSION_BUSY', async () => {
  await using rig = new Rig()
  const ended = await Promise.all(
    ['one', 'two', 'three'].map((words) => rig.run([...SPAWN, '-s', 'chat', `say: ${words}`])),
  )
  const done = ended.filter(({ code }) => code === 0).map(result)
  expect(new Set(done.map(({ sessionId }) => sessionId)).size).toBe(1)
  for (const { code, stdout } of ended.filter((each) => each.code !== 0)) {
    const { error } = JSON.parse(stdout) as Document
    expect([code, error?.code]).toEqual([4, 'SESSION_BUSY'])
  }
  expect(await listed(rig)).toMatchObject([{ name: 'chat' }])
  const again = result(await rig.run([...SPAWN, '-s', 'chat', 'say: again']))
  expect([again.sessionId, again.text]).toEqual([done[0]?.sessionId, 'again'])
})

test.each([
  ['-s NAME', ['-s', 'chat']],
  ['-s NAME --fork', ['-s', 'chat', '--fork']],
  ['--resume last', ['--resume', 'last']],
  ['--resume last --fork', ['--resume', 'last', '--fork']],
])('%s asked for again with the same key gives the same run', async (_, flags) => {
  await using rig = new Rig()
  if (flags.length > 2 || flags[0] === '--resume') await rig.run([...SPAWN, '-s', 'chat', 'say: first'])
  const asked = ['run', 'spawn', '--json', ...flags, '--idempotency-key', 'k', 'say: asked']
  const line = flags[0] === '-s' && flags.length === 2 ? [...asked, '--model', 'rehearsal'] : asked
  const one = result(await rig.run(line))
  await rig.run([...SPAWN, 'say: another one is the newest now'])
  const two = result(await rig.run(line))
  expect([two.runId, two.text]).toEqual([one.runId, 'asked'])
  const other = await rig.run([...line.slice(0, -1), 'say: other words'])
  expect([other.code, documentOf(other).error?.code]).toEqual([2, 'INVALID_REQUEST'])
})
