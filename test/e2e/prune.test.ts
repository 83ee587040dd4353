/** `subgate sessions prune`: what it shows, asks and removes. */
import { describe, expect, test } from 'vitest'
import { Rig } from './cli-rig.ts'
import { hanging, json, stop, turn } from './stored-runs.ts'

describe('sessions prune', () => {
  test('shows what would go, needs --yes where nobody can answer, and removes it then', async () => {
    await using rig = new Rig()
    for (const prompt of ['one', 'two']) await rig.run(['run', prompt, ...turn('ok')])
    const rule = ['sessions', 'prune', '--older-than', '0', '--keep', '1']
    expect((await rig.run([...rule, '--dry-run'])).stdout).toMatch(/ one +.*\n$/u)
    expect(await rig.run(rule)).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
    expect(json(await rig.run(['sessions', '--json'])).sessions).toHaveLength(2)
    expect(await rig.run([...rule, '--yes'])).toMatchObject({ code: 0, stderr: '1 session removed.\n' })
    expect(json(await rig.run(['sessions', '--json'])).sessions).toMatchObject([{ title: 'two' }])
    expect((await rig.run(['sessions', 'prune', '--yes'])).stderr).toBe('No stored session is that old.\n')
  })

  test.each([
    ['y\n', 0, '1 session removed.'],
    ['n\n', 1, 'Nothing was removed.'],
  ])('asks on a terminal: %j', async (keys, left, said) => {
    await using rig = new Rig()
    await rig.run(['run', 'one', ...turn('ok')])
    const asked = rig.start([], {
      shell: 'exec script -qfec "stty cols 100; exec $SUBGATE sessions prune --older-than 0" /dev/null',
      stdin: 'open',
      env: { SHELL: '/bin/sh', TERM: 'xterm' },
    })
    await asked.heard('[y/N]')
    asked.child.stdin?.write(keys)
    const { stdout } = await asked.ended
    expect(stdout.indexOf('one')).toBeLessThan(stdout.indexOf('[y/N]'))
    expect(stdout).toContain(said)
    expect(json(await rig.run(['sessions', '--json'])).sessions).toHaveLength(left)
  })

  test('never removes what runs', async () => {
    await using rig = new Rig()
    const running = await hanging(rig)
    expect(json(await rig.run(['sessions', 'prune', '--older-than', '0', '--yes', '--json']))).toEqual({
      type: 'prune',
      dryRun: false,
      sessionIds: [],
      held: 1,
    })
    await stop(running)
    expect(json(await rig.run(['show', 'last', '--json']))).toMatchObject({ session: { state: 'cancelled' } })
  })
})
