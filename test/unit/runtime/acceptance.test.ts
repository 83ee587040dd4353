/** Numbered behaviours of the runtime that stand between its parts (B1.5, B3.6, B7.6). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { claims } from '../../../src/capabilities/rows.ts'
import type { SessionEvent } from '../../../src/contract/events.ts'
import { runId, sessionId } from '../../../src/contract/ids.ts'
import type { SessionId } from '../../../src/contract/ids.ts'
import { DEFAULT_SETTINGS } from '../../../src/runtime/options.ts'
import { GatewayRuntime } from '../../../src/runtime/subagent-runtime.ts'
import { memoryStore } from '../../../src/sessions/memory-store.ts'
import { foldRegisters } from '../../../src/sessions/registers.ts'
import type { SessionStore } from '../../../src/sessions/store.ts'
import { scriptedProvider } from '../../../src/testing/index.ts'

const prompt = [{ type: 'text', text: 'go' }] as const

const eventsOf = (store: SessionStore, id: SessionId): readonly SessionEvent[] =>
  store.read(id, 0, 1000).map(({ event }) => event)

test('B1.5: a stored persona is gated again on resume, and the stored session stays as it was', async () => {
  const store = memoryStore()
  const id = sessionId('ses_old')
  const events: readonly SessionEvent[] = [
    { type: 'subagent/descriptor', version: 2, provider: 'plain', mode: 'kept', persona: '' },
    { type: 'session/native_id', nativeId: 'a-9' },
    { type: 'run/started', provider: 'plain', depth: 1 },
    { type: 'run/settled', status: 'completed', denied: [], durationMs: 1 },
  ]
  const entries = events.map((event, index) => ({
    seq: index + 1,
    at: 0,
    ...(event.type.startsWith('run/') && { runId: runId('run_old') }),
    event,
  }))
  const header = {
    id,
    rootId: sessionId('ses_root'),
    parentId: sessionId('ses_root'),
    provider: 'plain',
    depth: 1,
    cwd: process.cwd(),
    createdAt: 0,
    prefix: [],
  }
  store.publish(header, entries, foldRegisters(entries))
  const provider = scriptedProvider({ name: 'plain', capabilities: claims({ resume: 'native' }) })
  const settings = { ...DEFAULT_SETTINGS, cwd: process.cwd() }
  await using runtime = new GatewayRuntime({ store, settings, providers: [{ provider }] })
  const start = runtime.start({ provider: 'plain', prompt, session: { from: 'resume', sessionId: id } })
  await expect(start).rejects.toMatchObject({
    code: 'UNSUPPORTED_CAPABILITY',
    data: { missing: ['persona'], fields: ['descriptor.persona'] },
  })
  expect(eventsOf(store, id)).toEqual(events)
  expect(provider.received).toEqual([])
})

test('B3.6: where no sandbox was set and no approval service is composed, a child gets no policy event', async () => {
  const store = memoryStore()
  const provider = scriptedProvider({ name: 'plain', capabilities: claims({ resume: 'native' }) })
  const settings = { ...DEFAULT_SETTINGS, cwd: process.cwd() }
  await using runtime = new GatewayRuntime({ store, settings, providers: [{ provider }] })
  const parent = await runtime.start({ provider: 'plain', prompt, keep: true })
  await parent.result
  const child = await runtime.start({ provider: 'plain', prompt, parent: { sessionId: parent.sessionId } })
  await child.result
  const types = eventsOf(store, child.sessionId).map(({ type }) => type)
  const policies = new Set(['permission/preset', 'sandbox/mode', 'approval/policy'])
  expect(types.filter((type) => policies.has(type))).toEqual([])
  expect(types).toContain('subagent/descriptor')
})

test('B7.6: the documentation says that a tool list is visibility, and what confines', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/presets.md'), 'utf8')
  expect(page).toMatch(/A tool list is what the agent sees, not what it may do: what confines it is\s/u)
})
