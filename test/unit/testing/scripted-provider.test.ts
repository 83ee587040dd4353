/** The scripted provider: what a script says happens, within what its rows allow. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { CapabilityId } from '../../../src/contract/capabilities.ts'
import type { SubagentStartRequest } from '../../../src/contract/request.ts'
import type { SubagentResult } from '../../../src/contract/result.ts'
import { DEFAULT_SETTINGS } from '../../../src/runtime/options.ts'
import { GatewayRuntime } from '../../../src/runtime/subagent-runtime.ts'
import { memoryStore } from '../../../src/sessions/memory-store.ts'
import { playing, scriptedProvider } from '../../../src/testing/index.ts'
import type { ScriptedProviderOptions, ScriptStep } from '../../../src/testing/index.ts'

const house = (options: ScriptedProviderOptions = { capabilities: 'all' }) => {
  const provider = scriptedProvider(options)
  const cwd = mkdtempSync(join(tmpdir(), 'subgate-scripted-'))
  const runtime = new GatewayRuntime({
    store: memoryStore(),
    settings: { ...DEFAULT_SETTINGS, cwd },
    providers: [{ provider }],
  })
  onTestFinished(async () => {
    await runtime[Symbol.asyncDispose]()
    rmSync(cwd, { recursive: true, force: true })
  })
  const run = async (
    steps: readonly ScriptStep[],
    more: Partial<SubagentStartRequest> = {},
  ): Promise<SubagentResult> => {
    const started = await runtime.start({ provider: 'scripted', prompt: playing(steps), ...more })
    return started.result
  }
  return { provider, runtime, cwd, run }
}

const child = (prompt: readonly ScriptStep[]) => ({ provider: 'scripted', prompt: playing(prompt) })

test('plays the script of its prompt, and ends as it says', async () => {
  const { run } = house()
  expect(await run([{ say: 'one ' }, { say: 'two' }])).toMatchObject({ status: 'completed', text: 'one two' })
  expect(await run([{ say: 'x' }, { end: 'refused' }, { say: 'y' }])).toMatchObject({
    status: 'refused',
    text: 'x',
  })
})

test('a prompt without a script is said back', async () => {
  const { run } = house()
  const prompt = [{ type: 'text', text: 'Hello?' }] as const
  expect(await run([], { prompt })).toMatchObject({ status: 'completed', text: 'Hello?' })
})

test('a script of its own goes before the prompt and may look at the request', async () => {
  const { run } = house({ capabilities: 'all', script: ({ model }) => [{ say: `on ${model ?? 'any'}` }] })
  expect((await run([{ say: 'not this' }], { model: 'm-7' })).text).toBe('on m-7')
})

test('usage and a structured value come with the outcome; without a schema the value has no meaning', async () => {
  const { run } = house()
  const steps: readonly ScriptStep[] = [
    { say: 'done' },
    { value: { answer: 42 } },
    { usage: { inputTokens: 3, outputTokens: 2 } },
  ]
  const schema = { type: 'object', required: ['answer'] }
  const asked = await run(steps, { outputSchema: schema })
  expect(asked).toMatchObject({ structured: { answer: 42 }, usage: { inputTokens: 3, outputTokens: 2 } })
  expect(await run(steps)).not.toHaveProperty('structured')
})

test('writes only where its sandbox lets it', async () => {
  const { run, cwd } = house()
  const inside = join(cwd, 'inside')
  const outside = `${cwd}-outside`
  await run([{ write: inside }], { sandbox: 'read-only' })
  expect(existsSync(inside)).toBe(false)
  await run([{ write: inside }, { write: outside }], { sandbox: 'workspace-write' })
  expect([existsSync(inside), existsSync(outside)]).toEqual([true, false])
})

test('a delegation goes through the gateway, with its gate and its depth', async () => {
  const { run } = house()
  expect((await run([{ delegate: child([{ say: 'from below' }]) }])).text).toBe('[completed] from below')
  const twice = child([{ delegate: child([{ say: 'too deep' }]) }])
  expect((await run([{ delegate: twice }])).text).toBe('[completed] [DEPTH_EXCEEDED]')
})

test('its own delegation stops at the depth that was asked for', async () => {
  const { run } = house()
  const nested: readonly ScriptStep[] = [{ say: 'up ' }, { nest: 2, do: [{ say: 'down' }] }]
  expect((await run(nested, { maxDepth: 1 })).text).toBe('up ')
  expect((await run(nested, { maxDepth: 2 })).text).toBe('down')
})

test('a typed error stays typed, another throw is a fault of the provider', async () => {
  const { run } = house()
  const busy = await run([{ fail: 'AGENT_BUSY', data: { retryAfterMs: 5000 } }])
  expect(busy).toMatchObject({ status: 'failed', category: 'busy', error: { code: 'AGENT_BUSY' } })
  expect(await run([{ throw: 'oops' }])).toMatchObject({
    status: 'failed',
    error: { code: 'PROVIDER_FAULT' },
  })
})

test('after the end of its process it is not usable, and a kept session is gone', async () => {
  const { run, provider } = house()
  const result = await run([{ say: 'so far' }, { die: true }], { keep: true })
  expect(result).toMatchObject({ status: 'failed', category: 'process', text: 'so far' })
  expect(provider.live).toBe(0)
})

test('a negotiated row that its handshake denies is refused after the process had its say', async () => {
  const negotiated: readonly CapabilityId[] = ['model']
  const { run, provider, runtime } = house({ capabilities: 'all', negotiated, revealed: { model: 'none' } })
  await expect(run([{ say: 'x' }], { model: 'm-7' })).rejects.toMatchObject({
    code: 'UNSUPPORTED_CAPABILITY',
    data: { missing: ['model'] },
  })
  expect([provider.received.length, provider.live, runtime.load]).toEqual([1, 0, { active: 0, queued: 0 }])
})

test('a start that is aborted during its set-up leaves no session', async () => {
  const { runtime, provider } = house({ capabilities: 'all', openMs: 10_000 })
  const abort = new AbortController()
  const start = runtime.start(
    { provider: 'scripted', prompt: playing([{ say: 'x' }]) },
    { signal: abort.signal },
  )
  setImmediate(() => abort.abort())
  await expect(start).rejects.toMatchObject({ code: 'CANCELLED' })
  expect(provider.live).toBe(0)
})
