/** Structured output: the value of the first call that succeeded, and no other (B13.1). */
import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../../src/contract/json.ts'
import type { TurnOutcome } from '../../../src/contract/result.ts'
import { StructuredOutput } from '../../../src/agent/structured-output.ts'
import { endingOf } from '../../../src/runtime/ending.ts'
import { schemaCheck } from '../../../src/runtime/schema-check.ts'
import { answer, call, finish } from '../../fixtures/agent/scripted-model.ts'
import type { Answer } from '../../fixtures/agent/scripted-model.ts'
import { turnRig } from '../../fixtures/agent/turn-rig.ts'
import type { Rig, RigOptions } from '../../fixtures/agent/turn-rig.ts'

const NUMBER: JsonObject = {
  type: 'object',
  properties: { n: { type: 'number' } },
  required: ['n'],
  additionalProperties: false,
}

const submit = (id: string, input: JsonValue): ReturnType<typeof call> => call(id, 'submit_result', input)

const played = async (
  answers: readonly Answer[],
  schema: JsonObject = NUMBER,
  more: Partial<RigOptions> = {},
): Promise<{ readonly rig: Rig; readonly outcome: TurnOutcome }> => {
  const structured = new StructuredOutput(schema)
  const rig = turnRig({ answers, add: [structured.tool], structured, ...more })
  return { rig, outcome: await rig.run() }
}

test('the value of a call that succeeded is the turn’s', async () => {
  const { outcome } = await played([answer(submit('a', { n: 1 }))])
  expect(outcome).toMatchObject({ ended: 'completed', structured: { n: 1 } })
})

test('invalid arguments are a tool error, and the model tries again', async () => {
  const { rig, outcome } = await played([answer(submit('a', { n: 'x' })), answer(submit('b', { n: 2 }))])
  expect(rig.story()[2]).toMatch(/^call a failed: The arguments of submit_result don't fit its schema: \/n/u)
  expect(outcome.structured).toEqual({ n: 2 })
})

test.each<[string, readonly Answer[]]>([
  ['in a later step', [answer(submit('a', { n: 1 })), answer(submit('b', { n: 2 }))]],
  ['in the same step', [answer(submit('a', { n: 1 }), submit('b', { n: 2 }))]],
])('a second call after success is denied: %s', async (_, answers) => {
  const { rig, outcome } = await played(answers)
  expect(outcome.structured).toEqual({ n: 1 })
  expect(rig.story().find((line) => line.startsWith('call b failed'))).toMatch(/A second one is denied/u)
})

test('a call whose final result failed counts for nothing: a hook denied it', async () => {
  const { outcome } = await played([answer(submit('a', { n: 1 }))], NUMBER, {
    hooks: [() => ({ verdict: 'deny', reason: 'no' })],
  })
  expect(outcome).toEqual({
    ended: 'completed',
    structuredOnly: true,
    usage: { inputTokens: 20, outputTokens: 10 },
  })
})

test('a value stays its own when the turn is cut short later', async () => {
  const { outcome } = await played([answer(submit('a', { n: 1 })), [finish('length')]])
  expect(outcome).toMatchObject({ ended: 'truncated' })
  expect(outcome.structured).toBeUndefined()
})

describe('a schema for something else than an object', () => {
  test.each<[JsonObject, JsonValue]>([
    [{ type: 'array', items: { type: 'string' } }, ['a']],
    [{ type: 'number' }, 0],
    [{ type: 'boolean' }, false],
    [{ type: 'null' }, null],
    [{}, 'anything'],
    [{ $ref: '#/$defs/name', $defs: { name: { type: 'string' } } }, 'b'],
  ])('%j is asked for under "value", and the value is %j', async (schema, value) => {
    const { outcome } = await played([answer(submit('a', { value }))], schema)
    expect(outcome).toMatchObject({ ended: 'completed', structured: value })
  })

  test('and held to it', async () => {
    const schema = { $ref: '#/$defs/name', $defs: { name: { type: 'string' } } }
    const { rig } = await played([answer(submit('a', { value: 1 }))], schema)
    expect(rig.story()[2]).toMatch(/^call a failed: .+ \/value must be string/u)
  })
})

test('a clean finish without a value is SCHEMA_MISMATCH, also with no text at all', async () => {
  const { outcome } = await played([answer()])
  expect(outcome.structured).toBeUndefined()
  const check = await schemaCheck(NUMBER)
  const schema = check(outcome.structured, '')
  expect(endingOf({ stop: undefined, turned: { outcome }, text: '', schema })).toMatchObject({
    status: 'failed',
    category: 'schema',
    error: { code: 'SCHEMA_MISMATCH' },
  })
})
