/** What is stored, read while it comes and afterwards: ps, show, logs, sessions list. */
import { readdirSync, existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Gateway } from '../../src/gateway.ts'
import { acpHandshake, acpTurn, fakeAgentCommand } from '../../src/testing/fake-agent.ts'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import { Rig } from './cli-rig.ts'
import type { Ended } from './cli-rig.ts'
import { hanging, json, lines, stop, turn } from './stored-runs.ts'

test('each command is in the help, and has examples in its own', async () => {
  await using rig = new Rig()
  const { stdout } = await rig.run(['--help'])
  for (const command of ['ps', 'show', 'logs', 'sessions']) {
    expect(stdout).toMatch(new RegExp(`^ {2}${command} `, 'mu'))
    expect(await rig.run([command, '--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Examples:\n  subgate ${command} `),
    })
  }
  expect(await rig.run(['show'])).toMatchObject({ code: 2, stdout: '' })
  expect((await rig.run(['pss'])).stderr).toContain('Did you mean "ps"?')
})

describe('where nothing was stored yet', () => {
  test('lists are empty with a hint, an id is not found, and no database is made', async () => {
    await using rig = new Rig()
    for (const args of [
      ['ps'],
      ['ps', '--all'],
      ['sessions'],
      ['sessions', 'list', '--all'],
      ['sessions', 'prune'],
    ])
      expect(await rig.run(args)).toMatchObject({ code: 0, stdout: '', stderr: expect.stringMatching(/\w/u) })
    expect(json(await rig.run(['ps', '--json']))).toEqual({
      type: 'ps',
      sessions: [],
      queued: 0,
      waiting: [],
    })
    expect(json(await rig.run(['sessions', '--json']))).toEqual({
      type: 'sessions',
      sessions: [],
      more: false,
    })
    expect(json(await rig.run(['sessions', 'prune', '--json']))).toEqual({
      type: 'prune',
      dryRun: false,
      sessionIds: [],
      held: 0,
    })
    for (const args of [
      ['show', 'last'],
      ['logs', '-f', 'ses_1'],
    ]) {
      expect(await rig.run(args)).toMatchObject({ code: 4, stdout: '' })
      expect(json(await rig.run([...args, '--json']))).toMatchObject({
        type: 'error',
        error: { code: 'SESSION_NOT_FOUND' },
        exitCode: 4,
      })
    }
    expect(existsSync(rig.state) ? readdirSync(rig.state, { recursive: true }) : []).toEqual([])
  })
})

describe('what has ended', () => {
  const edit: readonly FakeStep[] = [
    {
      update: {
        sessionUpdate: 'tool_call',
        toolCallId: 't2',
        title: 'Edit a.md',
        kind: 'edit',
        content: [{ type: 'diff', path: '/w/a.md', newText: 'x' }],
      },
    },
    { update: { sessionUpdate: 'tool_call_update', toolCallId: 't2', status: 'completed' } },
  ]

  test('show has what was asked, what came out and what was changed; a run is named like a session', async () => {
    await using rig = new Rig()
    const args = ['run', 'fix it\nwith care', '--json', ...turn(...edit, 'Fixed.')]
    const { sessionId, runId } = json(await rig.run(args))
    const shown = json(await rig.run(['show', 'last', '--json']))
    expect(shown).toMatchObject({
      type: 'session',
      session: { sessionId, provider: 'acp', title: 'fix it', state: 'completed', cwd: rig.work, depth: 0 },
      children: [],
      runs: [
        {
          runId,
          prompt: 'fix it\nwith care',
          status: 'completed',
          text: 'Fixed.',
          denied: [],
          files: [{ path: '/w/a.md', kind: 'edit' }],
        },
      ],
    })
    for (const text of [runId, sessionId.slice(0, 10)])
      expect(json(await rig.run(['show', text, '--json']))).toEqual(shown)
    const { stdout } = await rig.run(['show', runId])
    for (const part of ['fix it', 'Fixed.', '/w/a.md (edit)', sessionId]) expect(stdout).toContain(part)
  })

  test('logs --json gives the lines of stream-json, from the cursor on', async () => {
    await using rig = new Rig()
    const streamed = lines(await rig.run(['run', 'x', '--format', 'stream-json', ...turn('a', 'b')]))
    const own = lines(await rig.run(['logs', 'last', '--json']))
    expect(own.map(({ seq }) => seq)).toEqual(own.map((_, index) => index + 1))
    expect(own.filter(({ runId }) => runId !== undefined)).toEqual(
      streamed.filter(({ type, runId }) => type === 'event' && runId !== undefined),
    )
    expect(lines(await rig.run(['logs', 'last', '--json', '--after', '2']))).toEqual(own.slice(2))
    const words = await rig.run(['logs', 'last'])
    expect(words.stdout).toMatch(
      / started +acp\n.* asked +x\n(?:.*\n)*.* says +ab\n.* settled +completed after/u,
    )
  })

  test('sessions list has the newest first, those of this directory alone, and says that there are more', async () => {
    await using rig = new Rig()
    for (const prompt of ['one', 'two']) await rig.run(['run', prompt, ...turn('ok')])
    await rig.run(['run', 'three', '-C', rig.root, '--label', 'elsewhere', ...turn('ok')])
    const titles = (ended: Ended): readonly string[] => json(ended).sessions.map(({ title }: any) => title)
    expect(titles(await rig.run(['sessions', '--json']))).toEqual(['two', 'one'])
    expect(titles(await rig.run(['sessions', 'list', '--all', '--json']))).toEqual([
      'elsewhere',
      'two',
      'one',
    ])
    expect(titles(await rig.run(['sessions', 'list', '--cwd', rig.root, '--json']))).toEqual(['elsewhere'])
    const cut = await rig.run(['sessions', 'list', '--limit', '1'])
    expect(cut).toMatchObject({ code: 0, stderr: expect.stringContaining('There are more') })
    expect(cut.stdout).toMatch(/two\n$/u)
    expect((await rig.run(['sessions', 'list'], { cwd: rig.env['TMPDIR'] ?? '' })).stderr).toContain('--all')
  })

  test('the beginning of several ids is refused with the candidates', async () => {
    await using rig = new Rig()
    for (const prompt of ['one', 'two']) await rig.run(['run', prompt, ...turn('ok')])
    const { code, stderr } = await rig.run(['show', 'ses_'])
    expect(code).toBe(2)
    expect(stderr.match(/ses_\w{20}/gu)).toHaveLength(2)
  })
})

describe('what another process runs', () => {
  test('ps tells what it does; logs -f goes along and ends with the run', async () => {
    await using rig = new Rig()
    const running = await hanging(rig)
    const seen = json(await rig.run(['ps', '--json']))
    expect(seen.sessions).toMatchObject([
      {
        title: 'wait for it',
        state: 'running',
        activity: { doing: 'Run the tests', needsYou: false },
        pid: running.child.pid,
      },
    ])
    const text = await rig.run(['ps'])
    expect(text.stdout).toMatch(/^ses_\w{20} +running +\d+\w* +acp wait for it +Run the tests$/mu)
    const followed = rig.start(['logs', '-f', 'last'])
    await followed.heard('Run the tests')
    await stop(running)
    const { code, stdout } = await followed.ended
    expect(code).toBe(0)
    expect(stdout).toMatch(/ says +I begin\.\n(?:.*\n)*.* settled +cancelled \(signal\)/u)
    expect(await rig.run(['ps'])).toMatchObject({ code: 0, stdout: '' })
    expect((await rig.run(['ps', '--all'])).stdout).toMatch(/ cancelled .* acp wait for it/u)
  })

  test('one that waits for a person is needs you, first, and says what for', async () => {
    await using rig = new Rig()
    const asking = fakeAgentCommand([
      ...acpHandshake(),
      ...acpTurn([{ permission: { toolCall: { toolCallId: 't', title: 'Write a.md', kind: 'edit' } } }]),
    ])
    await using gateway = await Gateway.create({
      cwd: rig.work,
      env: rig.env,
      home: rig.env['HOME'] ?? '',
      command: [asking.command, ...asking.args],
    })
    const prompt = [{ type: 'text', text: 'write' } as const]
    const run = await gateway.runtime.start({ provider: 'acp', prompt }, { answers: true })
    for await (const { event } of run.events()) if (event.type === 'permission/requested') break
    const later = await hanging(rig)
    const { sessions } = json(await rig.run(['ps', '--json']))
    expect(sessions).toMatchObject([
      { sessionId: run.sessionId, state: 'needs_you', activity: { doing: 'waiting for you: Write a.md' } },
      { title: 'wait for it', state: 'running' },
    ])
    expect((await rig.run(['ps'])).stdout.split('\n')[1]).toContain('needs you')
    run.cancel()
    await run.result
    await stop(later)
  })

  test('Ctrl-C ends logs -f with 130 and no trace, and leaves the run alone', async () => {
    await using rig = new Rig()
    const running = await hanging(rig)
    const followed = rig.start(['logs', '--follow', 'last'])
    await followed.heard('Run the tests')
    followed.child.kill('SIGINT')
    expect(await followed.ended).toMatchObject({ code: 130, stderr: '' })
    expect(running.child.exitCode).toBeNull()
    await stop(running)
  })

  test('a reader that goes away ends logs with no trace', async () => {
    await using rig = new Rig()
    const flood: FakeStep = { repeat: 20_000, steps: [{ say: 'line {i}\n' }] }
    await rig.run(['run', 'x', '--format', 'quiet', ...turn(flood)])
    const { stdout, stderr, code } = await rig.run([], { shell: '$SUBGATE logs last | head -n 2' })
    expect(stdout.trimEnd().split('\n')).toHaveLength(2)
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
  })

  test('when its process dies it is lost, logs -f ends with 1, and the next start settles it', async () => {
    await using rig = new Rig()
    const running = await hanging(rig)
    const followed = rig.start(['logs', '-f', 'last'])
    await followed.heard('Run the tests')
    running.child.kill('SIGKILL')
    expect(await followed.ended).toMatchObject({ code: 1, stderr: expect.stringContaining('is gone') })
    expect(json(await rig.run(['ps', '--json'])).sessions).toMatchObject([{ state: 'lost' }])
    // Reading has written nothing.
    expect(json(await rig.run(['ps', '--json'])).sessions).toMatchObject([{ state: 'lost' }])
    await rig.run(['run', 'another', ...turn('ok')])
    expect((await rig.run(['ps'])).stdout).toBe('')
    expect(json(await rig.run(['sessions', '--json'])).sessions).toContainEqual(
      expect.objectContaining({ title: 'wait for it', state: 'interrupted' }),
    )
  })
})
