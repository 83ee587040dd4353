/** `subgate acp` as an editor sees it: raw lines, and the official SDK. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import * as acp from '@agentclientprotocol/sdk/unstable'
import { describe, expect, test } from 'vitest'
import { acpHandshake, acpTurn, fakeAgentCommand } from '../../src/testing/fake-agent.ts'
import { Editor, fakeEditor, pause, subgateOf } from './acp-editor.ts'

test('C02: only protocol is on stdout, whatever a provider prints', async () => {
  await using editor = new Editor({ args: ['--provider', 'fixture', '--verbose'] })
  const sessionId = await editor.open()
  const { result } = await editor.prompt(sessionId, 'noise')
  expect(result.stopReason).toBe('end_turn')
  expect(await editor.leave()).toEqual([0, null])
  for (const line of editor.lines) expect(JSON.parse(line).jsonrpc).toBe('2.0')
  for (const words of ['x from the module', 'x\n', 'x info', 'y\n', 'DEP_FIXTURE']) {
    expect(editor.stderr).toContain(words)
  }
})

test('C02: an error that a provider throws in a timer fails its prompt once, and the process lives', async () => {
  await using editor = new Editor()
  const [sessionId, other] = [await editor.open(), await editor.session()]
  const bystander = editor.prompt(other, 'hang', 'bystander')
  const { error } = await editor.prompt(sessionId, 'explode', 'exploding')
  expect(error?.code).toBe(-32603)
  expect(error?.data).toMatchObject({ code: 'PROVIDER_FAULT', data: { provider: 'fixture' } })
  expect(error?.message).toContain('thrown in a timer')
  const again = await editor.prompt(sessionId, 'hello')
  expect(again.result.stopReason).toBe('end_turn')
  editor.notify('session/cancel', { sessionId: other })
  expect((await bystander).result.stopReason).toBe('cancelled')
  expect(editor.messages.filter(({ id }) => id === 'exploding')).toHaveLength(1)
  expect(await editor.leave()).toEqual([0, null])
})

describe('C19: unknown things', () => {
  test('an unknown request is -32601, an unknown notification silence', async () => {
    await using editor = new Editor()
    await editor.initialize()
    expect((await editor.request('foo/bar', {})).error?.code).toBe(-32601)
    const before = editor.messages.length
    editor.notify('foo/note', {})
    await pause(200)
    expect(editor.messages).toHaveLength(before)
  })

  test('session/new without mcpServers, with a malformed entry, or with an unknown control is -32602 by name', async () => {
    await using editor = new Editor()
    await editor.initialize()
    const cwd = editor.dir
    const stdio = { name: 'a', command: 'b', args: [], env: [] }
    const cases = [
      [{ cwd }, 'mcpServers'],
      [{ cwd, mcpServers: [stdio, { ...stdio, command: 7 }] }, 'mcpServers.1.command'],
      [{ cwd, mcpServers: [{ name: 'a', command: 'b', args: [] }] }, 'mcpServers.0.env'],
      [{ cwd, mcpServers: [], _meta: { subgate: { modle: 'm' } } }, 'modle'],
      [{ cwd, mcpServers: [], _meta: { subgate: { sandbox: 'tight' } } }, 'sandbox'],
    ] as const
    for (const [params, field] of cases) {
      const { error } = await editor.request('session/new', params)
      expect(error?.code).toBe(-32602)
      expect(error?.data).toMatchObject({ code: 'INVALID_REQUEST', data: { field } })
      expect(error?.message).toContain(field)
    }
  })

  test('session/set_mode with an unknown id is -32602 and says which are valid', async () => {
    await using editor = new Editor()
    const sessionId = await editor.open()
    const { error } = await editor.request('session/set_mode', { sessionId, modeId: 'turbo' })
    expect(error?.code).toBe(-32602)
    expect(error?.message).toBe('No mode has the id "turbo". Valid ids: none, as this session has no modes.')
  })

  test('unknown updates and unknown fields of an agent reach the editor as they are', async () => {
    const updates = [
      { sessionUpdate: 'future_kind', x: 1 },
      { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'hi', more: [1] }, extra: {} },
      { sessionUpdate: 'usage_update', used: null },
    ]
    await using editor = fakeEditor([...acpHandshake(), ...acpTurn(updates.map((update) => ({ update })))])
    const sessionId = await editor.open()
    const { result } = await editor.prompt(sessionId, 'go')
    expect(subgateOf(result).status).toBe('completed')
    expect(editor.updates().map(({ params }) => params.update)).toEqual(updates)
  })
})

describe('C37: the working directory', () => {
  test("is the agent's, byte for byte, in two sessions at once", async () => {
    await using editor = fakeEditor([...acpHandshake(), ...acpTurn([{ dump: ['cwd'] }])])
    await editor.initialize()
    const dirs = [join(editor.dir, 'a b'), join(editor.dir, 'ünï-漢')]
    for (const dir of dirs) mkdirSync(dir)
    const sessions = await Promise.all(dirs.map((cwd) => editor.session({ cwd })))
    await Promise.all(sessions.map((sessionId) => editor.prompt(sessionId, 'pwd', sessionId)))
    const seen = sessions.map(
      (id) => JSON.parse(editor.updates(id)[0]?.params.update.content.text).cwd as string,
    )
    expect(seen).toEqual(dirs)
  })

  test('relative, missing, a file, or empty: -32602 that names cwd, and nothing is spawned', async () => {
    const { command, args } = fakeAgentCommand(acpHandshake())
    await using editor = new Editor({ args: ['--', command, ...args] })
    await editor.initialize()
    writeFileSync(join(editor.dir, 'file'), '')
    for (const cwd of ['./rel', join(editor.dir, 'missing'), join(editor.dir, 'file'), '', undefined]) {
      const { error } = await editor.request('session/new', { cwd, mcpServers: [] })
      expect(error?.code).toBe(-32602)
      expect(error?.data.data).toEqual({ field: 'cwd' })
      expect(error?.message).toContain('"cwd"')
    }
    expect(childrenOf(editor.process.pid ?? 0)).toEqual([])
  })
})

const childrenOf = (pid: number): readonly string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)

describe('controls', () => {
  test('law 2: a control that the provider lacks is refused at session/new, typed, before a session exists', async () => {
    await using editor = new Editor()
    await editor.initialize()
    const meta = { subgate: { sandbox: 'read-only', maxDepth: 1 } }
    const params = { cwd: editor.dir, mcpServers: [], _meta: meta }
    const { error } = await editor.request('session/new', params)
    expect(error?.code).toBe(-32602)
    expect(error?.data).toMatchObject({
      code: 'UNSUPPORTED_CAPABILITY',
      phase: 'gate',
      retryable: false,
      data: { provider: 'fixture', missing: ['depthLimit', 'sandbox'], fields: ['maxDepth', 'sandbox'] },
    })
  })

  test('law 2: a control of a prompt is refused there, and the session lives on', async () => {
    await using editor = new Editor()
    const sessionId = await editor.open()
    const { error } = await editor.request('session/prompt', {
      sessionId,
      prompt: [{ type: 'text', text: 'hello' }],
      _meta: { subgate: { outputSchema: { type: 'object' } } },
    })
    expect(error?.data).toMatchObject({ code: 'UNSUPPORTED_CAPABILITY', data: { missing: ['outputSchema'] } })
    expect((await editor.prompt(sessionId, 'hello')).result.stopReason).toBe('end_turn')
  })

  test('a flag that the provider lacks is refused in every session', async () => {
    await using editor = new Editor({ args: ['--provider', 'fixture', '--sandbox', 'read-only'] })
    await editor.initialize()
    const { error } = await editor.request('session/new', { cwd: editor.dir, mcpServers: [] })
    expect(error?.data.code).toBe('UNSUPPORTED_CAPABILITY')
  })

  test("the agent's own session id never reaches the editor", async () => {
    await using editor = new Editor()
    const sessionId = await editor.open()
    await editor.prompt(sessionId, 'hello')
    expect(editor.lines.join('\n')).not.toContain('agent-own-id')
  })

  test('a name that means no provider is said on stderr, with exit 2 and nothing on stdout', async () => {
    await using editor = new Editor({ args: ['--provider', 'nobody'] })
    expect(await editor.exited).toEqual([2, null])
    expect(editor.stderr).toContain('nobody')
    expect(editor.lines).toEqual([])
  })
})

describe('sessions', () => {
  test('a second prompt goes on with the same conversation; two at once are one too many', async () => {
    await using editor = fakeEditor([
      ...acpHandshake(),
      ...acpTurn(['one']),
      ...acpTurn(['two', { sleep: 300 }]),
    ])
    const sessionId = await editor.open()
    await editor.prompt(sessionId, 'first')
    const second = editor.prompt(sessionId, 'second')
    const { error } = await editor.prompt(sessionId, 'third')
    expect(error?.code).toBe(-32600)
    expect(error?.data.code).toBe('SESSION_BUSY')
    expect((await second).result.stopReason).toBe('end_turn')
    expect(editor.said()).toBe('onetwo')
  })

  test('endings other than success keep their names', async () => {
    await using editor = new Editor()
    const sessionId = await editor.open()
    expect((await editor.prompt(sessionId, 'refuse')).result).toMatchObject({
      stopReason: 'refusal',
      _meta: { subgate: { status: 'refused', category: 'refusal' } },
    })
    expect((await editor.prompt(sessionId, 'truncate')).result).toMatchObject({
      stopReason: 'max_turn_requests',
      usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
      _meta: { subgate: { status: 'truncated', category: 'max_turns', denied: [] } },
    })
  })

  test('a total limit of the prompt is an error with its status', async () => {
    await using editor = new Editor()
    const sessionId = await editor.open()
    const { error } = await editor.request('session/prompt', {
      sessionId,
      prompt: [{ type: 'text', text: 'hang' }],
      _meta: { subgate: { limits: { totalMs: 200 } } },
    })
    expect(error?.code).toBe(-32603)
    expect(error?.data).toMatchObject({ code: 'TOTAL_TIMEOUT', status: 'timed_out', category: 'total' })
  })

  test('a prompt on a session that is closed or was never there is -32002', async () => {
    await using editor = new Editor()
    const sessionId = await editor.open()
    await editor.prompt(sessionId, 'hello')
    expect((await editor.request('session/close', { sessionId })).result).toEqual({})
    expect(existsSync(join(editor.dir, 'cleaned-up'))).toBe(true)
    for (const gone of [sessionId, 'ses_never']) {
      const { error } = await editor.prompt(gone, 'hello')
      expect(error?.code).toBe(-32002)
      expect(error?.data.code).toBe('SESSION_NOT_FOUND')
    }
  })
})

test('the official SDK client gets a whole turn with a permission', async () => {
  await using editor = new Editor()
  editor.process.stdout.removeAllListeners('data')
  const updates: string[] = []
  const connection = acp
    .client({ name: 'test' })
    .onNotification(acp.methods.client.session.update, ({ params }) => {
      updates.push(params.update.sessionUpdate)
    })
    .onRequest(acp.methods.client.session.requestPermission, () => ({
      outcome: { outcome: 'selected' as const, optionId: 'y' },
    }))
    .connect(acp.ndJsonStream(Writable.toWeb(editor.process.stdin), Readable.toWeb(editor.process.stdout)))
  const { agent } = connection
  const init = await agent.request(acp.methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: {},
  })
  expect(init.protocolVersion).toBe(1)
  expect(init.agentCapabilities?.promptCapabilities).toEqual({
    image: true,
    audio: false,
    embeddedContext: true,
  })
  const { sessionId } = await agent.request(acp.methods.agent.session.new, {
    cwd: editor.dir,
    mcpServers: [],
  })
  const answer = await agent.request(acp.methods.agent.session.prompt, {
    sessionId,
    prompt: [{ type: 'text', text: 'edit' }],
  })
  expect(answer.stopReason).toBe('end_turn')
  expect(updates).toEqual(['available_commands_update', 'session_info_update', 'agent_message_chunk'])
  await agent.request(acp.methods.agent.session.close, { sessionId })
  connection.close()
})
