/** The editor's own files, terminals and forms, as agents behind the built program have them; the editor is the SDK's. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import { Rig, until } from './cli-rig.ts'
import { sdkEditor } from './sdk-editor.ts'
import { ask, EVERYTHING, FORM, withFake } from './services-script.ts'

test('a buffer that is not saved, a terminal and a form reach the agent, each behind what it said before', async () => {
  await using rig = new Rig()
  const path = join(rig.work, 'unsaved.ts')
  const args = withFake(rig, [
    ...acpHandshake(),
    ...acpTurn([
      'first ',
      ask('fs/read_text_file', { path }),
      '{answer} ',
      ask('fs/write_text_file', { path, content: 'changed' }),
      ask('terminal/create', { command: 'npm', args: ['test'] }),
      {
        update: {
          sessionUpdate: 'tool_call',
          toolCallId: 't1',
          title: 'npm test',
          content: [{ type: 'terminal', terminalId: 'editor-1' }],
        },
      },
      ask('terminal/wait_for_exit', { terminalId: 'editor-1' }),
      ask('elicitation/create', { ...FORM, toolCallId: 't1' }),
      '{answer}',
    ]),
  ])
  await using editor = await sdkEditor(rig, {
    args,
    capabilities: EVERYTHING,
    buffers: { [path]: 'not on disk' },
    answers: () => ({ action: 'accept', content: { branch: 'main' } }),
  })
  const sessionId = await editor.open()
  expect(await editor.prompt(sessionId, 'go')).toMatchObject({ stopReason: 'end_turn' })
  expect(editor.said(sessionId)).toBe(
    'first {"content":"not on disk"} {"action":"accept","content":{"branch":"main"}}',
  )
  const order = editor.heard.map(({ method, params }) =>
    method === 'session/update' ? (params.update.content?.text ?? params.update.sessionUpdate) : method,
  )
  const at = (what: string): number => order.indexOf(what)
  expect(at('first ')).toBeLessThan(at('fs/read_text_file'))
  expect(at('fs/write_text_file')).toBeLessThan(at('terminal/create'))
  expect(at('terminal/create')).toBeLessThan(at('tool_call'))
  expect(at('tool_call')).toBeLessThan(at('elicitation/create'))
  expect(editor.updates().find(({ sessionUpdate }) => sessionUpdate === 'tool_call')?.content).toEqual([
    { type: 'terminal', terminalId: 'editor-1' },
  ])
  expect(editor.of('elicitation/create')).toMatchObject([{ ...FORM, sessionId, toolCallId: 't1' }])
  expect(editor.of('terminal/create')).toMatchObject([{ sessionId, command: 'npm', cwd: rig.work }])
  await editor.agent.request('session/close', { sessionId })
  expect(editor.of('terminal/release')).toEqual([{ sessionId, terminalId: 'editor-1' }])
})

describe('what the editor does not offer', () => {
  test('ACP-CLIENTCAP: is offered to no agent, and none of it arrives', async () => {
    await using rig = new Rig()
    const args = withFake(rig, [
      { expect: 'initialize' },
      { say: 'x', sessionId: 'nobody' },
      { reply: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } },
      { expect: 'session/new' },
      { reply: { sessionId: 's1' } },
      ...acpTurn([
        { dump: ['received'] },
        ask('fs/read_text_file', { path: join(rig.work, 'a') }),
        '{answer}',
        ask('terminal/create', { command: 'true' }),
        '{answer}',
        ask('elicitation/create', FORM),
        '{answer}',
      ]),
    ])
    await using editor = await sdkEditor(rig, { args, capabilities: {} })
    const sessionId = await editor.open()
    await editor.prompt(sessionId, 'go')
    const said = editor.said(sessionId)
    expect(said).toContain('"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false')
    expect(said).not.toContain('"elicitation":{')
    expect(said.match(/-32601/gu)).toHaveLength(3)
    expect(new Set(editor.heard.map(({ method }) => method))).toEqual(new Set(['session/update']))
  })
})

describe('a child of the chat', () => {
  const script: readonly FakeStep[] = [
    ...acpHandshake(),
    ...acpTurn([
      { update: { sessionUpdate: 'tool_call', toolCallId: 'own', title: 'look' } },
      ask('elicitation/create', { ...FORM, toolCallId: 'own' }),
      '{answer}',
      ask('terminal/create', { command: 'npm' }),
      {
        update: {
          sessionUpdate: 'tool_call_update',
          toolCallId: 'own',
          content: ['editor-1', 'made up'].map((terminalId) => ({ type: 'terminal', terminalId })),
        },
      },
    ]),
  ]
  const delegates = `call worker: ${JSON.stringify({ description: 'ask it', prompt: 'go' })}\nsay: done`
  const answers = () => ({ action: 'accept', content: { branch: 'main' } }) as const

  const setUp = (rig: Rig): readonly string[] => {
    withFake(rig, script, { tools: { worker: { provider: 'fake' } } })
    return ['--provider', 'spawn', '--model', 'rehearsal']
  }

  test('asks under its own id where the editor shows children, which wait meanwhile', async () => {
    await using rig = new Rig()
    await using editor = await sdkEditor(rig, {
      args: setUp(rig),
      capabilities: { ...EVERYTHING, subagents: {} },
      answers,
    })
    const sessionId = await editor.open()
    await editor.prompt(sessionId, delegates)
    const announced = editor.heard.findIndex(
      ({ params }) => params.update?.sessionUpdate === 'subagent_update',
    )
    const child = editor.heard[announced]?.params.update.sessionId as string
    const asked = editor.heard.findIndex(({ method }) => method === 'elicitation/create')
    expect(announced).toBeGreaterThanOrEqual(0)
    expect(announced).toBeLessThan(asked)
    expect(editor.heard[asked]?.params).toMatchObject({ ...FORM, sessionId: child, toolCallId: 'own' })
    const states = editor
      .updates(sessionId)
      .flatMap(({ state }) => (state === undefined ? [] : [state.state]))
    expect(states).toEqual(['running', 'requires_action', 'running', 'idle'])
    expect(editor.said(child)).toContain('"branch":"main"')
  })

  test('asks in the chat where it does not, with its path and the call that it stands behind', async () => {
    await using rig = new Rig()
    await using editor = await sdkEditor(rig, { args: setUp(rig), capabilities: EVERYTHING, answers })
    const sessionId = await editor.open()
    await editor.prompt(sessionId, delegates)
    const call = editor.updates(sessionId).find(({ sessionUpdate }) => sessionUpdate === 'tool_call')
    expect(editor.of('elicitation/create')).toMatchObject([
      {
        ...FORM,
        sessionId,
        message: 'ask it: Which branch?',
        toolCallId: call.toolCallId,
        _meta: { subgate: { path: ['ask it'], message: 'Which branch?' } },
      },
    ])
    // A terminal that this editor doesn't have would cost it the whole update.
    const shown = editor.updates(sessionId).flatMap(({ content }) => (Array.isArray(content) ? content : []))
    const terminals = shown.filter(({ type }) => type === 'terminal').map(({ terminalId }) => terminalId)
    expect(new Set(terminals)).toEqual(new Set(['editor-1']))
  })
})

describe('a person who does not answer', () => {
  test('stops the turn: the agent hears of it, and the question is withdrawn', async () => {
    await using rig = new Rig()
    const args = withFake(rig, [
      ...acpHandshake(),
      { ignore: ['cancel'] },
      ...acpTurn([ask('elicitation/create', FORM), '{answer}'], { stopReason: 'cancelled' }),
    ])
    await using editor = await sdkEditor(rig, { args, capabilities: EVERYTHING })
    const sessionId = await editor.open()
    const turn = editor.prompt(sessionId, 'go')
    await until(() => editor.of('elicitation/create').length === 1)
    await editor.agent.notify('session/cancel', { sessionId })
    expect(await turn).toMatchObject({ stopReason: 'cancelled' })
    expect(editor.said(sessionId)).toContain('{"action":"cancel"}')
    await until(() => editor.of('withdrawn').length === 1)
  })

  test('and leaves: nothing of it stays', async () => {
    await using rig = new Rig()
    const args = withFake(rig, [
      ...acpHandshake(),
      ...acpTurn([ask('terminal/create', { command: 'x' }), ask('elicitation/create', FORM), 'never']),
    ])
    const editor = await sdkEditor(rig, { args, capabilities: EVERYTHING })
    const sessionId = await editor.open()
    void editor.prompt(sessionId, 'go').catch(() => {})
    await until(() => editor.of('elicitation/create').length === 1)
    await editor[Symbol.asyncDispose]()
    expect([editor.child.exitCode, editor.child.signalCode]).toEqual([0, null])
  })
})

test('what a web page asks has an id of its own at the editor, and is over when the agent says so', async () => {
  await using rig = new Rig()
  const url = { mode: 'url', message: 'Sign in', url: 'https://example.test/', elicitationId: '1' }
  const args = withFake(rig, [
    ...acpHandshake(),
    ...acpTurn([
      ask('elicitation/create', url),
      '{answer}',
      { notify: 'elicitation/complete', params: { elicitationId: 'of somebody else' } },
      { notify: 'elicitation/complete', params: { elicitationId: '1' } },
      ask('fs/read_text_file', { path: join(rig.work, 'none') }),
    ]),
  ])
  await using editor = await sdkEditor(rig, {
    args,
    capabilities: EVERYTHING,
    answers: () => ({ action: 'accept' }),
  })
  const sessionId = await editor.open()
  await editor.prompt(sessionId, 'go')
  const [asked] = editor.of('elicitation/create')
  expect(asked).toMatchObject({ mode: 'url', url: 'https://example.test/', sessionId })
  expect(asked.elicitationId).not.toBe('1')
  expect(editor.of('elicitation/complete')).toEqual([{ elicitationId: asked.elicitationId }])
})
