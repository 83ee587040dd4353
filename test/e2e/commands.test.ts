/** The commands around `run`: what is here, what is configured, what is trusted, and words that are none. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import { VERSION } from '../../src/version.ts'
import { PROGRAM } from './built.ts'
import { documentOf, fake, logOf, Rig } from './cli-rig.ts'

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
    expect(empty.stdout).toContain('Agents here\n  none (subgate providers says how to get one)')
    expect(empty.stdout).toContain('Runs\n  none')
    rig.installFake('opencode', [])
    const running = rig.start([
      'run',
      'x',
      ...fake([...acpHandshake(), { expect: 'session/prompt' }, { say: 'working' }, { hang: true }]),
    ])
    await running.heard('working')
    const busy = (await rig.run([])).stdout
    expect(busy).toMatch(/Agents here\n {2}opencode +OpenCode\n/u)
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

describe('configuration', () => {
  test('config show has each key with its layer, and no secret', async () => {
    await using rig = new Rig()
    rig.configure({
      model: 'big',
      limits: { idleMs: 1000 },
      mcpServers: [
        {
          name: 's',
          type: 'http',
          url: 'https://u:sk-planted@h/?k=sk-planted',
          headers: [{ name: 'A', value: 'sk-planted' }],
        },
      ],
      providers: { mine: { command: ['m'], env: { KEY: 'sk-planted', OTHER: true } } },
    })
    rig.write('.subgate/config.json', { permission: 'deny' })
    const { stdout, code, stderr } = await rig.run(['config', 'show'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^model +big +user$/mu)
    expect(stdout).toMatch(/^permission +deny +project$/mu)
    expect(stdout).toMatch(/^limits\.startupMs +60000 +default$/mu)
    expect(stdout).toMatch(/^providers\.mine\.env\.KEY +\*\*\* +user$/mu)
    expect((await rig.run(['config'])).stdout).toBe(stdout)
    const json = await rig.run(['config', 'show', '--json'])
    expect(() => documentOf(json)).not.toThrow()
    for (const text of [stdout, json.stdout]) expect(text).not.toContain('sk-planted')
  })

  test('what an untrusted project may not do is left out with a line; trust makes it count, a change asks again', async () => {
    await using rig = new Rig()
    const [log, other] = [join(rig.root, 'log'), join(rig.root, 'other')]
    const agent = (file: string): object => ({
      providers: {
        local: { command: fake([{ log: file }, ...acpHandshake(), ...acpTurn(['ok'])]).slice(1) },
      },
    })
    rig.write('.subgate/config.json', {
      model: 'small',
      limits: { totalMs: 60_000, idleMs: 3_600_000 },
      ...agent(log),
    })
    const untrusted = await rig.run(['run', '-p', 'local', 'x', '--json'])
    expect(untrusted.code).toBe(2)
    expect(documentOf(untrusted)).toMatchObject({ error: { code: 'PROVIDER_NOT_FOUND' } })
    expect(untrusted.stderr).toMatch(/providers\.local\.command.*starts a program/u)
    expect(untrusted.stderr).toMatch(/limits\.idleMs/u)
    expect(untrusted.stderr).not.toMatch(/model|totalMs/u)
    expect(existsSync(log)).toBe(false)

    const trust = await rig.run(['trust'])
    expect(trust).toMatchObject({ code: 0, stdout: '' })
    expect(trust.stderr).toContain(
      `${join(rig.work, '.subgate/config.json')} is trusted as it stands now, with the presets beside it.`,
    )
    expect((await rig.run(['trust', '--list'])).stdout).toBe(`${join(rig.work, '.subgate/config.json')}\n`)
    const trusted = await rig.run(['run', '-p', 'local', 'x', '--json'])
    expect(trusted.stderr).not.toContain('left out')
    expect(logOf(log).length).toBeGreaterThan(0)

    rig.write('.subgate/config.json', agent(other))
    const changed = await rig.run(['run', '-p', 'local', 'x', '--json'])
    expect(changed.code).toBe(2)
    expect(changed.stderr).toMatch(/providers\.local\.command/u)
    expect(existsSync(other)).toBe(false)

    expect((await rig.run(['trust', '--remove'])).stderr).toContain('is no longer trusted')
    expect((await rig.run(['trust', '--list'])).stdout).toBe('')
  })

  test('trust without a project says that there is nothing to trust', async () => {
    await using rig = new Rig()
    expect(await rig.run(['trust'])).toMatchObject({
      code: 0,
      stderr: 'There is no .subgate/config.json and no preset here or above; nothing needs trust.\n',
    })
  })

  test.each([
    ['{"limits": {"idelMs": 1}}', /unknown key "limits\.idelMs"\. Did you mean "idleMs"\?/u],
    ['{"permission": "maybe"}', /"permission": .* It takes deny, ask, allow-reads or allow\./u],
    ['{"model": }', /line 1, column 11: this is no JSON/u],
  ])('%s is an error with its file, key and remedy: exit 2', async (config, message) => {
    await using rig = new Rig()
    rig.configure(config)
    for (const args of [['run', 'x', '--', 'agent'], ['providers'], ['config', 'show'], []]) {
      const { code, stdout, stderr } = await rig.run(args)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain(join(rig.root, 'config/subgate/config.json'))
      expect(stderr).toMatch(message)
    }
  })
})

describe('an old Node', () => {
  /** What the launcher does under this version, its imports taken out. */
  const launch = (
    version: string,
  ): { readonly stderr: string; readonly exits: readonly number[]; readonly loaded: boolean } => {
    const source = readFileSync(PROGRAM, 'utf8')
      .replace(/^#!.*$/mu, '')
      .replace(/^import \* as (\w+) from 'node:module'$/mu, 'const $1 = nodeModule_')
      .replace("import('../dist/bin/main.js')", 'load()')
    let stderr = ''
    let loaded = false
    const exits: number[] = []
    runInNewContext(source, {
      nodeModule_: { enableCompileCache: () => {} },
      load: () => (loaded = true),
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
