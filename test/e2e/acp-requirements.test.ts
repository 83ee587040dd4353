/** The ACP requirements that apply to our face (those of the official kit, by their ids), on raw lines. */
import { readFileSync } from 'node:fs'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { Editor, pause } from './acp-editor.ts'
import type { EditorOptions, Message } from './acp-editor.ts'

const SCHEMA = JSON.parse(
  readFileSync(
    join(import.meta.dirname, '../../node_modules/@agentclientprotocol/sdk/schema/v1/schema.json'),
    'utf8',
  ),
) as { readonly $defs: Readonly<Record<string, { readonly properties?: Readonly<Record<string, unknown>> }>> }

const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(SCHEMA, 'acp')

/** What the schema says against a value; empty when it is valid. */
const faults = (definition: string, value: unknown): readonly string[] => {
  const validate = ajv.getSchema(`acp#/$defs/${definition}`)
  if (validate === undefined) throw new Error(`the schema has no ${definition}`)
  return validate(value) === true
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

const unknownRoots = (definition: string, value: object): readonly string[] => {
  const known = new Set([...Object.keys(SCHEMA.$defs[definition]?.properties ?? {}), '_meta'])
  return Object.keys(value).filter((key) => !known.has(key))
}

const STOP_REASONS = ['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled']
const QUIET_MS = 500

/** The kit's client: first option, or `cancelled` once it has cancelled; every other request is refused and kept. */
class Kit extends Editor {
  cancelled = false
  constructor(options: EditorOptions = {}) {
    super({
      ...options,
      answer: ({ method, params }) => {
        if (method !== 'session/request_permission')
          return { error: { code: -32601, message: 'Method not found' } }
        const { optionId } = params.options[0]
        return {
          result: { outcome: this.cancelled ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } },
        }
      },
    })
  }

  content(sessionId: string, ...prompt: readonly object[]): Promise<Message> {
    return this.request('session/prompt', { sessionId, prompt })
  }
}

const text = { type: 'text', text: 'image: what is in it?' }

describe('transport and JSON-RPC', () => {
  test('ACP-TRANSPORT-001, ACP-TRANSPORT-002: every line, also after stdin was closed, is one JSON-RPC object in UTF-8', async () => {
    await using kit = new Kit()
    const bytes: Buffer[] = []
    kit.process.stdout.on('data', (chunk: Buffer) => bytes.push(chunk))
    const sessionId = await kit.open()
    await kit.prompt(sessionId, 'ünï-漢 𝕏')
    void kit.prompt(sessionId, 'hang').catch(() => {})
    await kit.leave()
    const lines = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(bytes)).split('\n')
    expect(lines.pop()).toBe('')
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
    expect(kit.said()).toContain('ünï-漢 𝕏')
  })

  test('ACP-JSONRPC-001, ACP-JSONRPC-002: ids are echoed, numbers and strings; a response has a result or an error', async () => {
    await using kit = new Kit()
    await kit.initialize()
    const params = { cwd: kit.dir, mcpServers: [] }
    for (const id of [77, 'seventy-seven']) {
      const message = await kit.request('session/new', params, id)
      expect(message.id).toBe(id)
      expect('result' in message).toBe(true)
      expect('error' in message).toBe(false)
    }
    const failed = await kit.request('session/new', {}, 'bad')
    expect('result' in failed).toBe(false)
    expect(failed.error?.code).toBe(-32602)
    expect(typeof failed.error?.message).toBe('string')
  })

  test('ACP-JSONRPC-003: a cancel while idle is answered by nothing', async () => {
    await using kit = new Kit()
    const sessionId = await kit.open()
    await kit.when(() => kit.told('available_commands_update').length === 1)
    const before = kit.messages.length
    kit.notify('session/cancel', { sessionId })
    await pause(QUIET_MS)
    expect(kit.messages).toHaveLength(before)
  })

  test('ACP-JSONRPC-004, ACP-JSONRPC-005, ACP-EXT-001: unknown methods are -32601, and the next request works', async () => {
    await using kit = new Kit()
    await kit.initialize()
    for (const method of ['_tck/does_not_exist', '_custom', 'session/archive', 'session/set_title']) {
      expect((await kit.request(method, {})).error?.code).toBe(-32601)
    }
    expect(await kit.session()).toMatch(/^ses_/u)
  })

  test('ACP-INFO-PARSE-001, ACP-INFO-INVALIDREQ-001: broken lines get their errors, and the connection lives', async () => {
    await using kit = new Kit()
    await kit.initialize()
    kit.raw('{nope')
    kit.raw('{"foo":"bar"}')
    await kit.until(({ id, error }) => id === null && error?.code === -32700)
    await kit.until(({ id, error }) => id === null && error?.code === -32600)
    expect(await kit.session()).toMatch(/^ses_/u)
  })

  test('ACP-ERROR-001: messages of errors are one line and not empty', async () => {
    await using kit = new Kit()
    await kit.initialize()
    const { error } = await kit.prompt('ses_nobody', 'hello')
    expect(error?.message).toMatch(/^.+$/u)
  })
})

describe('initialize', () => {
  test('ACP-INIT-001, ACP-INIT-002, ACP-INIT-004: version 1 is answered with 1, validly, with a name and a version', async () => {
    await using kit = new Kit()
    const { result } = await kit.initialize(1)
    expect(faults('InitializeResponse', result)).toEqual([])
    expect(result.protocolVersion).toBe(1)
    expect(result.agentInfo).toMatchObject({ name: 'subgate', version: expect.stringMatching(/./u) })
  })

  test('ACP-INIT-003: 65535, with the fields of version 2 beside it, is answered with 1', async () => {
    await using kit = new Kit()
    const { result } = await kit.request('initialize', {
      protocolVersion: 65535,
      info: { name: 'tck', version: '1' },
      capabilities: {},
      clientCapabilities: {},
    })
    expect(result.protocolVersion).toBe(1)
  })

  test('ACP-AUTH-001, ACP-AUTH-002, ACP-AUTH-005: no methods to sign in with, and none needed for a session', async () => {
    await using kit = new Kit()
    const { result } = await kit.initialize()
    expect(result.authMethods).toEqual([])
    expect(await kit.session()).toMatch(/^ses_/u)
  })

  test('ACP-LOAD, ACP-RESUME, ACP-LIST, ACP-DELETE, ACP-CLOSE: every method of a session is there, whatever agent it has', async () => {
    await using kit = new Kit()
    const { result } = await kit.initialize()
    expect(result.agentCapabilities.loadSession).toBe(true)
    expect(result.agentCapabilities.sessionCapabilities).toEqual({
      list: {},
      resume: {},
      fork: {},
      close: {},
      delete: {},
      additionalDirectories: {},
    })
  })
})

describe('sessions and prompts', () => {
  test('ACP-SCHEMA-001, ACP-SCHEMA-002, ACP-PROMPT-001, ACP-PROMPT-002: every message of a turn is valid, has known root keys, and carries its session', async () => {
    await using kit = new Kit()
    const sessionId = await kit.open()
    const { result } = await kit.prompt(sessionId, 'hello')
    expect(STOP_REASONS).toContain(result.stopReason)
    await kit.prompt(sessionId, 'edit')
    const [initialized, created, ...answers] = kit.messages.filter((message) => 'result' in message)
    expect(faults('InitializeResponse', initialized?.result)).toEqual([])
    expect(unknownRoots('InitializeResponse', initialized?.result)).toEqual([])
    expect(faults('NewSessionResponse', created?.result)).toEqual([])
    expect(unknownRoots('NewSessionResponse', created?.result)).toEqual([])
    expect(answers).toHaveLength(2)
    for (const answer of answers) expect(faults('PromptResponse', answer.result)).toEqual([])
    for (const { params } of kit.allUpdates()) {
      expect(faults('SessionNotification', params)).toEqual([])
      expect(unknownRoots('SessionNotification', params)).toEqual([])
      expect(params.sessionId).toBe(sessionId)
    }
    expect(kit.asked()).toHaveLength(1)
    for (const { params } of kit.asked()) expect(faults('RequestPermissionRequest', params)).toEqual([])
  })

  test('ACP-PROMPT-002: without the subagents capability no id of a child appears', async () => {
    await using kit = new Kit()
    const sessionId = await kit.open()
    const { result } = await kit.prompt(sessionId, 'descend a b')
    expect(result.stopReason).toBe('end_turn')
    const ids = kit.messages.flatMap(({ params }) => params?.sessionId ?? [])
    expect(new Set(ids)).toEqual(new Set([sessionId]))
  })

  test('ACP-SESSION-001, ACP-SESSION-002: two sessions have distinct ids', async () => {
    await using kit = new Kit()
    const [one, two] = [await kit.open(), await kit.session()]
    expect(one).not.toBe('')
    expect(one).not.toBe(two)
  })

  test('ACP-PROMPT-003, ACP-META-001: a link beside the text is taken, and foreign _meta does no harm', async () => {
    await using kit = new Kit()
    const sessionId = await kit.open()
    const link = { type: 'resource_link', uri: 'file:///etc/hostname', name: 'hostname' }
    const { result } = await kit.request('session/prompt', {
      sessionId,
      prompt: [text, link],
      _meta: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
    })
    expect(result.stopReason).toBe('end_turn')
  })

  test('ACP-PROMPTCAP-001, ACP-PROMPTCAP-003: what is advertised is taken; ACP-PROMPTCAP-002: audio is not, and is refused', async () => {
    await using kit = new Kit()
    const { result } = await kit.initialize()
    expect(result.agentCapabilities.promptCapabilities).toEqual({
      image: true,
      audio: false,
      embeddedContext: true,
    })
    const sessionId = await kit.session()
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' }
    const resource = { type: 'resource', resource: { uri: 'file:///x', text: 'x' } }
    expect((await kit.content(sessionId, text, image)).result.stopReason).toBe('end_turn')
    expect((await kit.content(sessionId, text, resource)).result.stopReason).toBe('end_turn')
    const { error } = await kit.content(sessionId, text, {
      type: 'audio',
      data: 'AAAA',
      mimeType: 'audio/wav',
    })
    expect(error?.data).toMatchObject({ code: 'UNSUPPORTED_CAPABILITY', data: { missing: ['audio'] } })
  })

  test('ACP-CANCEL-001, ACP-CANCEL-002: a cancel ends the turn with `cancelled`, and no update follows', async () => {
    await using kit = new Kit()
    const sessionId = await kit.open()
    const prompted = kit.prompt(sessionId, 'hang')
    await kit.until(({ params }) => params?.update?.content?.text === 'hanging')
    kit.cancelled = true
    kit.notify('session/cancel', { sessionId })
    const message = await prompted
    expect(message.error).toBeUndefined()
    expect(message.result.stopReason).toBe('cancelled')
    await pause(QUIET_MS)
    expect(kit.messages.at(-1)).toBe(message)
  })

  test('ACP-CLOSE-001, ACP-CLOSE-002: closing answers {}, and cancels an open prompt', async () => {
    await using kit = new Kit()
    const [idle, busy] = [await kit.open(), await kit.session()]
    expect((await kit.request('session/close', { sessionId: idle })).result).toEqual({})
    const prompted = kit.prompt(busy, 'hang')
    await kit.until(({ params }) => params?.update?.content?.text === 'hanging')
    expect((await kit.request('session/close', { sessionId: busy })).result).toEqual({})
    expect((await prompted).result.stopReason).toBe('cancelled')
  })

  test('ACP-ADDDIRS-001: a further absolute directory is accepted', async () => {
    await using kit = new Kit()
    const more = join(kit.dir, 'more')
    mkdirSync(more)
    const sessionId = await kit.open({ additionalDirectories: [more] })
    expect((await kit.prompt(sessionId, 'hello')).result.stopReason).toBe('end_turn')
  })

  test('ACP-CLIENTCAP-001, ACP-CLIENTCAP-002, ACP-CLIENTCAP-003: a client without capabilities is asked for permissions only', async () => {
    await using kit = new Kit()
    const sessionId = await kit.open()
    await kit.prompt(sessionId, 'thrice')
    const asked = kit.messages.filter(({ id, method }) => method !== undefined && id !== undefined)
    expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(['session/request_permission']))
  })
})

test('ACP-SHUTDOWN-001: it exits by itself within two seconds after stdin was closed', async () => {
  await using kit = new Kit()
  await kit.open()
  const at = Date.now()
  expect(await kit.leave()).toEqual([0, null])
  expect(Date.now() - at).toBeLessThan(2000)
})
