/** Limits across processes: a child that delegates by the command line keeps to those of its parent's run (law 11). */
import { expect, test } from 'vitest'
import { PROGRAM } from './built.ts'
import { documentOf, Rig, shellAgent } from './cli-rig.ts'

interface Limits {
  readonly totalMs?: number
  readonly idleMs?: number
}

/** What the nested run of `subgate run <flags>` was begun under. */
const nestedLimits = async (rig: Rig, flags: readonly string[], own: string): Promise<Limits | undefined> => {
  const words = [process.execPath, PROGRAM, 'run', 'spawn', '--json', '--model', 'rehearsal']
  const line = `${words.map((word) => `'${word}'`).join(' ')} ${own} 'say: from below'`
  const root = documentOf(await rig.run(['run', '--json', ...flags, 'go', ...shellAgent(rig, line)]))
  const nested = JSON.parse(root.text ?? '') as { sessionId: string; depth: number }
  expect(nested.depth).toBe(1)
  const { stdout } = await rig.run(['logs', nested.sessionId, '--json'])
  const events = stdout
    .trim()
    .split('\n')
    .map((each) => JSON.parse(each) as { event: { type: string; limits?: Limits } })
  return events.find(({ event }) => event.type === 'run/started')?.event.limits
}

test('law 11: a nested run inherits the idle limit, and what is left of the total time', async () => {
  await using rig = new Rig()
  const limits = await nestedLimits(rig, ['--timeout', '500', '--idle-timeout', '400'], '')
  expect(limits?.idleMs).toBe(400_000)
  expect(limits?.totalMs).toBeGreaterThan(0)
  expect(limits?.totalMs).toBeLessThan(500_000)
})

test('law 11: what it asks for itself only lowers them, and a parent without limits hands none down', async () => {
  await using rig = new Rig()
  const limits = await nestedLimits(
    rig,
    ['--timeout', '500', '--idle-timeout', '400'],
    '--timeout 90 --idle-timeout 4000',
  )
  expect(limits).toEqual({ totalMs: 90_000, idleMs: 400_000 })
  expect(await nestedLimits(rig, [], '')).toBeUndefined()
})
