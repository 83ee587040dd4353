/** Starts with presets from files and from code: what each asks for is honoured, narrowed or refused (B1.6, C27). */
import { describe, expect, test } from 'vitest'
import type {
  PresetSource,
  Preset,
  SandboxMode,
  SubagentStartRequest,
} from '../../../src/contract/request.ts'
import { DEFAULT_SETTINGS } from '../../../src/runtime/options.ts'
import { GatewayRuntime } from '../../../src/runtime/subagent-runtime.ts'
import { memoryStore } from '../../../src/sessions/memory-store.ts'
import type { SessionStore } from '../../../src/sessions/store.ts'
import { playing, scriptedProvider } from '../../../src/testing/index.ts'
import type { ScriptedProvider } from '../../../src/testing/index.ts'
import { makeHouse, preset } from './house.ts'

const NAMES = { Read: 'read', Bash: 'shell', Edit: 'edit', MultiEdit: 'edit' }

interface Place extends AsyncDisposable {
  readonly runtime: GatewayRuntime
  readonly store: SessionStore
  readonly all: ScriptedProvider
  readonly persona: ScriptedProvider
  readonly nothing: ScriptedProvider
}

const place = (presets: PresetSource, cwd: string): Place => {
  const all = { ...scriptedProvider({ name: 'all', capabilities: 'all' }), toolNames: NAMES }
  const persona = scriptedProvider({ name: 'persona', capabilities: { persona: 'native' } })
  const nothing = scriptedProvider({ name: 'nothing' })
  const store = memoryStore()
  const providers = [all, persona, nothing].map((provider) => ({ provider }))
  const settings = { ...DEFAULT_SETTINGS, cwd, maxDepth: 5 }
  const runtime = new GatewayRuntime({ store, settings, presets, providers })
  return {
    runtime,
    store,
    all,
    persona,
    nothing,
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  }
}

const code = (...known: readonly Preset[]): PresetSource => ({
  find: async (name) => known.find((each) => each.name === name),
  names: async () => known.map(({ name }) => name),
})

const start = async (
  { runtime, all }: Place,
  request: Partial<SubagentStartRequest>,
): Promise<ScriptedProvider['received'][number] | undefined> => {
  const run = await runtime.start({ provider: 'all', prompt: playing([{ say: 'x' }]), ...request })
  expect((await run.result).status).toBe('completed')
  return all.received.at(-1)
}

describe('C27: a preset asks for its rows, from a file as from code', () => {
  const head = 'tools: [Read]\ndisallowedTools: Bash\npermissionMode: plan\nmodel: m'
  const asCode: Preset = {
    name: 'few',
    tools: { allow: ['Read'], deny: ['Bash'] },
    sandbox: 'read-only',
    model: 'm',
    instructions: { mode: 'append', text: 'Be brief.' },
  }

  test.each(['file', 'code'])(
    '%s: everything that a provider lacks is named before it is opened',
    async (from) => {
      using house = makeHouse()
      if (from === 'file') house.write('.claude/agents/few.md', preset(head, 'Be brief.'))
      await using here = place(house.source({ code: from === 'code' ? [asCode] : [] }), house.cwd)
      const refused = (provider: string) =>
        here.runtime.start({ provider, prompt: playing([{ say: 'x' }]), preset: 'few' })
      await expect(refused('nothing')).rejects.toMatchObject({
        code: 'UNSUPPORTED_CAPABILITY',
        data: {
          provider: 'nothing',
          missing: ['persona', 'toolFilter', 'sandbox', 'model'],
          fields: ['preset.instructions', 'preset.tools', 'preset.permissionMode', 'preset.model'],
          alternatives: ['all'],
        },
      })
      await expect(refused('persona')).rejects.toMatchObject({
        data: { missing: ['toolFilter', 'sandbox', 'model'] },
        message: expect.stringContaining('"preset.permissionMode" (--agent)'),
      })
      expect([...here.nothing.received, ...here.persona.received]).toEqual([])
      expect(await start(here, { preset: 'few' })).toMatchObject({
        preset: { ...asCode, tools: { allow: ['read'], deny: ['shell'] } },
        model: 'm',
        sandbox: 'read-only',
      })
    },
  )

  test('B14: the composition reaches the agent: a filtered tool is not there, an admitted one is', async () => {
    using house = makeHouse()
    house.write('.subgate/agents/few.md', preset('tools: []'))
    await using here = place(house.source(), house.cwd)
    expect((await start(here, { preset: 'few' }))?.preset).toEqual({ name: 'few', tools: { allow: [] } })
  })

  test('a faulty file rejects the start with its own error', async () => {
    using house = makeHouse()
    const file = house.write('.subgate/agents/bad.md', preset('skills: [x]'))
    await using here = place(house.source(), house.cwd)
    await expect(start(here, { preset: 'bad' })).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      data: { file, key: 'skills' },
    })
    await expect(start(here, { preset: 'none' })).rejects.toMatchObject({ code: 'PRESET_NOT_FOUND' })
    expect(here.all.received).toEqual([])
  })
})

describe("B7: names of tools become the provider's own", () => {
  test.each([
    [{ allow: ['Read', 'edit', 'Edit', 'MultiEdit'] }, { allow: ['read', 'edit'] }],
    [{ deny: ['Bash', 'shell'] }, { deny: ['shell'] }],
    [{ allow: [] }, { allow: [] }],
  ])('%j is %j', async (tools, own) => {
    await using here = place(code({ name: 'p', tools }), import.meta.dirname)
    expect((await start(here, { preset: 'p' }))?.preset?.tools).toEqual(own)
  })

  test.each([
    [{ allow: ['Reed'] }, 'Read'],
    [{ allow: ['Read'], deny: ['Teleport'] }, undefined],
    [{ allow: ['constructor'] }, undefined],
  ])('%j is refused with the known names', async (tools, suggestion) => {
    await using here = place(code({ name: 'p', tools }), import.meta.dirname)
    await expect(start(here, { preset: 'p' })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining('Its tools are Read, Bash, Edit, MultiEdit.'),
      data: { field: 'preset.tools', ...(suggestion !== undefined && { suggestion }) },
    })
    expect(here.all.received).toEqual([])
  })

  test('a provider without the row is refused by the gate, whatever the names', async () => {
    await using here = place(code({ name: 'p', tools: { allow: ['Raed'] } }), import.meta.dirname)
    await expect(start(here, { provider: 'persona', preset: 'p' })).rejects.toMatchObject({
      code: 'UNSUPPORTED_CAPABILITY',
    })
  })
})

describe("law 11: a preset's sandbox never widens", () => {
  const ORDER: readonly SandboxMode[] = ['read-only', 'workspace-write', 'danger-full-access']
  const pairs = ORDER.flatMap((own) => ORDER.map((other) => [own, other] as const))
  const narrower = (own: SandboxMode, other: SandboxMode) =>
    ORDER[Math.min(ORDER.indexOf(own), ORDER.indexOf(other))]

  test.each(pairs)('preset %s and request %s', async (sandbox, requested) => {
    await using here = place(code({ name: 'p', sandbox }), import.meta.dirname)
    const got = await start(here, { preset: 'p', sandbox: requested })
    expect(got?.sandbox).toBe(narrower(sandbox, requested))
  })

  test.each(pairs)("preset %s and the parent's override %s", async (sandbox, override) => {
    await using here = place(code({ name: 'p', sandbox }), import.meta.dirname)
    const parent = await here.runtime.start({
      provider: 'all',
      prompt: playing([{ say: 'x' }]),
      sandbox: override,
      keep: true,
    })
    await parent.result
    const got = await start(here, { preset: 'p', parent: { sessionId: parent.sessionId } })
    expect(got?.sandbox).toBe(narrower(sandbox, override))
    const events = got === undefined ? [] : here.store.read(got.sessionId, 0, 100).map(({ event }) => event)
    expect(events.filter(({ type }) => type === 'sandbox/mode')).toEqual([
      {
        type: 'sandbox/mode',
        mode: narrower(sandbox, override),
        source: ORDER.indexOf(sandbox) <= ORDER.indexOf(override) ? 'request' : 'delegation',
      },
    ])
  })

  test("a root's preset alone is what was asked for", async () => {
    await using here = place(code({ name: 'p', sandbox: 'read-only' }), import.meta.dirname)
    const got = await start(here, { preset: 'p' })
    const events = got === undefined ? [] : here.store.read(got.sessionId, 0, 100).map(({ event }) => event)
    expect(events[0]).toEqual({ type: 'sandbox/mode', mode: 'read-only', source: 'request' })
  })
})
