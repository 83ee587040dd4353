/** Depth and caps of a tree, as pure numbers. */
import { describe, expect, test } from 'vitest'
import { SubagentError } from '../../../src/contract/errors.ts'
import { deriveDepth, effectiveCap } from '../../../src/runtime/depth.ts'
import type { CapInputs } from '../../../src/runtime/depth.ts'

describe('B2.4: the cap', () => {
  test.each<[string, CapInputs, number | undefined]>([
    ["of a root is its start's number", { requested: 3, host: 1 }, 3],
    ['of a root without a number is none, whatever the host says', { host: 1 }, undefined],
    ["of a child is its tree's", { parent: { depth: 0, maxDepth: 4 }, host: 1 }, 4],
    ['of a child without any is the host setting', { parent: { depth: 0 }, host: 1 }, 1],
    [
      'of a child is its own request when that is lower',
      { parent: { depth: 0, maxDepth: 4 }, requested: 2 },
      2,
    ],
    ['of a child is not raised by its request', { parent: { depth: 0, maxDepth: 2 }, requested: 9 }, 2],
    [
      "of a child is not raised over the host's by its request",
      { parent: { depth: 0 }, requested: 9, host: 1 },
      1,
    ],
    [
      'of a child of a tool with a number leaves the host out',
      { parent: { depth: 0 }, operator: 5, host: 1 },
      5,
    ],
    [
      'of a child is the lowest of tree, request and operator',
      { parent: { depth: 1, maxDepth: 7 }, requested: 6, operator: 5, host: 1 },
      5,
    ],
    ['of a child is none where nobody gave one', { parent: { depth: 0 } }, undefined],
    ['of a child is none where code says so', { parent: { depth: 3 }, host: 'unbounded' }, undefined],
    [
      "of a child stays its request's where code sets no bound",
      { parent: { depth: 0 }, requested: 2, host: 'unbounded' },
      2,
    ],
  ])('%s', (_what, inputs, cap) => {
    expect(effectiveCap(inputs)).toBe(cap)
  })
})

describe('B2.1–B2.3: the depth', () => {
  test('of a root is 0, and a cap of 0 never refuses the root itself', () => {
    expect(deriveDepth({ requested: 0, host: 0 })).toEqual({ depth: 0, maxDepth: 0 })
    expect(deriveDepth({})).toEqual({ depth: 0 })
  })

  test('of a child is one more, equal to the cap passes', () => {
    expect(deriveDepth({ parent: { depth: 2, maxDepth: 3 } })).toEqual({ depth: 3, maxDepth: 3 })
  })

  test.each<[CapInputs, { attempted: number; max: number }]>([
    [{ parent: { depth: 3, maxDepth: 3 } }, { attempted: 4, max: 3 }],
    [{ parent: { depth: 0, maxDepth: 0 } }, { attempted: 1, max: 0 }],
    [
      { parent: { depth: 1 }, host: 1 },
      { attempted: 2, max: 1 },
    ],
    [
      { parent: { depth: 1, maxDepth: 5 }, requested: 1 },
      { attempted: 2, max: 1 },
    ],
  ])('beyond the cap of %j is DEPTH_EXCEEDED', (inputs, data) => {
    const error = thrown(() => deriveDepth(inputs))
    expect([error.code, error.phase, error.data]).toEqual(['DEPTH_EXCEEDED', 'depth', data])
  })

  test.each([Number.MAX_SAFE_INTEGER, Number.NaN, -2, 0.5])(
    'B2.2: from a malformed stored depth of %d is refused',
    (depth) => {
      expect(thrown(() => deriveDepth({ parent: { depth } })).code).toBe('INVALID_REQUEST')
    },
  )
})

const thrown = (call: () => unknown): SubagentError => {
  try {
    call()
  } catch (error) {
    if (SubagentError.is(error)) return error
    throw error
  }
  throw new Error('Nothing was thrown.')
}
