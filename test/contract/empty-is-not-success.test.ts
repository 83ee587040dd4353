/** C22: whatever the provider, only an answer is a success. */
import { describe, expect, test } from 'vitest'
import type { BehaviourCue, ProviderFixture } from '../../src/conformance/index.ts'
import { Stage, cueOf } from '../../src/conformance/stage.ts'
import type { SubagentResult } from '../../src/contract/result.ts'
import { scriptedProvider } from '../../src/testing/index.ts'
import { wholeAcpAgent } from '../fixtures/conformance/acp.ts'
import { plainFunction } from '../fixtures/conformance/function.ts'
import { scriptedFixture } from '../fixtures/conformance/scripted.ts'

const PROVIDERS: readonly (readonly [string, ProviderFixture])[] = [
  ['a scripted provider', scriptedFixture(() => scriptedProvider())],
  ['a function', plainFunction],
  ['an ACP agent', wholeAcpAgent],
]

/** What happened, and how it must come out (B10.3). */
const ENDINGS: readonly (readonly [BehaviourCue, Pick<SubagentResult, 'status' | 'category'>, string])[] = [
  ['silent', { status: 'empty', category: 'no_text' }, ''],
  ['blank', { status: 'empty', category: 'no_text' }, ''],
  ['toolsOnly', { status: 'empty', category: 'no_text' }, ''],
  ['refusal', { status: 'refused', category: 'refusal' }, 'I would rather not.'],
  ['truncation', { status: 'truncated', category: 'max_tokens' }, 'The first half'],
  ['fault', { status: 'failed' }, 'so far'],
]

describe.each(PROVIDERS)('C22: %s', (_, fixture) => {
  test.each(ENDINGS)('that ends with %s comes out as %o', async (name, ending, text) => {
    await using stage = await Stage.open(fixture, name)
    const { result } = await stage.play(cueOf(fixture, name).request(stage.place))
    expect(result).toMatchObject(ending)
    expect(result.text.trim()).toBe(text)
    if (name === 'fault') expect(result.error?.code).toMatch(/^(?:MODEL_ERROR|PROVIDER_FAULT|AGENT_ERROR)$/u)
  })
})
