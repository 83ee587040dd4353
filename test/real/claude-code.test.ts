/** The real Claude Code by its own interface, through the built program. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { claudeNative } from './agents.ts'
import { describeTurns } from './agent-suite.ts'
import type { Step } from './model/script.ts'
import { Rig } from './rig.ts'

describeTurns(claudeNative)

const call = (tool: string, input: Readonly<Record<string, unknown>> = {}, unoffered?: true): Step => ({
  do: 'call',
  tool,
  input,
  ...(unoffered && { unoffered }),
})
const say = (text: string): Step => ({ do: 'say', text })
const write = (file: string): Step => call('Write', { file_path: file, content: 'x' })

const settings = (rig: Rig, value: object): void =>
  writeFileSync(join(rig.workspace.config, 'settings.json'), JSON.stringify(value))

describe('the controls of Claude Code, as the model sees them', () => {
  test('under read-only it is offered what reads, and a call of more does nothing', async () => {
    await using rig = await Rig.of(claudeNative)
    const file = join(rig.workspace.work, 'written.txt')
    const touch = call('Bash', { command: `touch ${file}`, description: 'x' }, true)
    rig.model.when('Go.', touch, { ...write(file), unoffered: true } as Step, say('I could not.'))
    const flags = ['--sandbox', 'read-only', '--permission', 'allow']
    const { document } = await rig.run('Go.', { flags })
    expect(document).toMatchObject({ status: 'completed', text: 'I could not.' })
    expect(existsSync(file)).toBe(false)
    expect(rig.model.turns('Go.')[0]?.asked.tools.toSorted()).toEqual(['Glob', 'Grep', 'Read'])
  })

  test("the user's own rules allow nothing that --permission deny denies", async () => {
    await using rig = await Rig.of(claudeNative)
    const file = join(rig.workspace.work, 'written.txt')
    settings(rig, {
      permissions: { allow: ['Bash', 'Write'], defaultMode: 'acceptEdits' },
      disableAllHooks: true,
    })
    rig.model.when('Go.', claudeNative.shell(`touch ${file}`), write(file), say('I may not.'))
    const { code, document } = await rig.run('Go.', { flags: ['--permission', 'deny'] })
    expect(existsSync(file)).toBe(false)
    expect(document.denied).toHaveLength(2)
    expect(code).toBe(5)
  })

  test("without a policy that somebody asked for the user's own rules stand", async () => {
    await using rig = await Rig.of(claudeNative)
    const file = join(rig.workspace.work, 'written.txt')
    settings(rig, { permissions: { allow: ['Bash'] } })
    rig.model.when('Go.', claudeNative.shell(`touch ${file}`), say('Done.'))
    const { document, events } = await rig.run('Go.')
    expect(document).toMatchObject({ status: 'completed', denied: [] })
    expect(existsSync(file)).toBe(true)
    expect(events.filter((event) => event.type === 'permission/requested')).toEqual([])
  })

  test('allow is in force under root, and where its own mode would not ask', async () => {
    await using rig = await Rig.of(claudeNative)
    const file = join(rig.workspace.work, 'written.txt')
    settings(rig, { permissions: { defaultMode: 'dontAsk' } })
    rig.model.when('Go.', write(file), say('Done.'))
    const { code } = await rig.run('Go.', { flags: ['--permission', 'allow'] })
    expect(existsSync(file)).toBe(true)
    expect(code).toBe(0)
  })

  test('a cap takes its agents away, and only a cap', async () => {
    await using rig = await Rig.of(claudeNative)
    rig.model.when('Go.', say('Done.'))
    await rig.run('Go.')
    const before = rig.model.turns('Go.')[0]?.asked.tools ?? []
    expect(before).toEqual(expect.arrayContaining(['Agent', 'Workflow', 'SendMessage', 'Skill', 'Bash']))
    await rig.run('Go.', { flags: ['--max-depth', '1'] })
    const tools = rig.model.turns('Go.')[1]?.asked.tools ?? []
    const gone = before.filter((tool) => !tools.includes(tool))
    expect(gone.toSorted()).toEqual(['Agent', 'ListAgents', 'SendMessage', 'Skill', 'Workflow'])
    rig.model.when('Call it.', call('Agent', { description: 'x', prompt: 'x' }, true), say('Refused.'))
    const { document } = await rig.run('Call it.', { flags: ['--max-depth', '1'] })
    expect(document.text).toBe('Refused.')
    // Nobody but the agent itself has asked the model for anything.
    expect(rig.model.seen.filter(({ turn }) => turn === undefined)).toEqual([])
  })

  test('it is never offered what nobody could answer, or what starts without a run', async () => {
    await using rig = await Rig.of(claudeNative)
    rig.model.when('Go.', say('Done.'))
    await rig.run('Go.')
    const tools = rig.model.turns('Go.')[0]?.asked.tools
    for (const tool of ['AskUserQuestion', 'CronCreate', 'ScheduleWakeup']) expect(tools).not.toContain(tool)
  })

  test('a preset stands in its instructions, and its list is all that is offered', async () => {
    await using rig = await Rig.of(claudeNative)
    const preset = join(rig.workspace.root, 'pirate.md')
    writeFileSync(
      preset,
      '---\nname: pirate\ndescription: A pirate.\ntools: Read, Bash, Task\n---\nSpeak like a pirate.\n',
    )
    rig.model.when('Go.', say('Arr.'))
    await rig.run('Go.', { flags: ['--agent', preset] })
    const [request] = rig.model.turns('Go.')
    expect(request?.asked.instructions).toContain('Speak like a pirate.')
    expect(request?.asked.tools.toSorted()).toEqual(['Agent', 'Bash', 'Read'])
  })

  test('a schema is a tool of its own, and the value stands in the result, also where all is denied', async () => {
    await using rig = await Rig.of(claudeNative)
    rig.model.when('Go.', call('StructuredOutput', { colour: 'green' }), say('Said.'))
    const schema = { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] }
    const flags = ['--json-schema', JSON.stringify(schema), '--permission', 'deny']
    const { code, document } = await rig.run('Go.', { flags })
    expect(document).toMatchObject({ status: 'completed', structured: { colour: 'green' } })
    expect(code).toBe(0)
  })

  test('the model that was named stands in the request', async () => {
    await using rig = await Rig.of(claudeNative)
    rig.model.when('Go.', say('Done.'))
    await rig.run('Go.', { flags: ['--model', 'loopback-model'] })
    expect(rig.model.turns('Go.')[0]?.asked.model).toBe('loopback-model')
  })

  test('the prompt arrives byte by byte, however long, and is no option', async () => {
    await using rig = await Rig.of(claudeNative)
    const prompt = `--help ${'ä\n'.repeat(70_000)}end`
    rig.model.when(prompt, say('Read.'))
    const file = join(rig.workspace.root, 'prompt.txt')
    writeFileSync(file, prompt)
    const { document } = await rig.run('', { flags: ['--file', file] })
    expect(document).toMatchObject({ status: 'completed', text: 'Read.' })
  })

  test('what its sub-agent says is not the answer, and the answer is the last one', async () => {
    await using rig = await Rig.of(claudeNative)
    const agent = { description: 'Look', prompt: 'Look around.', subagent_type: 'general-purpose' }
    rig.model.when('Go.', call('Agent', { ...agent, run_in_background: false }), say('That is all.'))
    rig.model.when('Look around.', say('Secret of the sub-agent.'))
    const { document, events } = await rig.run('Go.', { flags: ['--permission', 'allow'] })
    expect(document).toMatchObject({ status: 'completed', text: 'That is all.' })
    const updates = events.map((event) => event['update'] as { sessionUpdate?: string } | undefined)
    const root = updates.filter((update) => update?.sessionUpdate === 'agent_message_chunk')
    expect(JSON.stringify(root)).not.toContain('sub-agent')
    const below = updates.filter((update) => update?.sessionUpdate === 'tool_call_update')
    expect(JSON.stringify(below)).toContain('Secret of the sub-agent.')
  })
})

describe('the end of the real Claude Code', () => {
  test('a command that it leaves in the background goes with its run', async () => {
    await using rig = await Rig.of(claudeNative)
    const shell = call('Bash', { command: 'tail -f /dev/null', description: 'x', run_in_background: true })
    rig.model.when('Go.', shell, say('Started.'))
    const { document } = await rig.run('Go.', { flags: ['--permission', 'allow'] })
    expect(document).toMatchObject({ status: 'completed', text: 'Started.' })
  })
})
