/** One chat and several agents: chosen by an option, told what was said, and handed tasks by a command. */
import { describe, expect, test } from 'vitest'
import { acpHandshake, acpTurn, fakeAgentCommand } from '../../src/testing/fake-agent.ts'
import { Editor } from './acp-editor.ts'
import type { EditorOptions } from './acp-editor.ts'

/** Says back what it was asked, each time. */
const echo = (name: string): object => {
  const turns = Array.from({ length: 6 }, () => acpTurn([`${name} heard {prompt}`])).flat()
  const { command, args } = fakeAgentCommand([...acpHandshake(), ...turns])
  return { command: [command, ...args] }
}

/** Nothing is found on this PATH, so that the configured agents are all there are. */
const editor = (more: EditorOptions = {}): Editor =>
  new Editor({
    args: [],
    config: { defaultProvider: 'one' },
    providers: { one: echo('one'), two: echo('two') },
    env: { PATH: '/nowhere' },
    ...more,
  })

const optionOf = (options: readonly any[], id: string): any => options.find((option) => option.id === id)

const choose = async (it: Editor, sessionId: string, configId: string, value: unknown): Promise<any> =>
  (await it.request('session/set_config_option', { sessionId, configId, value })).result

/** What its agent, and the face for it, said in the turn of this prompt. */
const answered = async (it: Editor, sessionId: string, words: string): Promise<string> => {
  const before = it.said().length
  const { result } = await it.prompt(sessionId, words)
  expect(result.stopReason).toBe('end_turn')
  return it.said().slice(before)
}

test('without --provider a chat offers every agent that can start here, and begins with the default', async () => {
  await using it = editor()
  const { result } = await it.initialize()
  expect(result.agentInfo).toMatchObject({ name: 'subgate', title: 'Subgate' })
  const created = await it.request('session/new', { cwd: it.dir, mcpServers: [] })
  const [agent, ...others] = created.result.configOptions
  expect(agent).toMatchObject({ id: 'agent', type: 'select', category: 'other', currentValue: 'one' })
  expect(agent.options.map(({ value }: any) => value)).toEqual(['one', 'two', 'fixture'])
  expect(others.map(({ id }: any) => id)).not.toContain('agent')
})

test('an agent that is chosen later is told what was said; one that is chosen again, what happened since', async () => {
  await using it = editor()
  const sessionId = await it.open()
  expect(await answered(it, sessionId, 'alpha')).toBe('one heard alpha')
  const { configOptions } = await choose(it, sessionId, 'agent', 'two')
  expect(optionOf(configOptions, 'agent').currentValue).toBe('two')
  const second = await answered(it, sessionId, 'beta')
  expect(second).toContain('_two was told what you and one said so far._')
  expect(second).toContain('<earlier-conversation>')
  expect(second).toContain('User:\nalpha\n')
  expect(second).toContain('one:\none heard alpha\n')
  expect(second.endsWith('beta')).toBe(true)
  expect(await answered(it, sessionId, 'gamma')).toBe('two heard gamma')
  await choose(it, sessionId, 'agent', 'one')
  const third = await answered(it, sessionId, 'delta')
  expect(third).toContain('While you were away, this chat went on with others:\nUser:\nbeta\n')
  expect(third).toContain('User:\ngamma\n')
})

test('a chat with several agents is loaded in the order of time, without what they were told', async () => {
  let sessionId = ''
  {
    await using it = editor()
    sessionId = await it.open()
    await answered(it, sessionId, 'alpha')
    await choose(it, sessionId, 'agent', 'two')
    await answered(it, sessionId, 'beta')
    await it.leave()
  }
  await using it = editor()
  await it.initialize()
  const { result } = await it.request('session/load', { sessionId, cwd: it.dir, mcpServers: [] })
  expect(optionOf(result.configOptions, 'agent').currentValue).toBe('two')
  expect(it.told('user_message_chunk').map(({ content }) => content.text)).toEqual(['alpha', 'beta'])
  const chats = await it.request('session/list', {})
  expect(chats.result.sessions.filter((chat: any) => chat.sessionId === sessionId)).toHaveLength(1)
  // The agent that was spoken with last is the one that the next chat begins with.
  const created = await it.request('session/new', { cwd: it.dir, mcpServers: [] })
  expect(optionOf(created.result.configOptions, 'agent').currentValue).toBe('two')
})

test('MCP servers that an agent can not connect to are left out and named once; the chat is not refused', async () => {
  await using it = editor({ args: ['--provider', 'one'] })
  const web = { type: 'http', name: 'web', url: 'http://127.0.0.1:9/mcp', headers: [] }
  const sessionId = await it.open({ mcpServers: [web] })
  expect(await answered(it, sessionId, 'alpha')).toContain(
    "_one can't connect to web (http): left out of this chat._",
  )
  expect(await answered(it, sessionId, 'beta')).toBe('one heard beta')
})

test('an editor that shows notices gets them as notices', async () => {
  await using it = editor({ args: ['--provider', 'one'], capabilities: { session: { notices: {} } } })
  const web = { type: 'http', name: 'web', url: 'http://127.0.0.1:9/mcp', headers: [] }
  const sessionId = await it.open({ mcpServers: [web] })
  expect(await answered(it, sessionId, 'alpha')).toBe('one heard alpha')
  expect(it.told('notice').map(({ title }) => title)).toContain(
    "one can't connect to web (http): left out of this chat.",
  )
})

describe('commands', () => {
  test('come right behind the answer to session/new', async () => {
    await using it = editor()
    const sessionId = await it.open()
    await it.when(() => it.told('available_commands_update', sessionId).length === 1)
    const [{ availableCommands }] = it.told('available_commands_update', sessionId)
    expect(availableCommands.map(({ name }: any) => name).slice(0, 3)).toEqual(['delegate', 'agents', 'stop'])
    const answeredAt = it.messages.findIndex(({ result }) => result?.sessionId === sessionId)
    const toldAt = it.messages.findIndex(({ params }) => params?.update?.availableCommands !== undefined)
    expect(answeredAt).toBeLessThan(toldAt)
  })

  test('/agents lists, and too few words are answered with how it is typed', async () => {
    await using it = editor()
    const sessionId = await it.open()
    expect(await answered(it, sessionId, '/agents')).toBe('Agents for /delegate:\n- one\n- two\n- fixture')
    expect(await answered(it, sessionId, '/delegate two')).toContain('Type /delegate')
    expect(await answered(it, sessionId, '/stop')).toBe('No subagent is at work.')
  })

  test('/delegate starts a subagent of the chat, as the first words or as later ones', async () => {
    await using it = editor()
    const sessionId = await it.open()
    await answered(it, sessionId, 'alpha')
    const { result } = await it.prompt(sessionId, '/delegate two do this')
    expect(result.stopReason).toBe('end_turn')
    expect(JSON.stringify(it.allUpdates(sessionId))).toContain('two heard do this')
    const { error } = await it.prompt(sessionId, '/delegate nobody do this')
    expect(error?.data.code).toBe('PROVIDER_NOT_FOUND')
    const fresh = await it.session()
    await it.prompt(fresh, '/delegate two begin')
    expect(JSON.stringify(it.allUpdates(fresh))).toContain('two heard begin')
  })
})
