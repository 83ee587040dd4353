/** The delegation tool: what it is mounted on, what it says, and how its children's ends reach the model. */
import { describe, expect, test } from 'vitest'
import { SubagentError } from '../../../src/contract/errors.ts'
import type { SubagentResult } from '../../../src/contract/result.ts'
import { BACKGROUND_CAP, mountDelegation } from '../../../src/agent/delegation-tool.ts'
import type { DelegationBinding, MountedDelegation } from '../../../src/agent/delegation-tool.ts'
import { fakeDelegation } from '../../fixtures/agent/delegation.ts'
import type { FakeDelegation, FakeOptions } from '../../fixtures/agent/delegation.ts'
import { answer, call, says } from '../../fixtures/agent/scripted-model.ts'
import { turnRig } from '../../fixtures/agent/turn-rig.ts'
import type { Rig } from '../../fixtures/agent/turn-rig.ts'

const mount = (more: Partial<DelegationBinding> = {}, fake: FakeOptions = {}): MountedDelegation =>
  mountDelegation(
    { name: 'subagent', provider: 'helper', ...more },
    { delegation: fakeDelegation(fake), background: { open: 0 } },
  )

const task = (description: string, background?: boolean): object => ({
  description,
  prompt: `Do ${description}.`,
  ...(background !== undefined && { run_in_background: background }),
})

const rigOf = (
  delegation: FakeDelegation,
  answers: Parameters<typeof turnRig>[0]['answers'],
  binding: Partial<DelegationBinding> = {},
): Rig => {
  const rig = turnRig({ answers, add: [] })
  const { tool } = mountDelegation(
    { name: 'subagent', provider: 'helper', ...binding },
    { delegation, background: { open: 0 } },
  )
  rig.tools.add(tool)
  return rig
}

describe('B2.5: mounting', () => {
  test('a number on a provider without a depth limit fails, with the advice for provider-managed', () => {
    expect(() => mount({ maxDepth: 2 }, { depthLimit: 'none' })).toThrow(
      expect.objectContaining({
        code: 'UNSUPPORTED_CAPABILITY',
        data: {
          provider: 'helper',
          missing: ['depthLimit'],
          fields: ['tools.subagent.maxDepth'],
          alternatives: [],
        },
        message: expect.stringContaining('"provider-managed"') as string,
      }),
    )
  })

  test.each([undefined, 'provider-managed' as const])(
    '%s mounts anywhere, and leaves recursion to it',
    (maxDepth) => {
      const { tool } = mount(maxDepth === undefined ? {} : { maxDepth }, { depthLimit: 'none' })
      expect(tool.description).toContain("Whether it delegates further is helper's own affair.")
    },
  )

  test('a number on a provider with one is said in the description', () => {
    expect(mount({ maxDepth: 2 }).tool.description).toContain('down to depth 2')
  })

  test.each([-1, 1.5, -0, Number.NaN, Infinity, 2 ** 53])('B2.2: the number %s is refused', (maxDepth) => {
    expect(() => mount({ maxDepth })).toThrow(/tools\.subagent\.maxDepth must be a whole number from 0/u)
  })

  test('an unknown provider is refused by name', () => {
    expect(() => mount({ provider: 'nobody' })).toThrow(/"nobody", but no provider has this name/u)
  })

  test.each([
    [false, 'It knows nothing of this conversation'],
    [true, 'It knows the completed turns of this conversation'],
  ])('whether the child inherits the conversation (%s) is said', (inherits, said) => {
    expect(mount({}, { inherits }).tool.description).toContain(said)
  })
})

describe('B2.6: at the cap', () => {
  const at = (current: number, cap?: number): FakeOptions => ({
    depth: ({ operatorMaxDepth: number } = {}) => {
      const caps = [cap, number].filter((each) => each !== undefined)
      return { current, ...(caps.length > 0 && { cap: Math.min(...caps) }) }
    },
  })

  test.each<[Partial<DelegationBinding>, FakeOptions, boolean]>([
    [{}, at(1, 1), true],
    [{}, at(0, 1), false],
    [{}, at(3), false],
    [{ maxDepth: 1 }, at(1), true],
    [{ maxDepth: 5 }, at(1, 1), true],
  ])('%j %j: the notice holds: %s', (binding, fake, holds) => {
    const text = mount(binding, fake).notice?.text() ?? ''
    expect(text.includes('Do the work directly.')).toBe(holds)
  })

  test('the notice is read live', () => {
    let current = 0
    const { notice } = mount({}, { depth: () => ({ current, cap: 1 }) })
    expect(notice?.text()).toBe('')
    current = 1
    expect(notice?.text()).not.toBe('')
  })

  test('includeRuntimeContext: false suppresses the notice and leaves the guard', async () => {
    expect(mount({ includeRuntimeContext: false }, at(1, 1)).notice).toBeUndefined()
    const tooDeep = new SubagentError('DEPTH_EXCEEDED', 'depth', 'Too deep.', { attempted: 2, max: 1 })
    const delegation = fakeDelegation({ refuse: () => tooDeep })
    const rig = rigOf(delegation, [answer(call('a', 'subagent', task('x')))], {
      includeRuntimeContext: false,
    })
    await rig.run()
    expect(rig.tools.names()).toEqual(['subagent'])
    expect(rig.story()).toContain('call a failed: No subagent was started. DEPTH_EXCEEDED: Too deep.')
    expect(delegation.children).toEqual([])
  })
})

describe('a child', () => {
  test('B2.4: gets the prompt and its label, and beside the request the number of the operator', async () => {
    const delegation = fakeDelegation({ ends: {} })
    await rigOf(delegation, [answer(call('a', 'subagent', task('x')))], { maxDepth: 2 }).run()
    await rigOf(delegation, [answer(call('a', 'subagent', task('y')))], {
      maxDepth: 'provider-managed',
    }).run()
    await rigOf(delegation, [answer(call('a', 'subagent', task('z', true)))], { maxDepth: 3 }).run()
    expect(delegation.children.map(({ request }) => request)).toEqual([
      { provider: 'helper', prompt: [{ type: 'text', text: 'Do x.' }], label: 'x' },
      { provider: 'helper', prompt: [{ type: 'text', text: 'Do y.' }], label: 'y' },
      { provider: 'helper', prompt: [{ type: 'text', text: 'Do z.' }], label: 'z', keep: true },
    ])
    expect(delegation.children.map(({ operatorMaxDepth }) => operatorMaxDepth)).toEqual([2, undefined, 3])
  })

  test('B12.1: runs beside its siblings of the same step', async () => {
    const delegation = fakeDelegation()
    const rig = rigOf(delegation, [
      answer(call('a', 'subagent', task('x')), call('b', 'subagent', task('y'))),
    ])
    const running = rig.run()
    await expect.poll(() => delegation.children.length).toBe(2)
    delegation.children[1]?.end({ text: 'second' })
    delegation.children[0]?.end({ text: 'first' })
    await running
    expect(rig.asked(1).at(-1)).toMatchObject({
      content: [{ output: { value: 'first' } }, { output: { value: 'second' } }],
    })
  })

  test.each<[Partial<SubagentResult>, string]>([
    [{ status: 'completed', text: 'Done.' }, 'completed: Done.'],
    [{ status: 'completed', text: '', structured: { n: 1 } }, 'completed: {"n":1}'],
    [
      {
        status: 'completed',
        text: 'Done.',
        denied: [{ title: 'rm', kind: 'delete', flag: '--permission allow' }],
      },
      'completed: Done.\n\nPolicy denied it: rm.',
    ],
    [
      { status: 'empty', category: 'no_text', text: '' },
      'failed: The subagent ended without an answer: no_text',
    ],
    [
      { status: 'truncated', category: 'max_tokens', text: 'Half' },
      'failed: The subagent was cut off at a limit: max_tokens\n\nWhat it had said till then:\nHalf',
    ],
    [{ status: 'refused', category: 'refusal', text: '' }, 'failed: The subagent declined the task: refusal'],
    [
      { status: 'cancelled', category: 'request', text: 'Half' },
      'failed: The subagent was cancelled: request\n\nWhat it had said till then:\nHalf',
    ],
    [
      {
        status: 'failed',
        category: 'model',
        text: '',
        error: { code: 'MODEL_ERROR', message: 'No model.', phase: 'prompt', retryable: true, data: {} },
      },
      'failed: The subagent failed: No model.',
    ],
  ])('B12.2: that ends with %j is told as: %s', async (ends, told) => {
    const rig = rigOf(fakeDelegation({ ends }), [answer(call('a', 'subagent', task('x')))])
    await rig.run()
    expect(rig.story()).toContain(`call a ${told}`)
  })

  test('is cancelled with the call that waits for it', async () => {
    const delegation = fakeDelegation()
    const rig = rigOf(delegation, [answer(call('a', 'subagent', task('x')))])
    const running = rig.run()
    await expect.poll(() => delegation.children.length).toBe(1)
    rig.abort.abort()
    expect(await running).toMatchObject({ ended: 'cancelled' })
    expect(delegation.children[0]?.signal?.aborted).toBe(true)
  })
})

describe('in the background', () => {
  test('B12.1: the child is kept, the call returns at once with its name, and the child outlives the call', async () => {
    const delegation = fakeDelegation()
    const rig = rigOf(delegation, [
      answer(call('a', 'subagent', task('x', true))),
      answer(...says('Waiting.')),
    ])
    expect(await rig.run()).toMatchObject({ ended: 'completed' })
    expect(delegation.children[0]?.request).toEqual({
      provider: 'helper',
      prompt: [{ type: 'text', text: 'Do x.' }],
      label: 'x',
      keep: true,
    })
    expect(delegation.children[0]?.signal?.aborted).toBe(false)
    expect(rig.story().slice(3)).toEqual([
      'call a completed: The subagent works in the background as agent run_1. Its reports and its answer come to you as messages.',
      'text: Waiting.',
    ])
  })

  test(`B12.1: at most ${BACKGROUND_CAP} of one owner run at a time, also when one step asks for more`, async () => {
    const delegation = fakeDelegation()
    const calls = Array.from({ length: 10 }, (_, n) => call(`c${n}`, 'subagent', task(`t${n}`, true)))
    const rig = rigOf(delegation, [answer(...calls)])
    expect(await rig.run()).toMatchObject({ ended: 'completed' })
    expect(delegation.children).toHaveLength(8)
    expect(
      rig.story().filter((line) => line.includes('8 subagents run in the background already')),
    ).toHaveLength(2)
  })

  test('a refused start is an errored result, and counts for nothing', async () => {
    const full = new SubagentError('CAPACITY_EXCEEDED', 'capacity', 'Full.', {
      active: 8,
      queued: 64,
      max: 8,
    })
    const calls = Array.from({ length: 9 }, (_, n) => call(`c${n}`, 'subagent', task(`t${n}`, true)))
    const rig = rigOf(fakeDelegation({ refuse: () => full }), [
      answer(...calls.slice(0, 8)),
      answer(...calls.slice(8)),
    ])
    expect(await rig.run()).toMatchObject({ ended: 'completed' })
    expect(
      rig.story().filter((line) => line.endsWith('No subagent was started. CAPACITY_EXCEEDED: Full.')),
    ).toHaveLength(9)
  })
})
