/** C27: tool filters and personas come through presets and stored descriptors, and are gated there. */
import { describe, expect, test } from 'vitest'
import type { ToolFilter } from '../../src/contract/events.ts'
import type { Preset, PresetSource, SubagentStartRequest } from '../../src/contract/request.ts'
import type { SubagentResult } from '../../src/contract/result.ts'
import { DEFAULT_SETTINGS } from '../../src/runtime/options.ts'
import { GatewayRuntime } from '../../src/runtime/subagent-runtime.ts'
import { memoryStore } from '../../src/sessions/memory-store.ts'
import { playing, scriptedProvider } from '../../src/testing/index.ts'
import type { ScriptedProvider, ScriptStep } from '../../src/testing/index.ts'

const presets = (...known: readonly Preset[]): PresetSource => ({
  find: async (name) => known.find((preset) => preset.name === name),
  names: async () => known.map(({ name }) => name),
})

const house = (preset: Preset) => {
  const whole = scriptedProvider({ name: 'P1', capabilities: { toolFilter: 'native', persona: 'native' } })
  const persona = scriptedProvider({ name: 'P2', capabilities: { persona: 'native' } })
  const nothing = scriptedProvider({ name: 'P3' })
  const runtime = new GatewayRuntime({
    store: memoryStore(),
    settings: { ...DEFAULT_SETTINGS, cwd: import.meta.dirname },
    providers: [whole, persona, nothing].map((provider) => ({ provider })),
    presets: presets(preset),
  })
  return { runtime, P1: whole, P2: persona, P3: nothing }
}

const refusedBy = async (
  provider: 'P2' | 'P3',
  preset: Preset,
  missing: readonly string[],
  alternatives: readonly string[],
) => {
  const { runtime, ...providers } = house(preset)
  await using _ = runtime
  const start = runtime.start({ provider, prompt: playing([{ say: 'x' }]), preset: preset.name })
  await expect(start).rejects.toMatchObject({
    code: 'UNSUPPORTED_CAPABILITY',
    phase: 'gate',
    data: { provider, missing, alternatives },
  })
  const asked: ScriptedProvider = providers[provider]
  expect(asked.received).toEqual([])
}

const FILTERS: readonly ToolFilter[] = [
  { allow: [] },
  { allow: ['Read'] },
  { deny: ['Bash'] },
  { allow: ['Bash'], deny: ['Bash'] },
]

describe('C27: a provider without the row', () => {
  test.each(FILTERS)('refuses a preset whose tools are %o before anything is opened', async (tools) => {
    await refusedBy('P2', { name: 'few', tools }, ['toolFilter'], ['P1'])
    await refusedBy('P3', { name: 'few', tools }, ['toolFilter'], ['P1'])
  })

  test.each(['You are brief.', ''])('refuses instructions, also when they are %j', async (text) => {
    const preset: Preset = { name: 'voice', instructions: { mode: 'append', text } }
    await refusedBy('P3', preset, ['persona'], ['P1', 'P2'])
  })

  test('names both at once', async () => {
    const preset: Preset = {
      name: 'both',
      instructions: { mode: 'replace', text: 'x' },
      tools: { allow: [] },
    }
    await refusedBy('P3', preset, ['persona', 'toolFilter'], ['P1'])
  })
})

const run = async (
  tools: ToolFilter | undefined,
  ...steps: readonly ScriptStep[]
): Promise<SubagentResult> => {
  const { runtime, P1 } = house({ name: 'few', ...(tools !== undefined && { tools }) })
  await using _ = runtime
  const started = await runtime.start({ provider: 'P1', prompt: playing(steps), preset: 'few' })
  const result = await started.result
  expect(P1.received[0]?.preset?.tools).toEqual(tools)
  return result
}

describe('C27: a provider with the row', () => {
  test('gets the filter as it was given, and an absent one as absent', async () => {
    expect((await run(undefined, { report: 'tools' })).text).toBe('{"tools":["Read","Write","Bash"]}')
    expect((await run({ deny: ['Bash'] }, { report: 'tools' })).text).toBe('{"tools":["Read","Write"]}')
  })

  test('an empty list means none', async () => {
    expect((await run({ allow: [] }, { report: 'tools' })).text).toBe('{"tools":[]}')
  })

  test('deny wins', async () => {
    expect((await run({ allow: ['Bash', 'Read'], deny: ['Bash'] }, { report: 'tools' })).text).toBe(
      '{"tools":["Read"]}',
    )
  })
})

describe('C27, B1.6: a request', () => {
  test.each([
    ['persona', 'You are brief.'],
    ['toolFilter', { allow: [] }],
    ['allowedTools', ['Read']],
  ])('that names %s itself is refused', async (field, value) => {
    const { runtime, P1 } = house({ name: 'few' })
    await using _ = runtime
    const request = {
      provider: 'P1',
      prompt: playing([{ say: 'x' }]),
      [field]: value,
    } as SubagentStartRequest
    await expect(runtime.start(request)).rejects.toMatchObject({ code: 'INVALID_REQUEST', data: { field } })
    expect(P1.received).toEqual([])
  })
})
