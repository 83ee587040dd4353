/** The real Claude Code through the library's runtime: people's answers, follow-ups, copies, servers, and what is refused. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { createSubgate } from '../../src/index.ts'
import type { Subgate, SubagentRun } from '../../src/index.ts'
import { claudeNative } from './agents.ts'
import { askedClient, FORMS_ALONE } from './asked-client.ts'
import { ModelServer } from './model-server.ts'
import type { ModelRequest, Step } from './model/script.ts'
import { warmPids } from './subgate-process.ts'
import { Workspace } from './workspace.ts'

const KEY = 'loopback-key-64ab'
const PANTRY = fileURLToPath(new URL('pantry-server.mjs', import.meta.url))
const say = (text: string): Step => ({ do: 'say', text })
const tellUsers: Step = {
  do: 'tell',
  tell: ({ entries }: ModelRequest) => entries.map((entry) => ('text' in entry ? entry.text : '')).join('|'),
}

interface Home {
  readonly gate: Subgate
  readonly model: ModelServer
  readonly workspace: Workspace
}

const home = async (
  config: object = {},
  more: Readonly<Record<string, string | undefined>> = {},
): Promise<Home> => {
  const workspace = new Workspace()
  const model = await ModelServer.start(KEY)
  const folder = join(workspace.env['XDG_CONFIG_HOME'] ?? '', 'subgate')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config))
  const env = { ...workspace.env, ...claudeNative.configure(workspace, model.url, KEY), ...more }
  const gate = await createSubgate({ cwd: workspace.work, home: workspace.env['HOME'] ?? '', env })
  onTestFinished(async () => {
    await gate[Symbol.asyncDispose]()
    const left = workspace.live()
    workspace[Symbol.dispose]()
    await model.close()
    expect(left).toEqual([])
    expect(model.refused).toEqual([])
  })
  return { gate, model, workspace }
}

const pids = ({ workspace }: Home): readonly number[] =>
  workspace
    .live()
    .filter(({ command }) => command.includes(' --input-format '))
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
  ['allow', true],
  ['deny', false],
])('a person who answers %s decides whether the command runs: %s', async (optionId, runs) => {
  const house = await home()
  const file = join(house.workspace.work, 'asked.txt')
  house.model.when('Write it.', claudeNative.shell(`echo x > ${file}`), say('Done.'))
  const run = await house.gate.start('claude', 'Write it.', { permission: 'ask', answers: true })
  const titles = await answered(run, optionId)
  expect(titles).toEqual([`echo x > ${file}`])
  expect(await run.result).toMatchObject({ status: 'completed', text: 'Done.' })
  expect(existsSync(file)).toBe(runs)
})

test('its questionnaire is a form of the person, and what is chosen is its result', async () => {
  const house = await home()
  const client = askedClient(FORMS_ALONE, [], () => ({
    result: { action: 'accept', content: { 'question 1': 'blue' } },
  }))
  const options = [
    { label: 'red', description: 'warm' },
    { label: 'blue', description: 'cold' },
  ]
  const input = { questions: [{ question: 'Which colour?', header: 'Colour', multiSelect: false, options }] }
  house.model.when('Ask me.', { do: 'call', tool: 'AskUserQuestion', input }, say('Done.'))
  const run = await house.gate.start('claude', 'Ask me.', { permission: 'deny', client })
  const results: string[] = []
  for await (const { event } of run.events())
    if (event.type === 'session/update' && event.update.sessionUpdate === 'tool_call_update')
      results.push(JSON.stringify(event.update))
  expect(await run.result).toMatchObject({ status: 'completed', text: 'Done.', denied: [] })
  // What the model is told of it.
  expect(results.at(-1)).toContain('blue')
  expect(client.asked.map(({ method, params }) => [method, params['requestedSchema']])).toMatchObject([
    [
      'elicitation/create',
      {
        properties: {
          'question 1': {
            title: 'Colour',
            description: 'Which colour?',
            oneOf: [{ const: 'red' }, { const: 'blue' }],
          },
        },
      },
    ],
  ])
})

test('a follow-up goes to the same process, another schema to a fresh one, and each costs its own', async () => {
  const house = await home()
  house.model.when('Keep marmalade in mind.', say('I will.'))
  house.model.when('What was it?', tellUsers)
  house.model.when('And now?', { do: 'call', tool: 'StructuredOutput', input: { a: 1 } }, say('Done.'))
  const first = await house.gate.start('claude-code', 'Keep marmalade in mind.', { keep: true })
  const one = await first.result
  const before = pids(house)
  expect(before).toHaveLength(1)
  expect(warmPids(house.workspace)).toEqual(before)
  const session = { from: 'resume', sessionId: first.sessionId } as const
  const two = await (await house.gate.start('claude-code', 'What was it?', { session })).result
  expect(two.text).toContain('Keep marmalade in mind.')
  expect(pids(house)).toEqual(before)
  const outputSchema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }
  const three = await (await house.gate.start('claude-code', 'And now?', { session, outputSchema })).result
  expect(three).toMatchObject({ status: 'completed', structured: { a: 1 } })
  expect(pids(house)).toHaveLength(1)
  expect(pids(house)).not.toEqual(before)
  // The totals that it reports go on over turns and processes.
  expect(two.usage?.costUsd).toBeCloseTo(one.usage?.costUsd ?? 0, 6)
  expect(one.usage?.costUsd).toBeGreaterThan(0)
})

test('a copy of a conversation has an own history, with the cost of its own turns', async () => {
  const house = await home()
  house.model.when('Keep marmalade in mind.', say('I will.'))
  house.model.when('What was it?', tellUsers)
  const first = await house.gate.start('claude-code', 'Keep marmalade in mind.')
  const one = await first.result
  const session = { from: 'fork', sessionId: first.sessionId } as const
  const copy = await house.gate.start('claude-code', 'What was it?', { session })
  const two = await copy.result
  expect(copy.sessionId).not.toBe(first.sessionId)
  expect(two.text).toContain('Keep marmalade in mind.')
  expect(two.usage?.costUsd).toBeCloseTo(one.usage?.costUsd ?? 0, 6)
})

test('a server that was asked for is there, with the lineage; one that does not start refuses the session', async () => {
  const house = await home()
  house.model.when('Take it.', { do: 'call', tool: 'mcp__pantry__take', input: {} }, say('Taken.'))
  const pantry = { name: 'pantry', command: process.execPath, args: [PANTRY], env: [] }
  const run = await house.gate.start('claude-code', 'Take it.', { mcpServers: [pantry], permission: 'allow' })
  const told: string[] = []
  for await (const { event } of run.events()) told.push(JSON.stringify(event))
  expect(told.join()).toContain('marmalade, with a lineage')
  const gone = { ...pantry, command: '/bin/false' }
  await expect(house.gate.start('claude-code', 'Take it.', { mcpServers: [gone] })).rejects.toMatchObject({
    code: 'AGENT_ERROR',
  })
  expect(pids(house)).toEqual([])
})

test('a conversation that is gone is NOT_RESUMABLE, and no process is left', async () => {
  const house = await home()
  house.model.when('Go.', say('Done.'))
  const first = await house.gate.start('claude-code', 'Go.')
  await first.result
  rmSync(join(house.workspace.config, 'projects'), { recursive: true })
  const session = { from: 'resume', sessionId: first.sessionId } as const
  await expect(house.gate.start('claude-code', 'Go.', { session })).rejects.toMatchObject({
    code: 'NOT_RESUMABLE',
    phase: 'session',
  })
  expect(pids(house)).toEqual([])
})

test('its own retries are bounded, and each is an event', async () => {
  const house = await home({}, { CLAUDE_CODE_MAX_RETRIES: undefined })
  house.model.when('Go.', { do: 'fail', status: 500 })
  const run = await house.gate.start('claude-code', 'Go.')
  const titles: string[] = []
  for await (const { event } of run.events()) if (event.type === 'notice') titles.push(event.title)
  expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'MODEL_ERROR' } })
  expect(titles).toEqual([1, 2, 3].map((attempt) => `Claude Code tries again (${attempt} of 3).`))
})

test('a child of a read-only parent may write nothing, whatever is allowed', async () => {
  const house = await home({ providers: { 'claude-code': { permission: 'allow' } } })
  const file = join(house.workspace.work, 'written.txt')
  house.model.when('Go.', say('Done.'))
  const shell = { ...claudeNative.shell(`touch ${file}`), unoffered: true } as Step
  house.model.when('Write it.', shell, say('I could not.'))
  const parent = await house.gate.start('claude-code', 'Go.', { sandbox: 'read-only', keep: true })
  await parent.result
  const child = await house.gate.start('claude-code', 'Write it.', {
    parent: { sessionId: parent.sessionId },
    permission: 'allow',
  } as never)
  expect(await child.result).toMatchObject({ status: 'completed', text: 'I could not.' })
  expect(existsSync(file)).toBe(false)
})
