/** What an agent's process gets of ours: variables (C32), folder (C37); and that no secret gets out (law 14). */
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import { documentOf, fake, Rig } from './cli-rig.ts'
import type { Ended } from './cli-rig.ts'

const DUMP: readonly FakeStep[] = [...acpHandshake(), ...acpTurn([{ dump: ['env', 'cwd', 'argv'] }])]

interface Dump {
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly argv: readonly string[]
}

const dumpOf = (ended: Ended): Dump => JSON.parse(documentOf(ended).text ?? '') as Dump

const PLANTED = {
  ANTHROPIC_API_KEY: 'planted-anthropic-1',
  OPENAI_API_KEY: 'planted-openai-2',
  AWS_SECRET_ACCESS_KEY: 'planted-aws-3',
  MY_TOKEN: 'planted-token-4',
  DATABASE_URL: 'postgres://user:planted-url-5@db',
} as const

const SURROUNDINGS = {
  ...PLANTED,
  HTTPS_PROXY: 'http://127.0.0.1:9',
  SSH_AUTH_SOCK: '/run/agent.sock',
  CLAUDECODE: '1',
  CLAUDE_CODE_SESSION_ID: 'outer',
  CLAUDE_CODE_CHILD_SESSION: '1',
  CLAUDE_CONFIG_DIR: '/etc/claude',
  NODE_OPTIONS: '--no-warnings',
} as const

describe('C32: variables', () => {
  test('an unknown agent gets the base and what is named for it; markers and keys stay away', async () => {
    await using rig = new Rig()
    const command = fake(DUMP).slice(1)
    rig.configure({
      providers: { agent: { command, env: { DEMO_KEY: 'sk-TEST-123', ANTHROPIC_API_KEY: true } } },
    })
    const { env, argv } = dumpOf(
      await rig.run(
        ['run', 'agent', 'x', '--json', '--env', 'MY_TOKEN', '--env', 'MODE=fast', '--env', 'ABSENT'],
        {
          env: SURROUNDINGS,
        },
      ),
    )
    expect(env).toMatchObject({
      PATH: rig.env['PATH'],
      HOME: rig.env['HOME'],
      LANG: 'C.UTF-8',
      HTTPS_PROXY: 'http://127.0.0.1:9',
      DEMO_KEY: 'sk-TEST-123',
      ANTHROPIC_API_KEY: 'planted-anthropic-1',
      MY_TOKEN: 'planted-token-4',
      MODE: 'fast',
      SUBGATE_LINEAGE: expect.any(String),
    })
    for (const name of [
      'OPENAI_API_KEY',
      'AWS_SECRET_ACCESS_KEY',
      'DATABASE_URL',
      'SSH_AUTH_SOCK',
      'CLAUDECODE',
      'CLAUDE_CODE_SESSION_ID',
      'CLAUDE_CODE_CHILD_SESSION',
      'CLAUDE_CONFIG_DIR',
      'NODE_OPTIONS',
      'ABSENT',
    ])
      expect(env, name).not.toHaveProperty(name)
    expect(argv.join(' ')).not.toContain('sk-TEST-123')
  })

  test('an agent that is known by its name gets its own names, and never those of another', async () => {
    await using rig = new Rig()
    rig.installFake('claude-agent-acp', DUMP)
    rig.installFake('codex-acp', DUMP)
    const claude = dumpOf(await rig.run(['run', 'claude-acp', 'x', '--json'], { env: SURROUNDINGS }))
    expect(claude.env).toMatchObject({
      ANTHROPIC_API_KEY: 'planted-anthropic-1',
      CLAUDE_CONFIG_DIR: '/etc/claude',
    })
    expect(claude.env).not.toHaveProperty('OPENAI_API_KEY')
    expect(claude.env).not.toHaveProperty('CLAUDECODE')
    const codex = dumpOf(await rig.run(['run', 'codex-acp', 'x', '--json'], { env: SURROUNDINGS }))
    expect(codex.env).toMatchObject({ OPENAI_API_KEY: 'planted-openai-2' })
    expect(codex.env).not.toHaveProperty('ANTHROPIC_API_KEY')
  })

  test('a failed run and --verbose name what was withheld, and show no value', async () => {
    await using rig = new Rig()
    const options = { env: SURROUNDINGS }
    const failing = ['--', '/bin/sh', '-c', 'echo boom >&2; exit 3']
    const failed = await rig.run(['run', 'x', ...failing], options)
    expect(failed).toMatchObject({ code: 1, stdout: '' })
    expect(failed.stderr).toContain('sh exited with code 3 before it was ready. Its last words: boom\n')
    const verbose = await rig.run(
      ['run', 'x', '--verbose', ...fake([...acpHandshake(), ...acpTurn(['ok'])])],
      options,
    )
    expect(verbose).toMatchObject({ code: 0, stdout: 'ok\n' })
    // To a person the likeliest few; to programs and the log all of them.
    expect(failed.stderr).toMatch(
      /^Not passed to the agent: \w+(?:, \w+){4} and \d+ more\. Pass one with --env NAME\.$/mu,
    )
    const { error: told } = documentOf(await rig.run(['run', 'x', '--json', ...failing], options))
    for (const name of Object.keys(PLANTED)) {
      expect(told?.data['withheld']).toContain(name)
      expect(verbose.stderr).toContain(name)
    }
    for (const { stderr } of [failed, verbose])
      for (const value of Object.values(PLANTED)) expect(stderr).not.toContain(value)
    const signIn = fake([
      { expect: 'initialize' },
      { reply: { protocolVersion: 1, agentCapabilities: {} } },
      { expect: 'session/new' },
      { fail: { code: -32000, message: 'sign in' } },
    ])
    const { error, exitCode } = documentOf(await rig.run(['run', 'x', '--json', ...signIn], options))
    expect(exitCode).toBe(11)
    expect(error).toMatchObject({
      code: 'AUTH_REQUIRED',
      data: { withheld: expect.arrayContaining(['MY_TOKEN']) },
    })
    expect(error?.message).toContain('--env MY_TOKEN')
  })
})

describe('C37: the folder', () => {
  test.each(['a b', 'ünï-漢', "it's $HOME"])('"%s" is the agent\'s own, byte for byte', async (name) => {
    await using rig = new Rig()
    const folder = join(rig.work, name)
    mkdirSync(folder)
    expect(dumpOf(await rig.run(['run', '--json', '-C', name, 'x', ...fake(DUMP)])).cwd).toBe(folder)
    expect(dumpOf(await rig.run(['run', '--json', '-C', folder, 'x', ...fake(DUMP)], { cwd: '/' })).cwd).toBe(
      folder,
    )
    expect(dumpOf(await rig.run(['run', '--json', 'x', ...fake(DUMP)], { cwd: folder })).cwd).toBe(folder)
  })

  test.each([
    ['missing', 'no/such', 'ENOENT'],
    ['a file', 'file.txt', 'not a directory'],
    ['a link to nowhere', 'dangling', 'ENOENT'],
  ])('%s is refused by name before anything starts', async (_, name, words) => {
    await using rig = new Rig()
    const log = join(rig.root, 'log')
    rig.write('file.txt', '')
    symlinkSync(join(rig.root, 'nowhere'), join(rig.work, 'dangling'))
    const ended = await rig.run(['run', '--json', '--cwd', name, 'x', ...fake([{ log }])])
    expect(ended.code).toBe(2)
    const { error } = documentOf(ended)
    expect(error).toMatchObject({ code: 'INVALID_REQUEST', data: { field: 'cwd' } })
    expect(error?.message).toContain(join(rig.work, name))
    expect(error?.message).toContain(words)
    expect(rig.files('state')).toEqual([])
  })
})

describe('law 14: planted secrets', () => {
  const SECRET = {
    KEY: 'planted-config-6',
    SERVER: 'planted-server-7',
    FLAG: 'planted-flag-8',
    DEMO: 'planted-demo-9',
  }
  const VALUES = [...Object.values(PLANTED), ...Object.values(SECRET)].map(
    (value) => /planted-\w+-\d/u.exec(value)?.[0] ?? value,
  )

  test('are in no byte of stdout, stderr, state and the arguments of a child', async () => {
    await using rig = new Rig()
    const log = join(rig.root, 'argv')
    // It says what it was given, as some agents do when they start.
    const talks = 'echo "KEY=$KEY, $DEMO_KEY and $MY_TOKEN" >&2; exec "$0" "$@"'
    const agent = (...steps: readonly FakeStep[]): object => ({
      command: ['/bin/sh', '-c', talks, ...fake([{ log }, ...steps]).slice(1)],
      env: { KEY: SECRET.KEY, DEMO_KEY: true },
    })
    const prompted = [...acpHandshake(), { expect: 'session/prompt' }] as const
    const providers = {
      works: agent(...acpHandshake(), ...acpTurn(['ok'])),
      exits: agent({ expect: 'initialize' }, { exit: 3 }),
      dies: agent(...prompted, { say: 'part' }, { kill: 'SIGKILL' }),
      fails: agent(...prompted, { fail: { code: -32603, message: 'no' } }),
      noisy: agent({ repeat: 300, steps: [{ write: 'noise\n' }] }, { hang: true }),
      hangs: agent(...prompted, { hang: true }),
      signs: agent(...prompted, { fail: { code: -32000, message: 'sign in' } }),
      missing: { command: ['/no/such/agent', '--api-key', SECRET.FLAG], env: { KEY: SECRET.KEY } },
    }
    const server = {
      name: 's',
      type: 'http',
      url: 'https://x.example/',
      headers: [{ name: 'Authorization', value: SECRET.SERVER }],
    }
    const env = { ...PLANTED, DEMO_KEY: SECRET.DEMO }
    const written: string[] = []
    const keep = ({ stdout, stderr }: Ended): void => void written.push(stdout, stderr)
    rig.configure({ providers, mcpServers: [] })
    for (const name of Object.keys(providers)) {
      for (const format of ['text', 'stream-json']) {
        const flags = ['--verbose', '--output-format', format, '--timeout', '1', '--env', 'MY_TOKEN']
        keep(await rig.run(['run', name, 'x', ...flags], { env }))
      }
    }
    keep(await rig.run(['run', 'works', 'x', '--json', '--verbose', '--sandbox', 'read-only'], { env }))
    rig.configure({ providers, mcpServers: [server] })
    keep(await rig.run(['run', 'works', 'x', '--json', '--verbose'], { env }))
    for (const args of [
      ['config', 'show'],
      ['config', 'show', '--json'],
      ['providers'],
      ['providers', '--json'],
      [],
    ])
      keep(await rig.run(args, { env }))
    rig.configure(`{"providers": {"works": {"env": {"KEY": "${SECRET.KEY}", }}}}`)
    keep(await rig.run(['run', 'works', 'x', '--json', '--verbose'], { env }))
    const files = rig.files('state').map((file) => readFileSync(file, 'utf8'))
    const argv = readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"started"'))
    expect(argv.length).toBeGreaterThan(10)
    const everything = [...written, ...files, ...argv].join('\n')
    expect(everything).toContain('DEMO_KEY')
    for (const value of VALUES)
      expect(everything.split('\n').filter((line) => line.includes(value))).toEqual([])
  }, 150_000)
})
