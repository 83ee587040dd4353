/** The options and modes of a chat over the wire: an agent's own, passed through, and Subgate's beside them. */
import { expect, test } from 'vitest'
import { acpTurn, fakeAgentCommand } from '../../src/testing/fake-agent.ts'
import { Editor } from './acp-editor.ts'

const modes = {
  currentModeId: 'ask',
  availableModes: [
    { id: 'ask', name: 'Ask' },
    { id: 'plan', name: 'Plan' },
  ],
}
const model = (currentValue: string): object => ({
  type: 'select',
  id: 'llm',
  name: 'Model',
  category: 'model',
  currentValue,
  options: [
    { value: 'small', name: 'Small' },
    { value: 'large', name: 'Large' },
  ],
})
const compact = { name: 'compact', description: 'Compact the chat' }

/** `name` makes its command line one of its own, so that nothing of another test is remembered. */
const agent = (name: string): object => {
  const { command, args } = fakeAgentCommand([
    { on: 'session/set_mode', do: [{ reply: {} }, { say: `[${name}: mode set]` }] },
    {
      on: 'session/set_config_option',
      do: [{ reply: { configOptions: [model('large')] } }, { say: `[${name}: model set]` }],
    },
    { expect: 'initialize' },
    { reply: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } },
    { expect: 'session/new' },
    { reply: { sessionId: 's1', modes, configOptions: [model('small')] } },
    { update: { sessionUpdate: 'available_commands_update', availableCommands: [compact] } },
    ...acpTurn(['one']),
    ...acpTurn(['two']),
  ])
  return { command: [command, ...args] }
}

const editor = (name: string, more: object = {}): Editor =>
  new Editor({ args: ['--provider', 'fake'], providers: { fake: agent(name) }, ...more })

const optionOf = (options: readonly any[], id: string): any => options.find((option) => option.id === id)

test("an agent's modes, options and commands are shown once it is there, and by the next chat before that", async () => {
  await using it = editor('shown')
  await it.initialize()
  const first = await it.request('session/new', { cwd: it.dir, mcpServers: [] })
  expect(first.result.modes).toBeUndefined()
  const { sessionId } = first.result
  await it.prompt(sessionId, 'go')
  const [{ configOptions }] = it.told('config_option_update', sessionId).slice(-1)
  expect(optionOf(configOptions, 'mode')).toMatchObject({ category: 'mode', currentValue: 'ask' })
  expect(optionOf(configOptions, 'llm')).toMatchObject({ category: 'model', currentValue: 'small' })
  await it.when(() => JSON.stringify(it.told('available_commands_update', sessionId)).includes('compact'))
  const [{ availableCommands }] = it.told('available_commands_update', sessionId).slice(-1)
  expect(availableCommands.at(-1)).toEqual(compact)
  const second = await it.request('session/new', { cwd: it.dir, mcpServers: [] })
  expect(second.result.modes).toEqual(modes)
  expect(second.result.configOptions.map(({ id }: any) => id).slice(0, 2)).toEqual(['mode', 'llm'])
})

test('ACP-MODES-002, ACP-CONFIG-002: a mode and the option for it are one, by whichever it is set', async () => {
  await using it = editor('modes')
  const sessionId = await it.open()
  await it.prompt(sessionId, 'go')
  const byMode = await it.request('session/set_mode', { sessionId, modeId: 'plan' })
  expect(byMode.result).toEqual({})
  expect(it.said()).toContain('[modes: mode set]')
  const [{ configOptions }] = it.told('config_option_update', sessionId).slice(-1)
  expect(optionOf(configOptions, 'mode').currentValue).toBe('plan')
  const params = { sessionId, configId: 'mode', value: 'ask' }
  const byOption = await it.request('session/set_config_option', params)
  expect(optionOf(byOption.result.configOptions, 'mode').currentValue).toBe('ask')
  expect(optionOf(byOption.result.configOptions, 'llm').currentValue).toBe('small')
  expect(it.told('current_mode_update', sessionId).at(-1).currentModeId).toBe('ask')
  const large = await it.request('session/set_config_option', { sessionId, configId: 'llm', value: 'large' })
  expect(optionOf(large.result.configOptions, 'llm').currentValue).toBe('large')
  expect(optionOf(large.result.configOptions, 'mode').currentValue).toBe('ask')
})

test('what is chosen before the agent is there is set before its first prompt', async () => {
  await using it = editor('early')
  const known = await it.open()
  await it.prompt(known, 'go')
  await it.request('session/close', { sessionId: known })
  const sessionId = await it.session()
  const { result } = await it.request('session/set_mode', { sessionId, modeId: 'plan' })
  expect(result).toEqual({})
  await it.request('session/set_config_option', { sessionId, configId: 'llm', value: 'large' })
  expect(it.said()).not.toContain('mode set')
  await it.prompt(sessionId, 'go')
  await it.when(() => it.said().includes('[early: mode set]') && it.said().includes('[early: model set]'))
})

test('an option, a value or a mode that is not there is -32602 with those that are', async () => {
  await using it = editor('refused')
  const sessionId = await it.open()
  await it.prompt(sessionId, 'go')
  for (const [method, params, words] of [
    ['session/set_mode', { modeId: 'turbo' }, 'No mode has the id "turbo". Valid ids: ask, plan.'],
    ['session/set_config_option', { configId: 'llm', value: 'huge' }, 'Valid values: small, large.'],
    ['session/set_config_option', { configId: 'speed', value: 'x' }, 'No option has the id "speed".'],
  ] as const) {
    const { error } = await it.request(method, { sessionId, ...params })
    expect(error?.code).toBe(-32602)
    expect(error?.message).toContain(words)
  }
})

test("Subgate's own options are there as far as the agent can be held to them, and count from the next prompt on", async () => {
  await using it = new Editor({
    args: ['--provider', 'spawn', '--model', 'rehearsal'],
    answer: () => ({ result: { outcome: { outcome: 'cancelled' } } }),
  })
  await it.initialize()
  const { result } = await it.request('session/new', { cwd: it.dir, mcpServers: [] })
  const { sessionId, configOptions } = result
  expect(configOptions.map(({ id }: any) => id)).toEqual(
    expect.arrayContaining(['sandbox', 'permission', 'maxDepth']),
  )
  const params = { sessionId, configId: 'sandbox', value: 'read-only' }
  const set = await it.request('session/set_config_option', params)
  expect(optionOf(set.result.configOptions, 'sandbox').currentValue).toBe('read-only')
  await it.prompt(sessionId, 'call write: {"path": "a.txt", "content": "x"}')
  expect(it.asked()).toHaveLength(1)
  await using fixture = new Editor()
  await fixture.initialize()
  const plain = await fixture.request('session/new', { cwd: fixture.dir, mcpServers: [] })
  expect(optionOf(plain.result.configOptions, 'sandbox')).toBeUndefined()
})

test('a sandbox that is widened in mid-chat holds from the next prompt on: the agent begins anew, told what was said', async () => {
  await using it = new Editor({
    args: ['--provider', 'spawn', '--model', 'rehearsal', '--sandbox', 'read-only'],
    answer: () => ({ result: { outcome: { outcome: 'cancelled' } } }),
  })
  const sessionId = await it.open()
  await it.prompt(sessionId, 'say: one')
  const set = (value: string): Promise<unknown> =>
    it.request('session/set_config_option', { sessionId, configId: 'sandbox', value })
  await set('workspace-write')
  expect((await it.prompt(sessionId, 'And two?')).result?.stopReason).toBe('end_turn')
  expect(it.said()).toContain('begins anew: The sandbox "workspace-write" was asked for')
  expect(it.said()).toContain('say: one')
  const write = (path: string): string => `call write: {"path": "${path}", "content": "x"}`
  await it.prompt(sessionId, write('a.txt'))
  expect(it.asked()).toEqual([])
  await set('read-only')
  expect((await it.prompt(sessionId, write('b.txt'))).result?.stopReason).toBe('end_turn')
  expect(it.asked()).toHaveLength(1)
})

test('the built-in agent lists the model that is configured, and the chat can be held to it', async () => {
  await using it = new Editor({ args: ['--provider', 'spawn'], config: { model: 'rehearsal' } })
  await it.initialize()
  const { result } = await it.request('session/new', { cwd: it.dir, mcpServers: [] })
  const { sessionId, configOptions } = result
  expect(optionOf(configOptions, 'model')).toMatchObject({
    category: 'model',
    currentValue: 'default',
    options: [{ value: 'default' }, { value: 'rehearsal', name: 'rehearsal' }],
  })
  await it.request('session/set_config_option', { sessionId, configId: 'model', value: 'rehearsal' })
  expect((await it.prompt(sessionId, 'say: one')).result.stopReason).toBe('end_turn')
  expect(it.said()).toBe('one')
})
