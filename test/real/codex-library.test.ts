/** The real Codex through the library's runtime: people's answers, follow-ups, families, and a warm process. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { createSubgate } from '../../src/index.ts'
import type { Subgate, SubgateOptions, SubagentRun } from '../../src/index.ts'
import { nativeConfig } from './agents.ts'
import { askedClient, FORMS_ALONE } from './asked-client.ts'
import { ModelServer } from './model-server.ts'
import type { ModelRequest, Step } from './model/script.ts'
import { warmPids } from './subgate-process.ts'
import { Workspace } from './workspace.ts'

const KEY = 'loopback-key-91c2'
const PANTRY = fileURLToPath(new URL('pantry-server.mjs', import.meta.url))
const shell = (cmd: string): Step => ({ do: 'call', tool: 'exec_command', input: { cmd } })
const say = (text: string): Step => ({ do: 'say', text })
const tellUsers: Step = {
  do: 'tell',
  tell: ({ entries }: ModelRequest) => entries.map((entry) => ('text' in entry ? entry.text : '')).join('|'),
}

interface Home {
  readonly gate: Subgate
  readonly model: ModelServer
  readonly workspace: Workspace
  /** One more gateway on the same home. */
  readonly another: () => Promise<Subgate>
}

const home = async (config: object = {}, options: SubgateOptions = {}): Promise<Home> => {
  const workspace = new Workspace()
  const model = await ModelServer.start(KEY)
  writeFileSync(join(workspace.config, 'config.toml'), nativeConfig(model.url))
  const folder = join(workspace.env['XDG_CONFIG_HOME'] ?? '', 'subgate')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config))
  const gates: Subgate[] = []
  const another = async (): Promise<Subgate> => {
    const gate = await createSubgate({
      cwd: workspace.work,
      home: workspace.env['HOME'] ?? '',
      env: { ...workspace.env, CODEX_HOME: workspace.config },
      agentEnv: { LOOPBACK_MODEL_KEY: KEY },
      ...options,
    })
    gates.push(gate)
    return gate
  }
  onTestFinished(async () => {
    await Promise.all(gates.map((gate) => gate[Symbol.asyncDispose]()))
    const left = workspace.live()
    workspace[Symbol.dispose]()
    await model.close()
    expect(left).toEqual([])
    expect(model.refused).toEqual([])
  })
  return { gate: await another(), model, workspace, another }
}

const serverPids = ({ workspace }: Home): readonly number[] =>
  workspace
    .live()
    .filter(({ command }) => command.includes(' app-server '))
    .map(({ pid }) => pid)

const answered = async (run: SubagentRun, optionId: string): Promise<readonly string[]> => {
  const titles: string[] = []
  for await (const { event } of run.events()) {
    if (event.type !== 'permission/requested') continue
    titles.push(event.toolCall.title ?? '')
    run.respond(event.id, { outcome: 'selected', optionId })
  }
  return titles
}

test.each([
  ['accept', true],
  ['decline', false],
])('a person who answers %s decides whether the command runs: %s', async (optionId, runs) => {
  const house = await home()
  const file = join(house.workspace.work, 'asked.txt')
  house.model.when('Write it.', shell(`echo x > ${file}`), say('Done.'))
  const run = await house.gate.start('codex', 'Write it.', { permission: 'ask', answers: true })
  const titles = await answered(run, optionId)
  expect(titles).toHaveLength(1)
  expect(titles[0]).toContain('asked.txt')
  expect(await run.result).toMatchObject({ status: 'completed', text: 'Done.' })
  expect(existsSync(file)).toBe(runs)
})

test('a child of a parent that may only read can not write, whatever it was allowed', async () => {
  const house = await home()
  const file = join(house.workspace.work, 'child.txt')
  house.model.when('Be the parent.', say('I am.'))
  house.model.when('Write it.', shell(`echo x > ${file}`), say('I could not.'))
  const parent = await house.gate.start('codex', 'Be the parent.', { sandbox: 'read-only', keep: true })
  await parent.result
  const child = await house.gate
    .start('codex', 'Write it.', {
      parent: { sessionId: parent.sessionId },
      permission: 'ask',
    })
    .catch((error: unknown) => error as { readonly code: string })
  // Both can't be had at once, which is said by name; without the question the sandbox alone holds.
  expect(child).toMatchObject({ code: 'UNSUPPORTED_CAPABILITY' })
  const second = await house.gate.start('codex', 'Write it.', { parent: { sessionId: parent.sessionId } })
  expect(await second.result).toMatchObject({ status: 'completed', text: 'I could not.' })
  expect(existsSync(file)).toBe(false)
})

test('a conversation goes on in a new process, and a copy of it on its own', async () => {
  const house = await home({ providers: { codex: { warm: false } } })
  house.model.when('Keep marmalade in mind.', say('I will.'))
  house.model.when('Tell.', tellUsers)
  const first = await house.gate.start('codex', 'Keep marmalade in mind.')
  await first.result
  expect(serverPids(house)).toEqual([])
  const { sessionId } = first
  expect(warmPids(house.workspace)).toEqual([])
  const again = await house.gate.start('codex', 'Tell.', { session: { from: 'resume', sessionId } })
  expect((await again.result).text).toContain('Keep marmalade in mind.')
  const copy = await house.gate.start('codex', 'Tell.', { session: { from: 'fork', sessionId } })
  expect((await copy.result).text).toContain('marmalade')
  expect(copy.sessionId).not.toBe(sessionId)
})

test('a cap that is asked for at a resume takes its agents away too', async () => {
  const house = await home()
  house.model.when('One.', say('1'))
  house.model.when('Two.', say('2'))
  const first = await house.gate.start('codex', 'One.')
  await first.result
  const session = { from: 'resume', sessionId: first.sessionId } as const
  await (
    await house.gate.start('codex', 'Two.', { session, maxDepth: 0 })
  ).result
  expect(house.model.turns('One.')[0]?.asked.tools).toContain('spawn_agent')
  expect(house.model.turns('Two.')[0]?.asked.tools).not.toContain('spawn_agent')
})

test('a tool of a server that was named is called, asked for by policy, with the lineage that it needs', async () => {
  const house = await home()
  const call: Step = { do: 'call', tool: 'take', namespace: 'mcp__pantry', input: {} }
  house.model.when('Take it.', call, say('Taken.'))
  const mcpServers = [{ name: 'pantry', command: process.execPath, args: [PANTRY], env: [] }]
  const run = await house.gate.start('codex', 'Take it.', {
    mcpServers,
    sandbox: 'read-only',
    permission: 'allow',
  })
  const events: unknown[] = []
  for await (const { event } of run.events()) events.push(event)
  expect(await run.result).toMatchObject({ status: 'completed', text: 'Taken.' })
  expect(JSON.stringify(events)).toContain('marmalade, with a lineage')
  expect(events).toContainEqual(expect.objectContaining({ type: 'permission/resolved', by: 'policy' }))
  // It goes with the run, though the process stays.
  expect(house.workspace.live().filter(({ command }) => command.includes('pantry'))).toEqual([])
  expect(serverPids(house)).toHaveLength(1)
})

test('a server that can not be reached fails the start by name, and leaves nothing', async () => {
  const house = await home()
  const mcpServers = [{ name: 'pantry', command: '/nonexistent', args: [], env: [] }]
  await expect(house.gate.start('codex', 'Go.', { mcpServers })).rejects.toMatchObject({
    code: 'AGENT_ERROR',
    phase: 'session',
    message: expect.stringContaining('pantry'),
  })
  expect(house.model.seen).toEqual([])
})

test('a second run takes the warm process that is listed, many run in it at once, and none needs a lock', async () => {
  const house = await home()
  const prompts = ['A.', 'B.', 'C.', 'D.']
  for (const prompt of prompts) house.model.when(prompt, say(`Said ${prompt}`))
  const first = await house.gate.start('codex', 'A.')
  await first.result
  const pids = serverPids(house)
  expect(pids).toHaveLength(1)
  expect(warmPids(house.workspace)).toEqual(pids)
  const runs = await Promise.all(prompts.map((prompt) => house.gate.start('codex', prompt)))
  const results = await Promise.all(runs.map(({ result }) => result))
  expect(results.map(({ text }) => text)).toEqual(prompts.map((prompt) => `Said ${prompt}`))
  expect(serverPids(house)).toEqual(pids)
})

test('six gateways that start at once on one home do not fail on its database', async () => {
  const house = await home()
  house.model.when('Go.', say('Done.'))
  const others = await Promise.all(Array.from({ length: 5 }, () => house.another()))
  const runs = await Promise.all([house.gate, ...others].map((gate) => gate.start('codex', 'Go.')))
  const results = await Promise.all(runs.map(({ result }) => result))
  expect(results.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'completed'))
  expect(serverPids(house)).toHaveLength(6)
})

test('a session goes on in another process although its first one is kept warm', async () => {
  const house = await home()
  house.model.when('One.', say('1'))
  house.model.when('Two.', say('2'))
  const first = await house.gate.start('codex', 'One.', { sandbox: 'workspace-write' })
  await first.result
  const session = { from: 'resume', sessionId: first.sessionId } as const
  const second = await house.gate.start('codex', 'Two.', { session, sandbox: 'read-only' })
  expect(await second.result).toMatchObject({ status: 'completed', text: '2' })
  expect(serverPids(house)).toHaveLength(2)
})

test("a server's form is filled in by the person, and its tool goes on with what was said", async () => {
  const house = await home()
  const call: Step = { do: 'call', tool: 'take', namespace: 'mcp__pantry', input: {} }
  house.model.when('Go.', call, say('Done.'))
  const client = askedClient(FORMS_ALONE, [], () => ({
    result: { action: 'accept', content: { jar: 'honey' } },
  }))
  const env = [{ name: 'PANTRY_ASKS', value: '1' }]
  const run = await house.gate.start('codex', 'Go.', {
    mcpServers: [{ name: 'pantry', command: process.execPath, args: [PANTRY], env }],
    permission: 'allow',
    client,
  })
  const said: string[] = []
  for await (const { event } of run.events()) said.push(JSON.stringify(event))
  expect(await run.result).toMatchObject({ status: 'completed', text: 'Done.' })
  expect(client.asked.map(({ method, params }) => [method, params['message']])).toEqual([
    ['elicitation/create', 'pantry: Which jar?'],
  ])
  expect(said.join('')).toContain('honey')
})
