/** Taking a session of an external agent up after a restart: what the agent answers, and what stays stored (C33, B9.3). */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { SessionId } from '../../src/contract/ids.ts'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import { acp, received } from '../fixtures/acp-house.ts'
import type { AcpHouse } from '../fixtures/acp-house.ts'
import { rejection } from '../fixtures/house.ts'
import { storeHouse } from '../fixtures/store-file.ts'

/** An agent that keeps conversations under its own id `a-9`, and answers a load with these steps. */
const agent = (capabilities: object, load: readonly FakeStep[]): readonly FakeStep[] => [
  { on: 'initialize', do: [{ reply: { protocolVersion: 1, agentCapabilities: capabilities } }] },
  { on: 'session/new', do: [{ reply: { sessionId: 'a-9' } }] },
  { on: 'session/load', do: load },
  { on: 'session/prompt', do: [{ say: 'new words' }, { reply: { stopReason: 'end_turn' } }] },
  { hang: true },
]

interface Restarted {
  readonly house: AcpHouse
  readonly sessionId: SessionId
  /** The agent's own id, as it is stored now. */
  stored(): string | undefined
}

/** One process makes the session and dies; another one has the same store. */
const restarted = async (
  load: readonly FakeStep[],
  { capabilities = { loadSession: true }, startupMs = 60_000 } = {},
): Promise<Restarted> => {
  const stores = storeHouse()
  onTestFinished(() => stores[Symbol.dispose]())
  const dir = mkdtempSync(join(tmpdir(), 'subgate-restart-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const script = agent(capabilities, load)
  const before = acp(script, { dir, store: stores.open('one') })
  const run = await before.start({ prompt: [{ type: 'text', text: 'first' }] })
  await run.result
  await before.close()
  stores.dead.add('one')
  const store = stores.open('two')
  const limits = { startupMs, idleMs: 0, totalMs: 0 }
  const house = acp(script, { dir, store, settings: { limits } })
  return { house, sessionId: run.sessionId, stored: () => store.get(run.sessionId)?.registers.nativeId }
}

const resume = ({ house, sessionId }: Restarted) => house.start({ session: { from: 'resume', sessionId } })

test.each([
  ['null', { reply: null }],
  ['{}', { reply: {} }],
] as const)("C33: a load that is answered %s is taken up under the agent's own id", async (_, step) => {
  const restart = await restarted([{ say: 'replayed' }, step])
  const result = await (await resume(restart)).result
  expect([result.sessionId, result.text]).toEqual([restart.sessionId, 'new words'])
  expect(received(restart.house, 'session/load').map(({ params }) => params['sessionId'])).toEqual(['a-9'])
  const texts = restart.house.entries(restart.sessionId).map(({ event }) => JSON.stringify(event))
  expect(texts.join('\n')).not.toContain('replayed')
})

test.each([
  ['-32002', -32_002, 'Resource not found'],
  ['-32603', -32_603, 'Internal error'],
  ['-32602', -32_602, 'already open'],
] as const)(
  "C33: a load that fails with %s is NOT_RESUMABLE with the agent's words, and no other session is begun",
  async (_, code, message) => {
    const restart = await restarted([{ fail: { code, message } }])
    const error = await rejection(resume(restart))
    expect(error.code).toBe('NOT_RESUMABLE')
    expect(error.message).toContain(message)
    expect(received(restart.house, 'session/new')).toHaveLength(1)
    expect(restart.stored()).toBe('a-9')
  },
)

test('C33: an agent that neither loads nor resumes is refused before anything is sent', async () => {
  const restart = await restarted([], { capabilities: {} as { loadSession: boolean } })
  const error = await rejection(resume(restart))
  expect(['NOT_RESUMABLE', 'UNSUPPORTED_CAPABILITY']).toContain(error.code)
  expect(received(restart.house, 'session/load')).toEqual([])
})

test('C33: a load that hangs ends with the start-up limit, and the stored id is kept', async () => {
  const restart = await restarted([{ hang: true }], { startupMs: 1500 })
  const error = await rejection(resume(restart))
  expect(error.code).toBe('STARTUP_TIMEOUT')
  expect(restart.stored()).toBe('a-9')
})

test('C33: a session that the store does not know is SESSION_NOT_FOUND', async () => {
  const { house } = await restarted([{ reply: {} }])
  const error = await rejection(house.start({ session: { from: 'resume', sessionId: 'ses_x' as SessionId } }))
  expect(error.code).toBe('SESSION_NOT_FOUND')
})
