/** Model, effort and the mode that makes an agent ask: set by what its session offers, or refused. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import { acp, received } from '../fixtures/acp-house.ts'
import type { AcpHouse } from '../fixtures/acp-house.ts'
import { rejection } from '../fixtures/house.ts'

const nothingLeft = (house: AcpHouse): void => {
  expect(house.runtime.load).toEqual({ active: 0, queued: 0 })
  expect(house.supervisor.live()).toEqual([])
}

const select = (id: string, category: string, values: readonly string[]): object => ({
  id,
  category,
  type: 'select',
  name: id,
  currentValue: values[0],
  options: values.map((value) => ({ value, name: value.toUpperCase() })),
})

const configOptions = [
  select('m', 'model', ['small', 'large']),
  select('t', 'thought_level', ['low', 'high']),
]

const script: readonly FakeStep[] = [
  ...acpHandshake().slice(0, 3),
  { reply: { sessionId: 's1', configOptions } },
  { on: 'session/set_config_option', do: [{ reply: { configOptions } }] },
  ...acpTurn(['ok']),
]

describe('model and effort', () => {
  test('are set by the options that the session offers, by value or by name', async () => {
    const house = acp(script)
    const run = await house.start({ model: 'large', effort: 'HIGH' })
    expect((await run.result).status).toBe('completed')
    expect(received(house, 'session/set_config_option').map(({ params }) => params)).toEqual([
      { sessionId: 's1', configId: 'm', value: 'large' },
      { sessionId: 's1', configId: 't', value: 'high' },
    ])
  })

  test('that are not offered are refused with what is', async () => {
    const house = acp(script)
    const error = await rejection(house.start({ model: 'larg' }))
    expect([error.code, error.phase, error.data]).toEqual([
      'INVALID_REQUEST',
      'session',
      { field: 'model', suggestion: 'large' },
    ])
    expect(error.message).toContain('It offers: small, large.')
    nothingLeft(house)
  })
})

const offering = (offered: object): readonly FakeStep[] => [
  ...acpHandshake().slice(0, 3),
  { reply: { sessionId: 's1', ...offered } },
  { on: 'session/set_mode', do: [{ reply: {} }] },
  { expect: 'session/prompt' },
  { dump: ['env'] },
  { reply: { stopReason: 'end_turn' } },
]

describe('an agent that is known to ask', () => {
  const known = {
    name: 'k',
    title: 'K',
    program: 'k',
    args: [],
    asks: { modeId: 'careful', env: { ASK: '1' } },
  }
  const modes = { currentModeId: 'free', availableModes: [{ id: 'careful', name: 'Careful' }] }

  test('is put into its mode, unless everything is allowed', async () => {
    const house = acp(offering({ modes }), { known })
    const asking = await (await house.start({ permission: 'deny' })).result
    expect(received(house, 'session/set_mode').map(({ params }) => params)).toEqual([
      { sessionId: 's1', modeId: 'careful' },
    ])
    expect(JSON.parse(asking.text)).toMatchObject({ env: { ASK: '1' } })
    const free = await (await house.start({ permission: 'allow' })).result
    expect(received(house, 'session/set_mode')).toHaveLength(1)
    expect(JSON.parse(free.text).env).not.toHaveProperty('ASK')
  })

  test('but does not offer the mode can be held to no policy', async () => {
    const house = acp(offering({}), { known })
    expect((await rejection(house.start({ permission: 'deny' }))).data).toMatchObject({
      missing: ['permissions'],
    })
    nothingLeft(house)
  })
})

test('B4.4: an agent that is not known to ask is refused an explicit policy before anything is started', async () => {
  const house = acp([...acpHandshake(), ...acpTurn(['ok'])])
  for (const permission of ['deny', 'ask', 'allow-reads'] as const) {
    expect((await rejection(house.start({ permission }))).data).toMatchObject({ missing: ['permissions'] })
  }
  expect(existsSync(join(house.dir, 'fake.jsonl'))).toBe(false)
  const run = await house.start({ permission: 'allow' })
  expect((await run.result).status).toBe('completed')
  expect(readFileSync(join(house.dir, 'fake.jsonl'), 'utf8')).toContain('session/prompt')
})
