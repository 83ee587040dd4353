/** `subgate login`: the agent's own sign-in in the person's terminal, also as an editor starts it. */
import { join } from 'node:path'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Rig } from './cli-rig.ts'

const REPORT = '#!/bin/sh\necho "$(basename "$0") $*"\nread line && echo "typed $line"\nexit 7\n'

describe('an agent that is here', () => {
  test.each([
    [['login', 'codex']],
    [['acp', 'login', 'codex']],
    [['acp', '--provider', 'codex', '--sandbox', 'read-only', 'login']],
    [['acp', '--provider', 'claude', 'login', 'codex']],
  ])('%j runs its own sign-in with the keys, the screen and the exit code', async (args) => {
    await using rig = new Rig()
    rig.install('codex', REPORT)
    const { code, stdout, stderr } = await rig.run(args, { stdin: { text: 'a code\n' } })
    expect({ code, stdout }).toEqual({ code: 7, stdout: 'codex login\ntyped a code\n' })
    expect(stderr).toBe(`Signing in to Codex: ${join(rig.root, 'bin/codex')} login\n`)
  })

  test.each([
    ['claude', 'claude', 'auth login'],
    ['claude-code', 'claude', 'auth login'],
    ['claude-acp', 'claude-agent-acp', '--cli auth login'],
    ['gemini', 'gemini', ''],
    ['opencode', 'opencode', 'auth login'],
  ])('%s signs in by %s %s', async (name, program, words) => {
    await using rig = new Rig()
    rig.install(program, REPORT)
    expect(await rig.run(['login', name])).toMatchObject({ code: 7, stdout: `${program} ${words}\n` })
  })

  test('an adapter that has no sign-in takes the program whose sign-in it shares', async () => {
    await using rig = new Rig()
    rig.install('codex-acp', REPORT)
    expect(await rig.run(['login', 'codex-acp'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        "Can't start codex login: there is no program codex on PATH.",
      ) as string,
    })
    rig.install('codex', REPORT)
    expect(await rig.run(['login', 'codex-acp'])).toMatchObject({ code: 7, stdout: 'codex login\n' })
  })

  test('a configured program goes before the one on PATH, with the interpreter in front of it', async () => {
    await using rig = new Rig()
    rig.install('codex', '#!/bin/sh\nexit 9\n')
    rig.configure({
      providers: {
        codex: { command: ['/bin/sh', rig.write('codex', REPORT), '--flag'], env: { SHOWN: 'x' } },
      },
    })
    expect(await rig.run(['login', 'codex'])).toMatchObject({ code: 7, stdout: 'codex login\n' })
  })

  test('it gets what opens a browser and its own variables, and no key of others', async () => {
    await using rig = new Rig()
    rig.install('codex', '#!/bin/sh\nenv | cut -d= -f1\n')
    const env = { DISPLAY: ':0', CODEX_HOME: '/c', OTHER_API_KEY: 'sk-planted', SUBGATE_RUN: 'r' }
    const names = (await rig.run(['login', 'codex'], { env })).stdout.split('\n')
    expect(names).toEqual(expect.arrayContaining(['PATH', 'HOME', 'DISPLAY', 'CODEX_HOME']))
    expect(names.filter((name) => /OTHER_API_KEY|^SUBGATE/u.test(name))).toEqual([])
  })

  test('a signal that ends Subgate ends the sign-in too, and its exit code is kept', async () => {
    await using rig = new Rig()
    rig.install(
      'codex',
      "#!/bin/sh\ntrap 'echo ended; exit 5' TERM\necho ready\nwhile :; do sleep 0.05; done\n",
    )
    const running = rig.start(['login', 'codex'])
    await running.heard('ready')
    running.child.kill('SIGTERM')
    expect(await running.ended).toMatchObject({ code: 5, stdout: 'ready\nended\n' })
  })
})

describe('which agent', () => {
  test('the only one that is here needs no name; of several the list is shown', async () => {
    await using rig = new Rig()
    rig.install('codex', REPORT)
    expect(await rig.run(['login'])).toMatchObject({ code: 7, stdout: 'codex login\n' })
    rig.install('opencode', REPORT)
    expect(await rig.run(['login'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'Several agents are here. Type one of:\n  subgate login codex\n  subgate login opencode\n',
    })
  })

  test('at a terminal a person chooses by number, as the editor asked for no agent', async () => {
    await using rig = new Rig()
    rig.install('codex', REPORT)
    rig.install('opencode', `#!/bin/sh\necho "signed in with $*" > ${join(rig.work, 'done')}\n`)
    const running = rig.start([], {
      shell: 'exec script -qfec "stty cols 200; exec $SUBGATE acp login" /dev/null',
      stdin: 'open',
      env: { SHELL: '/bin/sh', TERM: 'xterm' },
    })
    await running.heard('[1-2]')
    running.child.stdin?.write('2\n')
    expect((await running.ended).code).toBe(0)
    expect(readFileSync(join(rig.work, 'done'), 'utf8')).toBe('signed in with auth login\n')
  })

  test.each([
    [['login'], /^No agent that a person can sign in to is installed here\. subgate providers shows how/u],
    [
      ['login', 'spawn'],
      /^No sign-in of spawn is known here\. It works with keys from the environment: subgate providers/u,
    ],
    [['login', 'claude'], /^Claude Code \(claude\) is not installed here: .* Type: npm install -g /u],
    [['login', 'nobody'], /nobody/u],
    [['acp', 'logn'], /^subgate acp takes no "logn"\. Type: subgate acp --provider <name>, or /u],
    [['acp', 'login', 'a', 'b'], /^subgate acp takes no "login a b"\./u],
  ])('%j: exit 2, and what to do', async (args, message) => {
    await using rig = new Rig()
    const { code, stdout, stderr } = await rig.run(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(message)
  })

  test('an installed agent whose sign-in nobody knows is to be run by itself', async () => {
    await using rig = new Rig()
    rig.install('glm-acp-agent', REPORT)
    expect(await rig.run(['login', 'glm-acp-agent'])).toMatchObject({
      code: 2,
      stderr:
        'No sign-in of glm-acp-agent is known here. Run glm-acp-agent by itself and sign in there, or pass its key with --env NAME.\n',
    })
  })
})
