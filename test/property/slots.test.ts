/** Random trees of runs against small limits: all settle, and never more than the limits run at once (C26). */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { SubagentError } from '../../src/contract/errors.ts'
import type { TurnOutcome } from '../../src/contract/result.ts'
import type { Turn } from '../../src/contract/provider.ts'
import { checkIdle, house, text } from '../fixtures/house.ts'
import { puppet } from '../fixtures/puppet.ts'
import type { PuppetTurn } from '../fixtures/puppet.ts'

interface Tree {
  readonly provider: 'a' | 'b'
  readonly together: boolean
  readonly ends: 'well' | 'badly'
  readonly children: readonly Tree[]
}

const { tree } = fc.letrec<{ tree: Tree; leaf: Tree }>((tie) => ({
  leaf: fc.record({
    provider: fc.constantFrom('a' as const, 'b' as const),
    together: fc.boolean(),
    ends: fc.constantFrom('well' as const, 'badly' as const),
    children: fc.constant([]),
  }),
  tree: fc.oneof(
    { maxDepth: 4, depthSize: 'medium', withCrossShrink: true },
    tie('leaf'),
    fc.record({
      provider: fc.constantFrom('a' as const, 'b' as const),
      together: fc.boolean(),
      ends: fc.constantFrom('well' as const, 'badly' as const),
      children: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
    }),
  ),
}))

const sizeOf = ({ children }: Tree): number => 1 + children.reduce((sum, child) => sum + sizeOf(child), 0)

interface Count {
  working: number
  most: number
  readonly own: Record<string, number>
  readonly mostOwn: Record<string, number>
  refused: number
  settled: number
}

/** Plays a tree; only what isn't waiting for children counts as working. */
const player = (count: Count) => {
  const work = (provider: string, by: 1 | -1): void => {
    count.working += by
    count.own[provider] = (count.own[provider] ?? 0) + by
    count.most = Math.max(count.most, count.working)
    count.mostOwn[provider] = Math.max(count.mostOwn[provider] ?? 0, count.own[provider])
  }
  const child = async (turn: Turn, node: Tree): Promise<void> => {
    try {
      const run = await turn.delegation.start({
        provider: node.provider,
        prompt: text(JSON.stringify(node)),
      })
      await run.result
    } catch (error) {
      if (!SubagentError.is(error) || error.code !== 'CAPACITY_EXCEEDED') throw error
      count.refused += 1
    }
  }
  return async (self: PuppetTurn): Promise<TurnOutcome> => {
    const { turn } = self
    const [block] = turn.request.prompt
    const node = JSON.parse(block?.type === 'text' ? block.text : '') as Tree
    const { provider } = node
    work(provider, 1)
    self.say('x')
    await new Promise((resolve) => setImmediate(resolve))
    work(provider, -1)
    if (node.together) await Promise.all(node.children.map((each) => child(turn, each)))
    else for (const each of node.children) await child(turn, each)
    work(provider, 1)
    await Promise.resolve()
    work(provider, -1)
    count.settled += 1
    if (node.ends === 'badly') throw new Error('as the tree says')
    return { ended: 'completed' }
  }
}

const run = async (trees: readonly Tree[], total: number, queue: number, own: number): Promise<Count> => {
  const count: Count = { working: 0, most: 0, own: {}, mostOwn: {}, refused: 0, settled: 0 }
  const play = player(count)
  const provider = (name: string) => puppet({ name, play })
  await using home = house({
    puppet: provider('a'),
    providers: [{ provider: provider('b'), settings: { concurrency: own } }],
    settings: { concurrency: { total, queue }, maxDepth: 9 },
  })
  const roots = await Promise.allSettled(
    trees.map(async (each) => {
      const started = await home.start({ provider: each.provider, prompt: text(JSON.stringify(each)) })
      return started.result
    }),
  )
  count.refused += roots.filter(({ status }) => status === 'rejected').length
  checkIdle(home)
  return count
}

const forest = fc.array(tree, { minLength: 1, maxLength: 4 })

test('C26: all runs of random trees settle, and never more than the limits run at once', async () => {
  await fc.assert(
    fc.asyncProperty(
      forest,
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 2 }),
      async (trees, total, own) => {
        const count = await run(trees, total, 10_000, own)
        expect(count.most).toBeLessThanOrEqual(total)
        expect(count.mostOwn['b'] ?? 0).toBeLessThanOrEqual(own)
        expect([count.refused, count.settled]).toEqual([
          0,
          trees.reduce((sum, each) => sum + sizeOf(each), 0),
        ])
      },
    ),
    { numRuns: 60 },
  )
}, 60_000)

test('C26: with a short queue what does not fit is refused by name, and the rest settles', async () => {
  await fc.assert(
    fc.asyncProperty(forest, fc.integer({ min: 1, max: 2 }), fc.nat(2), async (trees, total, queue) => {
      const count = await run(trees, total, queue, 1)
      expect(count.most).toBeLessThanOrEqual(total)
      expect(count.working).toBe(0)
    }),
    { numRuns: 40 },
  )
}, 60_000)
