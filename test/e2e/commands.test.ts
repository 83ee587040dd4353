/** The commands around `run`: what is here, and words that are none. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import { VERSION } from '../../src/version.ts'
import { PROGRAM } from './built.ts'
import { documentOf, fake, Rig } from './cli-rig.ts'

describe('help and version', () => {
  test('--version is the version alone', async () => {
    await using rig = new Rig()
    for (const flag of ['--version', '-V'])
      expect(await rig.run([flag])).toMatchObject({ code: 0, stdout: `${VERSION}\n`, stderr: '' })
  })

  test('--help names every command, and the help of run names every flag and exit code', async () => {
    await using rig = new Rig()
    const help = await rig.run(['--help'])
    expect(help).toMatchObject({ code: 0, stderr: '' })
    for (const command of ['run', 'acp', 'providers', 'config', 'trust'])
      expect(help.stdout).toMatch(new RegExp(`^ {2}${command} `, 'mu'))
    const run = await rig.run(['run', '--help'])
    expect(run.stdout).toBe((await rig.run(['help', 'run'])).stdout)
    for (const flag of [
      '--output-format',
      '--cwd',
      '--add-dir',
      '--timeout',
      '--idle-timeout',
      '--max-depth',
      '--model',
      '--sandbox',
      '--permission',
      '--on-denied',
      '--json-schema',
      '--output-schema',
      '--env',
      '--verbose',
    ])
      expect(run.stdout).toContain(flag)
    for (const code of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 130, 143])
      expect(run.stdout).toMatch(new RegExp(`\\b${code} [A-Za-z]`, 'u'))
  })
})

describe('words that mean nothing', () => {
  test.each([
    [['help', 'prsets'], 'There is no command "prsets". Did you mean "presets"?'],
    [
      ['help', 'nope'],
      'There is no command "nope". There are: run, acp, init, login, ps, show, logs, sessions, providers, presets, config, trust, conformance, help.',
    ],
    [['help', 'config', 'shw'], 'There is no command "shw". Did you mean "show"?'],
    [
      ['run', '-C', '/nope', 'x', '--', 'agent'],
      `--cwd (-C) is "/nope", which can't be opened (ENOENT). Name a directory that exists.`,
    ],
    [
      ['run', '--add-dir', '/nope', 'x', '--', 'agent'],
      `--add-dir is "/nope", which can't be opened (ENOENT). Name a directory that exists.`,
    ],
    [['runn', 'x'], 'There is no command "runn". Did you mean "run"? See: subgate --help'],
    [
      ['fix the bug'],
      'There is no command "fix the bug". To give a task to an agent, type: subgate run "fix the bug"',
    ],
    [['--jsn'], "Unknown option '--jsn'. See: subgate --help"],
    [['--', 'agent'], 'Before -- stands no command. Type: subgate run "…" -- <command> [args…]'],
    [['run', '--jsn', 'x'], "Unknown option '--jsn'. Did you mean --json? See: subgate run --help"],
    [
      ['run', '--permission', 'yes', 'x'],
      /^Option '--permission <policy>' argument 'yes' is invalid\. Allowed choices are ask, allow-reads, allow, deny\. See: subgate run --help$/u,
    ],
    [
      ['run', 'codx', 'fix', 'it'],
      /^"codx" is no provider; did you mean "codex"\? Type: subgate run codex "fix it"\n/u,
    ],
    [
      ['run', 'claude', 'x'],
      /^Claude Code \(claude\) is not installed here: .* Type: npm install -g @anthropic-ai\/claude-code$/u,
    ],
  ])('%j: exit 2, one message on stderr', async (args, message) => {
    await using rig = new Rig()
    const { code, stdout, stderr } = await rig.run(args)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    const said = stderr.trimEnd()
    if (typeof message === 'string') expect(said).toBe(message)
    else expect(said).toMatch(message)
  })

  test('the only agent found is used, and several are listed with what to type', async () => {
    await using rig = new Rig()
    rig.installFake('opencode', [...acpHandshake(), ...acpTurn(['{prompt}'])])
    const only = await rig.run(['run', 'say', 'it'])
    expect(only).toMatchObject({ code: 0, stdout: 'say it\n' })
    expect(only.stderr).toContain('Using opencode, the only agent found here.')
    rig.installFake('gemini', [])
    const several = await rig.run(['run', 'say', 'it'])
    expect(several).toMatchObject({ code: 2, stdout: '' })
    expect(several.stderr).toBe(
      'No agent was named and several are found here. Type one of:\n' +
        '  subgate run gemini "say it"\n  subgate run opencode "say it"\n',
    )
    rig.configure({ defaultProvider: 'opencode' })
    expect(await rig.run(['run', 'say', 'it'])).toMatchObject({ code: 0, stdout: 'say it\n' })
  })
})

describe('what is here', () => {
  test('bare subgate shows agents, runs and the next step', async () => {
    await using rig = new Rig()
    const empty = await rig.run([])
    expect(empty).toMatchObject({ code: 0, stderr: '' })
    expect(empty.stdout).toMatch(
      /^Agents here\n {2}spawn {2}Built-in agent {2}needs --model provider\/model, .* ANTHROPIC_API_KEY or OPENAI_API_KEY\n {2}fork {3}Built-in agent {2}for delegation only/mu,
    )
    expect(empty.stdout).toContain('subgate run spawn --model rehearsal "…"')
    expect(empty.stdout).toContain('Runs\n  none')
    rig.installFake('opencode', [])
    const running = rig.start([
      'run',
      'x',
      ...fake([...acpHandshake(), { expect: 'session/prompt' }, { say: 'working' }, { hang: true }]),
    ])
    await running.heard('working')
    const busy = (await rig.run([])).stdout
    expect(busy).toMatch(/Agents here\n {2}opencode +OpenCode\n {2}spawn /u)
    expect(busy).toMatch(/Runs\n {2}\d+ +ses_\w+ +/u)
    expect(busy).toContain('subgate run opencode "…"')
    running.child.kill('SIGINT')
    await running.ended
    expect((await rig.run([])).stdout).toContain('Runs\n  none')
  })

  test('providers: what is usable and where, and what is missing and how to get it', async () => {
    await using rig = new Rig()
    rig.installFake('codex-acp', [])
    rig.configure({
      providers: { mine: { command: ['my-agent', '--api-key', 'sk-planted'], env: { K: 'sk-planted' } } },
    })
    const { stdout, code } = await rig.run(['providers'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^mine +configured +my-agent --api-key \*\*\*$/mu)
    expect(stdout).toMatch(
      new RegExp(`^codex-acp +Codex \\(ACP adapter\\) +${join(rig.root, 'bin/codex-acp')}$`, 'mu'),
    )
    expect(stdout).toMatch(/^codex +Codex +codex is not on PATH; npm install -g @openai\/codex$/mu)
    expect(stdout).toMatch(
      /^claude-code +Claude Code +claude is not on PATH; npm install -g @anthropic-ai\/claude-code$/mu,
    )
    const json = await rig.run(['providers', '--json'])
    const { providers, warm } = documentOf(json) as unknown as Record<string, Record<string, unknown>[]>
    expect(warm).toEqual([])
    expect(providers?.find(({ name }) => name === 'codex-acp')).toMatchObject({
      usable: true,
      capabilities: { sandbox: 'none', permissions: 'native' },
    })
    expect(json.stdout).not.toContain('sk-planted')
    const table = (await rig.run(['providers', '--capabilities'])).stdout.split('\n')
    expect(table[0]).toMatch(/^capability +mine +spawn +fork +codex-acp$/u)
    expect(table.find((line) => line.startsWith('sandbox'))).toMatch(/^sandbox +none +native +native +none$/u)
  })
})

describe('the built-in agent among the providers', () => {
  const rowOf = async (rig: Rig, env: Record<string, string> = {}): Promise<string> =>
    (await rig.run(['providers'], { env })).stdout.split('\n').find((line) => line.startsWith('spawn ')) ?? ''

  test('is ready with the configured model, or says by name what it needs', async () => {
    await using rig = new Rig()
    expect(await rowOf(rig, { OPENAI_API_KEY: 'sk-planted' })).toBe(
      'spawn  Built-in agent  needs --model provider/model, or "model" in the configuration; set up here: openai',
    )
    rig.configure({ model: 'anthropic/claude-opus-4-8' })
    expect(await rowOf(rig)).toBe(
      'spawn  Built-in agent  the configured model anthropic/claude-opus-4-8 needs a key: ANTHROPIC_API_KEY',
    )
    expect(await rowOf(rig, { ANTHROPIC_API_KEY: 'sk-planted' })).toBe(
      'spawn  Built-in agent  ready with model anthropic/claude-opus-4-8',
    )
    rig.configure({ model: 'nonsense' })
    expect(await rowOf(rig)).toContain('the configured model nonsense is unknown')
  })

  test('JSON has the canonical names', async () => {
    await using rig = new Rig()
    rig.configure({ model: 'rehearsal' })
    const { providers } = documentOf(await rig.run(['providers', '--json'])) as unknown as {
      providers: readonly { readonly name: string }[]
    }
    expect(providers.slice(0, 2)).toMatchObject([
      { name: 'spawn', title: 'Built-in agent', usable: true, where: 'ready with model rehearsal' },
      { name: 'fork', usable: false },
    ])
  })
})

describe('an old Node', () => {
  /** What the launcher does under this version. */
  const launch = (
    version: string,
  ): { readonly stderr: string; readonly exits: readonly number[]; readonly loaded: boolean } => {
    const source = readFileSync(PROGRAM, 'utf8').replace(/^#!.*$/mu, '')
    let stderr = ''
    let loaded = false
    const exits: number[] = []
    runInNewContext(source, {
      require: () => (loaded = true),
      process: {
        argv: ['node', 'subgate.js'],
        version: `v${version}`,
        versions: { node: version },
        stderr: { write: (text: string) => (stderr += text) },
        exit: (code: number) => exits.push(code),
      },
    })
    return { stderr, exits, loaded }
  }

  test.each(['16.20.2', '20.20.2', '23.11.0'])('%s gets one clear line and exit 2', (version) => {
    const { stderr, exits, loaded } = launch(version)
    expect(stderr).toBe(
      `subgate needs Node.js 24 or newer, and this is v${version}. Install a newer one, or run it with: npx -y node@24 subgate.js\n`,
    )
    expect(exits).toEqual([2])
    expect(loaded).toBe(false)
  })

  test.each(['24.0.0', '25.1.0'])('%s loads the program', (version) => {
    expect(launch(version)).toEqual({ stderr: '', exits: [], loaded: true })
  })

  test('the node of this machine, whichever it is, runs it or refuses it in one line', () => {
    const path = '/usr/local/bin:/usr/bin:/bin'
    const plain = spawnSync('/usr/bin/env', ['node', '--version'], { env: { PATH: path }, encoding: 'utf8' })
    const node = plain.status === 0 ? 'node' : process.execPath
    const version = plain.status === 0 ? plain.stdout.trim() : process.version
    const { status, stdout, stderr } = spawnSync('/usr/bin/env', [node, PROGRAM, '--version'], {
      env: { PATH: path },
      encoding: 'utf8',
    })
    if (Number(/^v(\d+)/u.exec(version)?.[1]) >= 24)
      expect({ status, stdout }).toEqual({ status: 0, stdout: `${VERSION}\n` })
    else {
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
      expect(stderr).toMatch(/^subgate needs Node\.js 24 or newer, and this is v[\d.]+\. [^\n]*\n$/u)
    }
  })
})
