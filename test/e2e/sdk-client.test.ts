/** A client on the official SDK drives the built program end to end: it takes every message, and is understood. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as acp from '@agentclientprotocol/sdk/unstable'
import { expect, test } from 'vitest'
import { acpHandshake, acpTurn, fakeAgentCommand } from '../../src/testing/fake-agent.ts'
import { Rig } from './cli-rig.ts'
import { sdkClient } from './sdk-client.ts'
import type { Answer } from './sdk-client.ts'

const { session } = acp.methods.agent
const SPAWN = ['--provider', 'spawn', '--model', 'rehearsal', '--sandbox', 'read-only']

const choose =
  (kind: acp.PermissionOptionKind): Answer =>
  async ({ options }) => {
    const optionId = options.find((option) => option.kind === kind)?.optionId
    return optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId }
  }

const writes = (path: string): string =>
  `call write: ${JSON.stringify({ path, content: 'hello\n' })}\nsay: Done.`

test('the handshake, a session and a turn: all of it is taken by the SDK', async () => {
  await using rig = new Rig()
  await using client = await sdkClient(rig, SPAWN)
  expect(client.initialized).toMatchObject({ protocolVersion: 1, agentInfo: { name: 'subgate' } })
  const { sessionId } = await client.open()
  const { stopReason } = await client.prompt(sessionId, 'think: I greet.\nsay: Hello there.')
  expect(stopReason).toBe('end_turn')
  expect(client.said(sessionId)).toBe('Hello there.')
  expect(client.updates.map(({ update }) => update.sessionUpdate)).toContain('agent_thought_chunk')
  expect(client.faults).toEqual([])
  expect(await client.leave()).toBe(0)
})

test.each([
  ['allow_once', true],
  ['reject_once', false],
] as const)('a permission that is answered with %s: the file is written: %s', async (kind, written) => {
  await using rig = new Rig()
  await using client = await sdkClient(rig, SPAWN, choose(kind))
  const { sessionId } = await client.open()
  const file = join(rig.work, 'a.txt')
  const { stopReason } = await client.prompt(sessionId, writes(file))
  expect(stopReason).toBe('end_turn')
  expect(client.asked).toHaveLength(1)
  expect(client.asked[0]).toMatchObject({ sessionId, toolCall: { kind: 'edit' } })
  expect(existsSync(file)).toBe(written)
  if (written) expect(readFileSync(file, 'utf8')).toBe('hello\n')
  expect(client.faults).toEqual([])
})

test('a cancel ends the turn as cancelled, also while a permission is open, and the session goes on', async () => {
  await using rig = new Rig()
  const open = Promise.withResolvers<acp.RequestPermissionOutcome>()
  await using client = await sdkClient(rig, SPAWN, () => open.promise)
  const { sessionId } = await client.open()
  const hanging = client.prompt(sessionId, 'say: Once upon\nhang:')
  await client.heard('upon')
  await client.agent.notify(session.cancel, { sessionId })
  expect((await hanging).stopReason).toBe('cancelled')
  const file = join(rig.work, 'a.txt')
  const asking = client.prompt(sessionId, writes(file))
  await expect.poll(() => client.asked.length, { timeout: 20_000 }).toBe(1)
  await client.agent.notify(session.cancel, { sessionId })
  open.resolve({ outcome: 'cancelled' })
  expect((await asking).stopReason).toBe('cancelled')
  expect(existsSync(file)).toBe(false)
  expect((await client.prompt(sessionId, 'say: Still here.')).stopReason).toBe('end_turn')
  expect(client.said(sessionId)).toContain('Still here.')
  expect(client.faults).toEqual([])
})

test('an option that is changed is answered with all of them, and holds for the next turn', async () => {
  await using rig = new Rig()
  await using client = await sdkClient(rig, SPAWN)
  const { sessionId, configOptions = [] } = await client.open()
  const sandbox = configOptions?.find(({ id }) => id === 'sandbox')
  expect(sandbox).toMatchObject({ type: 'select', currentValue: 'read-only' })
  const answer = await client.agent.request(session.setConfigOption, {
    sessionId,
    configId: 'sandbox',
    value: 'workspace-write',
  })
  expect(answer.configOptions.map(({ id }) => id)).toEqual(configOptions?.map(({ id }) => id))
  expect(answer.configOptions.find(({ id }) => id === 'sandbox')?.currentValue).toBe('workspace-write')
  const file = join(rig.work, 'a.txt')
  await client.prompt(sessionId, writes(file))
  expect(client.asked).toEqual([])
  expect(existsSync(file)).toBe(true)
  expect(client.faults).toEqual([])
})

test('a chat is listed, closed, loaded whole by the next process before the answer, resumed, and deleted', async () => {
  await using rig = new Rig()
  let sessionId = ''
  {
    await using client = await sdkClient(rig, SPAWN)
    ;({ sessionId } = await client.open())
    await client.prompt(sessionId, 'say: One.')
    const { sessions } = await client.agent.request(session.list, { cwd: rig.work })
    expect(sessions.map((chat) => chat.sessionId)).toEqual([sessionId])
    await client.agent.request(session.close, { sessionId })
    await expect(client.prompt(sessionId, 'say: Two.')).rejects.toMatchObject({ code: -32_002 })
    expect(client.faults).toEqual([])
  }
  await using client = await sdkClient(rig, SPAWN)
  const params = { sessionId, cwd: rig.work, mcpServers: [] }
  await client.agent.request(session.load, params)
  expect(client.said(sessionId)).toBe('One.')
  await client.prompt(sessionId, 'say: Two.')
  expect(client.said(sessionId)).toBe('One.Two.')
  await client.agent.request(session.close, { sessionId })
  await client.agent.request(session.resume, params)
  await client.prompt(sessionId, 'say: Three.')
  expect(client.said(sessionId)).toBe('One.Two.Three.')
  await client.agent.request(session.delete, { sessionId })
  const { sessions } = await client.agent.request(session.list, {})
  expect(sessions).toEqual([])
  expect(client.faults).toEqual([])
})

test('before an agent of its own process it is the same: two turns, and a refusal as a typed error', async () => {
  await using rig = new Rig()
  const { command, args } = fakeAgentCommand([...acpHandshake(), ...acpTurn(['one ']), ...acpTurn(['two'])])
  rig.configure({ providers: { fake: { command: [command, ...args] } } })
  await using client = await sdkClient(rig, ['--provider', 'fake'])
  const { sessionId } = await client.open()
  for (const text of ['a', 'b']) expect((await client.prompt(sessionId, text)).stopReason).toBe('end_turn')
  expect(client.said(sessionId)).toBe('one two')
  const audio = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' } as const
  await expect(client.agent.request(session.prompt, { sessionId, prompt: [audio] })).rejects.toMatchObject({
    data: { code: 'UNSUPPORTED_CAPABILITY', data: { missing: ['audio'] } },
  })
  expect(client.faults).toEqual([])
})
