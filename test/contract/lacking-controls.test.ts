/** A control that Codex or Claude Code lacks is refused on every route, before anything is told to it (laws 1, 2). */
import { expect, test } from 'vitest'
import { CAPABILITY_IDS } from '../../src/capabilities/catalog.ts'
import { ASKING, asking } from '../../src/conformance/asking.ts'
import type { CapabilityId } from '../../src/contract/capabilities.ts'
import type { SubagentProvider } from '../../src/contract/provider.ts'
import type { Preset, PresetSource, SubagentStartRequest } from '../../src/contract/request.ts'
import type { SubagentRun } from '../../src/contract/run.ts'
import type { GatewayRuntime } from '../../src/runtime/subagent-runtime.ts'
import { claude } from '../fixtures/claude/house.ts'
import { codex } from '../fixtures/codex/house.ts'
import { rejection, text } from '../fixtures/house.ts'
import { LACKING, NATIVE_NAMES, PAIRS } from '../fixtures/lacking.ts'
import type { NativeName } from '../fixtures/lacking.ts'

interface Home {
  readonly runtime: GatewayRuntime
  readonly provider: SubagentProvider
  /** How much was told to the program, its start included. */
  readonly told: () => number
}

const homeOf = (name: NativeName, preset?: Preset): Home => {
  const presets: PresetSource = {
    find: async (asked) => (asked === preset?.name ? preset : undefined),
    names: async () => (preset === undefined ? [] : [preset.name]),
  }
  const house = name === 'codex' ? codex({}, { presets }) : claude({}, { presets })
  const { provider } = house.runtime.providers.get(name)
  return { runtime: house.runtime, provider, told: () => house.log().length }
}

const PLACE = { workspace: '/', elsewhere: '/', marker: '/marker' }

/** A start that asks for one row alone. */
const asksFor = (provider: NativeName, row: CapabilityId) => {
  const { start, preset } = asking({ prompt: text('Go') }, [row], PLACE)
  return { request: { ...start, provider } as SubagentStartRequest, preset }
}

const finished = async (starting: Promise<SubagentRun>): Promise<SubagentRun> => {
  const run = await starting
  expect(await run.result).toMatchObject({ status: 'completed' })
  return run
}

const refusal = (provider: NativeName, row: CapabilityId): object => ({
  code: 'UNSUPPORTED_CAPABILITY',
  phase: 'gate',
  data: { provider, missing: [row] },
})

test.each(NATIVE_NAMES)('%s lacks what the table says, and each other row passes the gate', async (name) => {
  const { capabilities } = homeOf(name).provider
  expect(CAPABILITY_IDS.filter((row) => capabilities[row] === 'none')).toEqual(LACKING[name])
  for (const row of CAPABILITY_IDS) {
    if (ASKING[row] === undefined) continue
    const { request, preset } = asksFor(name, row)
    const check = homeOf(name, preset).runtime.check(request)
    if (capabilities[row] === 'none') await expect(check).rejects.toMatchObject(refusal(name, row))
    else await check
  }
})

const ASKED = PAIRS.filter(([, row]) => ASKING[row] !== undefined)

test.each(ASKED)('%s refuses %s at a start, and starts nothing', async (name, row) => {
  const { request, preset } = asksFor(name, row)
  const { runtime, told } = homeOf(name, preset)
  expect(await rejection(runtime.start(request))).toMatchObject(refusal(name, row))
  expect(told()).toBe(0)
  expect(runtime.load).toEqual({ active: 0, queued: 0 })
})

test.each(ASKED)('%s refuses %s of a child, a resume, a copy and a follow-up', async (name, row) => {
  const { request, preset } = asksFor(name, row)
  const { runtime, told } = homeOf(name, preset)
  const plain: SubagentStartRequest = { provider: name, prompt: text('One') }
  const ended = await finished(runtime.start(plain))
  const kept = await finished(runtime.start({ ...plain, keep: true }))
  const before = told()
  const refused = async (more: Partial<SubagentStartRequest>): Promise<unknown> =>
    rejection(runtime.start({ ...request, ...more }))

  expect(await refused({ parent: { sessionId: kept.sessionId } })).toMatchObject(refusal(name, row))
  expect(await refused({ session: { from: 'fork', sessionId: ended.sessionId } })).toMatchObject(
    refusal(name, row),
  )
  for (const { sessionId } of [ended, kept]) {
    const error = await refused({ session: { from: 'resume', sessionId } })
    // Instructions and tools are a new session's alone: there a preset can't even be named.
    const ofPreset = { code: 'INVALID_REQUEST', phase: 'resolve', data: { field: 'preset' } }
    expect(error).toMatchObject(request.preset === undefined ? refusal(name, row) : ofPreset)
  }
  expect(told()).toBe(before)
})

test.each(PAIRS.filter(([, row]) => row === 'steer'))('%s refuses %s of a running turn', async (name) => {
  const house = claude({ turns: { Go: [{ say: 'so far' }, { hang: true }] } })
  const run = await house.start('Go')
  expect(await rejection(run.steer(text('And this.')))).toMatchObject({
    code: 'UNSUPPORTED_CAPABILITY',
    data: { provider: name, missing: ['steer'] },
  })
  run.cancel()
  expect(await run.result).toMatchObject({ status: 'cancelled' })
  expect(house.log().filter(({ prompt }) => prompt !== undefined)).toHaveLength(1)
})
