/** What was asked for is in force with Claude Code, whatever its own rules say (laws 1, 9, 11, C23, C32), with a fake one. */
import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { SubagentStartRequest } from '../../src/contract/request.ts'
import { answers, claude } from '../fixtures/claude/house.ts'
import type { ClaudeHouse, FakeScript, FakeStep } from '../fixtures/claude/house.ts'

const go = (...steps: readonly FakeStep[]): FakeScript => ({ turns: { Go: [...steps, { say: 'OK' }] } })

const hook = (tool: string, input: Record<string, string> = {}): FakeScript => go({ hook: { tool, input } })

test.each([
  ['Bash', 'deny', 'deny'],
  ['Read', 'deny', 'deny'],
  ['Bash', 'ask', 'deny'],
  ['Read', 'ask', 'pass'],
  ['Write', 'allow-reads', 'deny'],
  ['Grep', 'allow-reads', 'pass'],
  ['mcp__pantry__take', 'ask', 'deny'],
  ['Bash', 'allow', 'pass'],
  // Without it no answer would ever fit a schema.
  ['StructuredOutput', 'deny', 'pass'],
] as const)(
  "%s under an explicit %s goes before the user's own rules: %s",
  async (tool, permission, answer) => {
    const house = claude(hook(tool))
    const { result } = await house.run('Go', { permission })
    expect(result.status).toBe('completed')
    expect(answers(house)).toEqual([answer])
    expect(house.starts()[0]?.join(' ')).toContain('--permission-mode manual')
  },
)

test("without a policy that somebody asked for the user's own rules stand", async () => {
  const house = claude(hook('Bash'))
  await house.run('Go')
  expect(answers(house)).toEqual(['pass'])
  expect(house.starts()[0]).not.toContain('--permission-mode')
})

test('a policy of configuration binds as a typed one does', async () => {
  const house = claude(hook('Bash'), { permission: 'deny', provider: { permission: 'deny' } })
  const { result } = await house.run('Go')
  expect(answers(house)).toEqual(['deny'])
  expect(result.denied).toMatchObject([{ flag: '--permission allow' }])
})

test('its question goes to a person, and the answer back to it', async () => {
  const house = claude(go({ ask: { tool: 'Bash', input: { command: 'ls' }, id: 't1' } }))
  for (const optionId of ['allow', 'deny']) {
    const run = await house.runtime.start(
      { provider: 'claude-code', prompt: [{ type: 'text', text: 'Go' }], permission: 'ask' },
      { answers: true },
    )
    for await (const { event } of run.events()) {
      if (event.type === 'permission/requested') run.respond(event.id, { outcome: 'selected', optionId })
    }
    expect((await run.result).status).toBe('completed')
  }
  expect(answers(house)).toEqual(['allow', 'deny'])
})

test('under read-only it is offered what reads, and no MCP server, and nothing else passes', async () => {
  const house = claude(
    go({ hook: { tool: 'Bash' } }, { hook: { tool: 'mcp__x__y' } }, { hook: { tool: 'Read' } }),
  )
  await house.run('Go', { sandbox: 'read-only', permission: 'allow' })
  const args = house.starts()[0]?.join(' ')
  expect(args).toContain('--tools Read,Glob,Grep ')
  expect(args).toContain('--strict-mcp-config')
  expect(answers(house)).toEqual(['deny', 'deny', 'pass'])
})

test('under workspace-write its file tools stay in the roots, also behind links', async () => {
  const house = claude({}, { inherited: { PATH: withTools(), HOME: '/' } })
  const inside = join(house.work, 'a.txt')
  symlinkSync('/etc', join(house.work, 'out'))
  symlinkSync('/tmp/subgate-nothing-here', join(house.work, 'loose'))
  const write = (path: string, tool = 'Write'): FakeStep => ({ hook: { tool, input: { file_path: path } } })
  const paths = [
    '/etc/x',
    join(house.work, 'out/x'),
    join(house.work, 'loose'),
    join(house.work, '../x'),
    '~/x',
    'x',
  ]
  const script = go(write(inside), write(inside, 'Edit'), ...paths.map((path) => write(path)), {
    hook: { tool: 'Monitor' },
  })
  const second = claude(script, { inherited: { PATH: withTools(), HOME: '/' } })
  const { result } = await second.run('Go', { sandbox: 'workspace-write', cwd: house.work })
  expect(result.status).toBe('completed')
  expect(answers(second)).toEqual(['pass', 'pass', ...paths.map(() => 'deny'), 'deny'])
  expect(second.starts()[0]?.join(' ')).toContain('"failIfUnavailable":true')
})

const withTools = (): string => {
  const folder = join(import.meta.dirname, '../fixtures/claude/confining')
  return `${folder}:${process.env['PATH']}`
}

const missing = async (
  house: ClaudeHouse,
  request: Partial<SubagentStartRequest>,
): Promise<readonly string[]> => {
  const error: { code?: string; data?: { missing?: readonly string[] } } = await house
    .start('Go', request)
    .then(() => ({}))
    .catch((thrown: object) => thrown)
  expect(error.code).toBe('UNSUPPORTED_CAPABILITY')
  return error.data?.missing ?? []
}

test('workspace-write without bubblewrap is refused by name, and nothing was started', async () => {
  const house = claude({}, { inherited: { PATH: '/nowhere', HOME: '/' } })
  expect(await missing(house, { sandbox: 'workspace-write' })).toEqual(['sandbox'])
  expect(house.starts()).toEqual([])
})

test('workspace-write is refused where Claude Code says that its sandbox is not on', async () => {
  const house = claude(
    { greeting: { sandbox_enabled: false } },
    { inherited: { PATH: withTools(), HOME: '/' } },
  )
  expect(await missing(house, { sandbox: 'workspace-write' })).toEqual(['sandbox'])
  expect(house.supervisor.live()).toEqual([])
})

const SERVER = {
  name: 'pantry',
  command: '/bin/false',
  args: [],
  env: [{ name: 'PANTRY_PASS', value: 'sk-TEST-123' }],
}

test.each([
  ['maxTokens', { limits: { maxTokens: 5 } }],
  ['audio', { prompt: [{ type: 'audio', data: 'eA==', mimeType: 'audio/wav' }] }],
  ['mcpServers', { sandbox: 'read-only', mcpServers: [SERVER] }],
] as const)('%s is refused by name, and nothing was started', async (row, request) => {
  const house = claude()
  expect(await missing(house, request as Partial<SubagentStartRequest>)).toEqual([row])
  expect(house.starts()).toEqual([])
})

test('an effort that it would ignore is refused, and nothing was started', async () => {
  const house = claude()
  await expect(house.start('Go', { effort: 'frantic' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  expect(house.starts()).toEqual([])
})

test.each([
  [{ claude_code_version: '2.1.197' }, '2.1.332 is the oldest'],
  [{ claude_code_version: null }, 'of an unknown version'],
  [{ hook_on_failure_supported: null }, "doesn't let its host decide"],
  [{ hooks_applied: false }, "doesn't let its host decide"],
])('one whose handshake says %j is refused', async (greeting, words) => {
  const house = claude({ greeting })
  await expect(house.start('Go')).rejects.toMatchObject({
    code: 'PROTOCOL_MISMATCH',
    message: expect.stringContaining(words),
  })
  expect(house.supervisor.live()).toEqual([])
})

test('MCP servers are handed over in a private file, which is gone once they have started (C32)', async () => {
  const house = claude({ servers: [{ name: 'pantry', status: 'connected' }] })
  const run = await house.start('Go', { mcpServers: [SERVER] })
  const [{ servers, file = '', args }] = house.log() as [
    { servers?: object; file?: string; args?: readonly string[] },
  ]
  expect(JSON.stringify(servers)).toContain('sk-TEST-123')
  expect(JSON.stringify(args)).not.toContain('sk-TEST-123')
  expect(existsSync(file)).toBe(false)
  expect((await run.result).status).toBe('completed')
})

test('a server that was asked for and does not start refuses the session', async () => {
  const house = claude({ servers: [{ name: 'pantry', status: 'failed', error: 'Connection closed' }] })
  await expect(house.start('Go', { mcpServers: [SERVER] })).rejects.toMatchObject({
    code: 'AGENT_ERROR',
    message: expect.stringContaining('"pantry": Connection closed'),
  })
  expect(house.supervisor.live()).toEqual([])
})

test('instructions and a schema of 300 KiB reach it whole, and stand on no command line', async () => {
  const instructions = `Keep it secret. ${'ä'.repeat(150 * 1024)}`
  const outputSchema = { type: 'object', description: 'x'.repeat(300 * 1024) }
  const preset = { name: 'long', instructions: { mode: 'append', text: instructions } } as const
  const presets = { find: async () => preset, names: async () => ['long'] }
  const house = claude({ turns: { Go: [{ say: 'x' }, { result: { structured_output: {} } }] } }, { presets })
  const { result } = await house.run('Go', { preset: 'long', outputSchema })
  expect(result.status).toBe('completed')
  const { request } = house.log().find(({ got }) => got === 'initialize') ?? {}
  expect(request).toMatchObject({ appendSystemPrompt: instructions, jsonSchema: outputSchema })
  expect(house.starts()[0]?.join(' ').length).toBeLessThan(2000)
})

test('C32: it gets its own variables and what was named for it; markers and foreign keys stay out', async () => {
  const inherited = {
    PATH: process.env['PATH'],
    HOME: '/',
    LANG: 'C',
    HTTPS_PROXY: 'http://127.0.0.1:9',
    ANTHROPIC_API_KEY: 'sk-own',
    OPENAI_API_KEY: 'sk-foreign',
    AWS_SECRET_ACCESS_KEY: 'sk-foreign',
    SSH_AUTH_SOCK: '/s',
    MY_TOKEN: 'x',
    CLAUDECODE: '1',
    CLAUDE_CODE_SESSION_ID: 's',
    CLAUDE_CODE_CHILD_SESSION: '1',
    CLAUDE_PID: '7',
    CLAUDE_CONFIG_DIR: '/c',
    NODE_OPTIONS: '--no-warnings',
  }
  const house = claude({}, { inherited, env: { DEMO_KEY: 'sk-TEST-123' } })
  await house.run('Go')
  const env = house.log()[0]?.env ?? {}
  expect(env).toMatchObject({
    HOME: '/',
    LANG: 'C',
    HTTPS_PROXY: 'http://127.0.0.1:9',
    ANTHROPIC_API_KEY: 'sk-own',
    CLAUDE_CONFIG_DIR: '/c',
    DEMO_KEY: 'sk-TEST-123',
    CLAUDE_CODE_MAX_RETRIES: '3',
  })
  expect(env['SUBGATE_LINEAGE']).toMatch(/^lineage-of-/u)
  const absent =
    'OPENAI_API_KEY AWS_SECRET_ACCESS_KEY SSH_AUTH_SOCK MY_TOKEN CLAUDECODE CLAUDE_CODE_SESSION_ID ' +
    'CLAUDE_CODE_CHILD_SESSION CLAUDE_PID NODE_OPTIONS'
  for (const name of absent.split(' ')) expect(env).not.toHaveProperty(name)
  expect(JSON.stringify(house.starts())).not.toContain('sk-')
})

test('a secret that it repeats on its way out reaches no error (C32)', async () => {
  const house = claude(
    { dieAtStart: { code: 3, words: 'bad key sk-TEST-123' } },
    { env: { DEMO_KEY: 'sk-TEST-123' } },
  )
  const error: unknown = await house.start('Go').catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'AGENT_EXITED' })
  expect(JSON.stringify(error)).not.toContain('sk-TEST-123')
})
