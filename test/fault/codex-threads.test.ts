/** Threads of a shared app-server: warm, resumed, copied, locked, refused; and what their processes get (C32). */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/contract/json.ts'
import type { Preset } from '../../src/contract/request.ts'
import { codex, isAlive } from '../fixtures/codex/house.ts'
import type { CodexHouse } from '../fixtures/codex/house.ts'
import { rejection, until } from '../fixtures/house.ts'

const starts = (house: CodexHouse): number =>
  house.log().filter(({ started }) => started !== undefined).length

const presetsOf = (...presets: readonly Preset[]) => ({
  find: async (name: string) => presets.find((preset) => preset.name === name),
  names: async () => presets.map(({ name }) => name),
})

const records = (house: CodexHouse): readonly JsonObject[] => {
  const folder = join(house.dir, 'state', 'processes')
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as JsonObject)
}

test('a second start shares the process of the first, which is listed as kept in between', async () => {
  const house = codex()
  await house.run('One')
  expect(house.supervisor.live()).toMatchObject([{ idle: true }])
  expect(records(house)).toMatchObject([{ idle: true }])
  await house.run('Two')
  expect(starts(house)).toBe(1)
  expect(house.calls('thread/unsubscribe')).toHaveLength(2)
})

test('each of two sessions in one process is on record, so that what it delegates is known', async () => {
  const house = codex({ turns: { Go: [{ hang: true }] } })
  const runs = await Promise.all([house.start('Go'), house.start('Go')])
  expect(starts(house)).toBe(1)
  expect(
    records(house)
      .map(({ sessionId }) => sessionId)
      .toSorted(),
  ).toEqual(runs.map(({ sessionId }) => sessionId).toSorted())
  for (const run of runs) run.cancel()
  await Promise.all(runs.map(({ result }) => result))
  expect(records(house)).toMatchObject([{ idle: true }])
})

test('switched off, each run has a process of its own, which is gone with it', async () => {
  const house = codex({}, { warm: false })
  await house.run('One')
  expect(house.supervisor.live()).toEqual([])
  await house.run('Two')
  expect(starts(house)).toBe(2)
})

test.each([
  ['sandbox', { sandbox: 'read-only' }, { sandbox: 'workspace-write' }],
  ['cap', { maxDepth: 1 }, { maxDepth: 2 }],
] as const)('another %s gets another process', async (_, one, two) => {
  const house = codex()
  await house.run('One', one)
  await house.run('Two', two)
  await house.run('Three', one)
  expect(starts(house)).toBe(2)
})

test('a kept process that died unseen costs nobody a run', async () => {
  const house = codex({ dieAtThread: 1 })
  await house.run('One')
  const { result } = await house.run('Two')
  expect(result).toMatchObject({ status: 'completed', text: 'OK' })
  expect(starts(house)).toBe(2)
})

test('a fresh process that dies at its thread fails the start, and nothing of it remains', async () => {
  const house = codex({ dieAtThread: 0 })
  const error = await rejection(house.start('One'))
  expect(error).toMatchObject({ code: 'AGENT_EXITED', phase: 'session', data: { exitCode: 7 } })
  expect(house.supervisor.live()).toEqual([])
})

test('a locked database is waited for, at the start of the process and of the thread', async () => {
  const words = 'Error: failed to open state: database is locked'
  const house = codex({ dieAtStart: { times: 2, words }, threadFaults: [words, words, null] })
  expect((await house.run('Go')).result.status).toBe('completed')
  expect(starts(house)).toBe(3)
  expect(house.calls('thread/start')).toHaveLength(3)
})

test('a thread that another Codex writes is SESSION_BUSY, after some tries', async () => {
  const busy = 'thread t already has an active writer'
  const house = codex({ threadFaults: [null, ...Array.from({ length: 9 }, () => busy)] })
  const { result } = await house.run('One')
  const session = { from: 'resume', sessionId: result.sessionId } as const
  const error = await rejection(house.start('Two', { session }))
  expect(error).toMatchObject({ code: 'SESSION_BUSY', phase: 'session', retryable: true })
  expect(house.calls('thread/resume')).toHaveLength(6)
})

test('a thread that is gone is NOT_RESUMABLE, never a fresh one', async () => {
  const house = codex({ threadFaults: [null, 'no rollout found for thread id x'] })
  const { result } = await house.run('One')
  const session = { from: 'resume', sessionId: result.sessionId } as const
  expect(await rejection(house.start('Two', { session }))).toMatchObject({ code: 'NOT_RESUMABLE' })
  expect(house.calls('thread/start')).toHaveLength(1)
})

test('a resumed thread is told its policy, sandbox and lineage again', async () => {
  const house = codex()
  const { result } = await house.run('One', { sandbox: 'read-only', permission: 'deny' })
  await house.run('Two', { session: { from: 'resume', sessionId: result.sessionId }, permission: 'deny' })
  const [first] = house.calls('thread/start')
  const [second] = house.calls('thread/resume')
  expect(second).toMatchObject({
    threadId: expect.stringMatching(/^t-/u),
    approvalPolicy: 'untrusted',
    sandbox: 'read-only',
    config: { 'shell_environment_policy.set': { SUBGATE_LINEAGE: `lineage-of-${result.sessionId}` } },
  })
  expect(first?.['sandbox']).toBe('read-only')
})

test("a copy gets a preset's instructions into its history, as it takes no others", async () => {
  const instructions = { mode: 'append', text: 'Speak like a pirate.' } as const
  const house = codex({}, { presets: presetsOf({ name: 'pirate', instructions }) })
  const { result } = await house.run('One')
  await house.run('Two', { session: { from: 'fork', sessionId: result.sessionId }, preset: 'pirate' })
  expect(house.calls('thread/inject_items')).toMatchObject([
    {
      items: [
        {
          type: 'message',
          role: 'developer',
          content: [{ type: 'input_text', text: 'Speak like a pirate.' }],
        },
      ],
    },
  ])
})

test('a follow-up on a kept thread has its own schema, and text in mid-turn steers it', async () => {
  const house = codex({ turns: { Go: [{ say: 'a' }, { hang: true }] } })
  const first = await house.start('One', { keep: true })
  await first.result
  const outputSchema = { type: 'object' }
  const run = await house.start('Go', {
    session: { from: 'resume', sessionId: first.sessionId },
    outputSchema,
  })
  await until(() => house.calls('turn/start').length === 2)
  await run.steer([{ type: 'text', text: 'Stop there.' }])
  run.cancel()
  await run.result
  expect(house.calls('turn/start')[0]).not.toHaveProperty('outputSchema')
  expect(house.calls('turn/start')[1]).toMatchObject({ outputSchema })
  expect(house.calls('turn/steer')).toMatchObject([
    { expectedTurnId: 'u2', input: [{ type: 'text', text: 'Stop there.' }] },
  ])
})

test('what is said of a thread before its name is known is not lost', async () => {
  const early = [
    { notify: 'mcpServer/startupStatus/updated', params: { name: 'pantry', status: 'failed', error: 'No.' } },
  ]
  const house = codex({ early })
  const run = await house.start('Go')
  await run.result
  const titles = house
    .entries(run.sessionId)
    .flatMap(({ event }) => (event.type === 'notice' ? [event.title] : []))
  expect(titles).toEqual(['The MCP server "pantry" could not be started.'])
})

test('an app-server that is too old is refused with its version', async () => {
  const house = codex({ userAgent: 'subgate/0.140.2 (Debian 12; x86_64) x' })
  const error = await rejection(house.start('Go'))
  expect(error).toMatchObject({ code: 'PROTOCOL_MISMATCH', data: { asked: 171, answered: 140 } })
  expect(error.message).toContain('codex 0.140 is too old')
  expect(house.supervisor.live()).toEqual([])
})

test('C32: a child gets what is named for it, no other keys, and no marker of a session above', async () => {
  const inherited = {
    PATH: process.env['PATH'],
    HOME: '/home/x',
    LANG: 'C.UTF-8',
    HTTPS_PROXY: 'http://proxy:1',
    ANTHROPIC_API_KEY: 'sk-ant-planted',
    OPENAI_API_KEY: 'sk-openai-own',
    AWS_SECRET_ACCESS_KEY: 'planted',
    MY_TOKEN: 'planted',
    CLAUDECODE: '1',
    CLAUDE_CODE_SESSION_ID: 's',
    CODEX_THREAD_ID: 'above',
    CODEX_SESSION_ID: 'above',
    CODEX_SANDBOX_NETWORK_DISABLED: '1',
    CODEX_HOME: '/home/x/.codex',
    NODE_OPTIONS: '--title=planted',
  }
  const house = codex({}, { inherited, env: { DEMO_KEY: 'sk-TEST-123' } })
  await house.run('Go')
  const [{ env = {}, args = [] } = {}] = house.log()
  expect(env).toMatchObject({
    HOME: '/home/x',
    LANG: 'C.UTF-8',
    HTTPS_PROXY: 'http://proxy:1',
    OPENAI_API_KEY: 'sk-openai-own',
    CODEX_HOME: '/home/x/.codex',
    DEMO_KEY: 'sk-TEST-123',
  })
  for (const name of Object.keys(inherited).filter((each) => !(each in env)))
    expect(env[name]).toBeUndefined()
  expect(
    Object.keys(env).filter((name) => /ANTHROPIC|AWS|MY_TOKEN|CLAUDE|CODEX_[ST]|NODE_OPT/u.test(name)),
  ).toEqual([])
  expect(JSON.stringify(args)).not.toContain('sk-')
  expect(isAlive(house.supervisor.live()[0]?.pid)).toBe(true)
})

test('directories, servers, model, effort and cap are told to the thread', async () => {
  const house = codex()
  const elsewhere = join(house.dir, 'elsewhere')
  mkdirSync(elsewhere)
  const { result } = await house.run('Go', {
    sandbox: 'workspace-write',
    additionalDirectories: [elsewhere],
    mcpServers: [{ name: 'pantry', command: '/bin/pantry', args: ['-x'], env: [{ name: 'A', value: '1' }] }],
    model: 'm-7',
    effort: 'high',
    maxDepth: 0,
  })
  const lineage = `lineage-of-${result.sessionId}`
  expect(house.calls('thread/start')[0]).toMatchObject({
    model: 'm-7',
    sandbox: 'workspace-write',
    config: {
      'agents.enabled': false,
      'features.multi_agent': false,
      'features.multi_agent_v2': false,
      model_reasoning_effort: 'high',
      'sandbox_workspace_write.writable_roots': [elsewhere],
      'shell_environment_policy.set': { SUBGATE_LINEAGE: lineage },
      mcp_servers: {
        pantry: {
          command: '/bin/pantry',
          args: ['-x'],
          env: { A: '1', SUBGATE_LINEAGE: lineage },
          required: true,
        },
      },
    },
  })
  expect(house.calls('turn/start')[0]).toMatchObject({ model: 'm-7', effort: 'high' })
})
