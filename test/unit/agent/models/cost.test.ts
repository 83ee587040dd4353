/** What an answer cost: by the service's own word, else by the user's prices, else nobody knows. */
import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import { describe, expect, test } from 'vitest'
import { costByPrice, costInUsage } from '../../../../src/agent/models/cost.ts'
import { Spending } from '../../../../src/agent/spending.ts'

interface Tokens {
  readonly input?: number
  readonly output?: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly raw?: NonNullable<LanguageModelV4Usage['raw']>
}

const usage = ({ input, output, cacheRead, cacheWrite, raw }: Tokens): LanguageModelV4Usage => ({
  inputTokens: { total: input, noCache: undefined, cacheRead, cacheWrite },
  outputTokens: { total: output, text: undefined, reasoning: undefined },
  ...(raw !== undefined && { raw }),
})

describe('by prices', () => {
  test('a million tokens cost what the price says', () => {
    const cost = costByPrice({ input: 3, output: 15 })
    expect(cost(usage({ input: 1_000_000, output: 1_000_000 }))).toBe(18)
    expect(cost(usage({ input: 500_000, output: 0 }))).toBe(1.5)
  })

  test('what was read from the cache has a price of its own', () => {
    const tokens = usage({ input: 1_000_000, output: 0, cacheRead: 500_000 })
    expect(costByPrice({ input: 4, output: 0, cachedInput: 1 })(tokens)).toBe(2.5)
    expect(costByPrice({ input: 4, output: 0, cachedInput: 0 })(tokens)).toBe(2)
    expect(costByPrice({ input: 4, output: 0 })(tokens)).toBe(4)
  })

  test('what was written to the cache is input like any other', () => {
    const tokens = usage({ input: 1_000_000, output: 0, cacheWrite: 1_000_000 })
    expect(costByPrice({ input: 4, output: 0, cachedInput: 1 })(tokens)).toBe(4)
  })

  test.each([usage({ output: 5 }), usage({ input: 5 })])(
    'an answer without its tokens costs nobody knows what',
    (tokens) => {
      expect(costByPrice({ input: 1, output: 1 })(tokens)).toBeUndefined()
    },
  )
})

describe('by the word of the service', () => {
  test.each([
    [{ cost: 0.25 }, 0.25],
    [{ cost: 0 }, 0],
    [{ cost: 0.25, is_byok: false, cost_details: { upstream_inference_cost: 0.5 } }, 0.25],
    [{ cost: 0.25, is_byok: true, cost_details: { upstream_inference_cost: 0.5 } }, 0.75],
    [{ cost: 0.25, is_byok: true }, undefined],
    [{ cost: '0.25' }, undefined],
    [{ cost: -1 }, undefined],
    [{}, undefined],
  ] as const)('%j is %d', (raw, cost) => {
    expect(costInUsage(usage({ input: 1, output: 1, raw }))).toBe(cost)
  })

  test('an answer without usage of its own says nothing', () => {
    expect(costInUsage(usage({ input: 1, output: 1 }))).toBeUndefined()
  })
})

describe('a turn', () => {
  const step = usage({ input: 1_000_000, output: 0 })

  test('costs the sum of its steps', () => {
    const spending = new Spending(costByPrice({ input: 0.25, output: 0 }))
    spending.add(step)
    spending.add(step)
    expect(spending.usage).toEqual({ inputTokens: 2_000_000, outputTokens: 0, costUsd: 0.5 })
  })

  test('with one step of unknown cost costs nobody knows what, also when later ones are known', () => {
    const spending = new Spending(costInUsage)
    spending.add({ ...step, raw: { cost: 1 } })
    spending.add(step)
    spending.add({ ...step, raw: { cost: 1 } })
    expect(spending.usage).toEqual({ inputTokens: 3_000_000, outputTokens: 0 })
  })
})
