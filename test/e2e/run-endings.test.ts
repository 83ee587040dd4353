/** How `subgate run` ends from outside: signals, readers that go away, slow pipes, and what is left afterwards (C14, C39). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import { documentOf, fake, isAlive, pidsOf, Rig, until } from './cli-rig.ts'

/** An agent with a tree that outlives polite words; its pids are in the log. */
const stubborn = (log: string, steps: readonly FakeStep[] = []): readonly string[] =>
  fake([
    { log },
    { ignore: ['SIGTERM', 'SIGINT', 'SIGHUP', 'eof', 'cancel'] },
    { grandchild: { ignore: ['SIGTERM', 'SIGINT', 'SIGHUP'] } },
    { grandchild: { detached: true, ignore: ['SIGTERM', 'SIGINT', 'SIGHUP'] } },
    ...acpHandshake(),
    { expect: 'session/prompt' },
    { say: 'working\n' },
    ...steps,
    { hang: true },
  ])

describe('C14: signals', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s cancels the run, ends the whole tree, and the exit is %d', async (signal, code) => {
    await using rig = new Rig()
    const log = join(rig.root, 'log')
    rig.configure({ providers: { agent: { command: stubborn(log).slice(1), graces: { cancelMs: 300 } } } })
    const running = rig.start(['run', 'agent', 'x', '--output-format', 'stream-json'])
    await running.heard('working')
    const pids = pidsOf(log)
    expect(pids).toHaveLength(3)
    running.child.kill(signal)
    const ended = await running.ended
    expect(ended.code).toBe(code)
    expect(JSON.parse(ended.stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      type: 'result',
      status: 'cancelled',
      category: 'signal',
      text: 'working\n',
      exitCode: code,
    })
    expect(pids.filter(isAlive)).toEqual([])
    expect(rig.left()).toEqual([])
  })

  test('Ctrl-C twice ends at once, and the tree is gone shortly after', async () => {
    await using rig = new Rig()
    const log = join(rig.root, 'log')
    // Without a second word this agent would have an hour.
    rig.configure({
      providers: { agent: { command: stubborn(log).slice(1), graces: { cancelMs: 3_600_000 } } },
    })
    const running = rig.start(['run', 'agent', 'x'])
    await running.heard('working')
    const pids = pidsOf(log)
    // The watchdog, which finds what left its group, stands after a while.
    await until(() => watchdogOf(running.child.pid ?? 0))
    const began = Date.now()
    running.child.kill('SIGINT')
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(running.child.exitCode).toBeNull()
    running.child.kill('SIGINT')
    expect(await running.ended).toMatchObject({ code: 130 })
    expect(Date.now() - began).toBeLessThan(5_000)
    await until(() => pids.every((pid) => !isAlive(pid)))
    expect(pids).toHaveLength(3)
  })

  test('Ctrl-C while the agent starts is a rejected start: exit 130, nothing left', async () => {
    await using rig = new Rig()
    const log = join(rig.root, 'log')
    const running = rig.start([
      'run',
      'x',
      '--json',
      ...fake([{ log }, { expect: 'initialize' }, { hang: true }]),
    ])
    await until(() => pidsOf(log).length === 1)
    running.child.kill('SIGINT')
    const ended = await running.ended
    expect(documentOf(ended)).toMatchObject({ type: 'error', error: { code: 'CANCELLED' }, exitCode: 130 })
    expect(ended.code).toBe(130)
    expect(pidsOf(log).filter(isAlive)).toEqual([])
    expect(rig.left()).toEqual([])
  })

  test('killed outright, its agents are gone by the next start at the latest, and the bystander lives', async () => {
    await using rig = new Rig()
    const [log, other] = [join(rig.root, 'log'), join(rig.root, 'other')]
    const bystander = rig.start(['run', 'x', ...stubborn(other)])
    await bystander.heard('working')
    const running = rig.start(['run', 'x', ...stubborn(log)])
    await running.heard('working')
    running.child.kill('SIGKILL')
    await running.ended
    await rig.run(['run', 'x', ...fake([])])
    await until(() => pidsOf(log).every((pid) => !isAlive(pid)))
    expect(pidsOf(other).every(isAlive)).toBe(true)
  })
})

/** Whether this process has started its watchdog. */
const watchdogOf = (pid: number): boolean =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((child) => child !== '')
    .some((child) => {
      try {
        return readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('subgate-watchdog')
      } catch {
        return false
      }
    })

describe('C39: readers of stdout', () => {
  test('5 MiB through a pipe that is slow to start arrive byte for byte as in a file', async () => {
    await using rig = new Rig()
    const agent = fake([...acpHandshake(), ...acpTurn([{ say: { fill: 'a', times: 5_242_880 } }])])
    const withoutIds = (text: string): string =>
      text
        .replaceAll(/"(runId|sessionId)":"[^"]*"/gu, '"$1":""')
        .replaceAll(/"durationMs":[\d.]+/gu, '"durationMs":0')
    await rig.run(['run', 'x', '--json', ...agent], { shell: '$SUBGATE "$@" > out.json' })
    const { bytes, code } = await rig.run(['run', 'x', '--json', ...agent], {
      shell: '$SUBGATE "$@" | (sleep 1; cat)',
    })
    const file = rig.read('out.json')
    expect(code).toBe(0)
    expect(file.length).toBeGreaterThan(5_242_880)
    expect(withoutIds(bytes.toString()) === withoutIds(file)).toBe(true)
    expect((JSON.parse(file) as { text: string }).text).toHaveLength(5_242_880)
  })

  test.each(['text', 'stream-json'])(
    '| head -1 ends the run, and nothing is said of a broken pipe: %s',
    async (format) => {
      await using rig = new Rig()
      const log = join(rig.root, 'log')
      const agent = fake([
        { log },
        ...acpHandshake(),
        { expect: 'session/prompt' },
        { repeat: 'forever', steps: [{ say: 'line {i}\n' }, { sleep: 5 }] },
      ])
      const { stdout, stderr } = await rig.run(['run', 'x', '--output-format', format, ...agent], {
        shell: '$SUBGATE "$@" | head -1',
      })
      expect(stdout.split('\n')).toHaveLength(2)
      expect(stderr).not.toMatch(/EPIPE|Error|\n {4}at /u)
      await until(() => rig.left().length === 0)
    },
  )

  test('a reader of stderr that goes away changes nothing', async () => {
    await using rig = new Rig()
    const agent = fake([...acpHandshake(), ...acpTurn(['done'])])
    const { stdout } = await rig.run(['run', 'x', '--verbose', ...agent], {
      shell: '{ $SUBGATE "$@"; echo "exit $?"; } 2>&1 >out | true; cat out',
    })
    expect(stdout).toBe('done\nexit 0\n')
  })

  test('a full disk is said, and is no success', async () => {
    await using rig = new Rig()
    const agent = fake([...acpHandshake(), ...acpTurn(['done'])])
    const ended = await rig.run(['run', 'x', ...agent], { shell: '$SUBGATE "$@" > /dev/full' })
    expect(ended.code).toBe(1)
    expect(ended.stderr).toContain('Standard output could not be written (ENOSPC)')
  })
})

test('C16: a flood on the stderr of the agent neither delays the answer nor shows', async () => {
  await using rig = new Rig()
  const flood: FakeStep = { stderr: { fill: 'x', times: 65_536 } }
  const agent = fake([
    { stderr: { fill: 'x', times: 1_048_576 } },
    ...acpHandshake(),
    ...acpTurn(['a', flood, 'b', flood, 'c']),
  ])
  const ended = await rig.run(['run', 'x', ...agent])
  expect(ended).toMatchObject({ code: 0, stdout: 'abc\n' })
  expect(ended.stderr.length).toBeLessThan(1000)
  const failing = fake([{ stderr: { fill: 'x', times: 1_048_576 } }, { expect: 'initialize' }, { exit: 3 }])
  const { error } = documentOf(await rig.run(['run', 'x', '--json', ...failing]))
  const tail = String(error?.data['stderr'])
  expect(tail.length).toBeLessThanOrEqual(4_096)
  expect(tail).toMatch(/^…x/u)
})
