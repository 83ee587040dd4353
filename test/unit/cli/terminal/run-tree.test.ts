/** The runs of one task as a tree: while they go on, and at the end. */
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { RunTree } from '../../../../src/cli/terminal/run-tree.ts'
import { inTreeOrder } from '../../../../src/cli/terminal/tree-order.ts'
import type { Under } from '../../../../src/cli/terminal/tree-order.ts'
import type { RunStatus } from '../../../../src/contract/result.ts'
import type { SubagentRun } from '../../../../src/contract/run.ts'

const UNICODE = { unicode: true }

const run = (id: string, parent?: string, more: { provider?: string; label?: string } = {}) =>
  ({
    id,
    sessionId: `s-${id}`,
    parentSessionId: parent && `s-${parent}`,
    provider: 'spawn',
    ...more,
  }) as unknown as SubagentRun

const started = (tree: RunTree, which: SubagentRun): void =>
  tree.take(which, { event: { type: 'run/started', provider: which.provider, depth: 0 } })
const settled = (tree: RunTree, which: SubagentRun, status: RunStatus, durationMs: number): void =>
  tree.take(which, { event: { type: 'run/settled', status, durationMs, denied: [] } })

const family = (): RunTree => {
  const tree = new RunTree((provider) => (provider === 'acp' ? 'my-agent' : provider))
  const runs = [
    run('root'),
    run('a', 'root', { provider: 'fork', label: 'look around' }),
    run('b', 'root', { provider: 'acp', label: 'write\n\u001B[2Jit' }),
    run('c', 'a', { label: 'deeper' }),
  ]
  for (const each of runs) started(tree, each)
  settled(tree, runs[3]!, 'completed', 900)
  settled(tree, runs[1]!, 'truncated', 65_000)
  settled(tree, runs[0]!, 'completed', 70_000)
  return tree
}

test('children stand below the run that delegated to them, with provider, label, status and time', () => {
  expect(family().lines(80, UNICODE)).toEqual([
    'spawn                  completed  1m10s',
    '├─ fork: look around   truncated  1m05s',
    '│  └─ spawn: deeper    completed  0s',
    '└─ my-agent: write it  running',
  ])
})

test('without Unicode the branches are plain characters', () => {
  expect(
    family()
      .lines(80, { unicode: false })
      .map((line) => line.slice(0, 8)),
  ).toEqual(['spawn   ', '|- fork:', '|  `- sp', '`- my-ag'])
})

test.each([30, 36, 60])('no line is wider than %i columns less one', (columns) => {
  for (const line of family().lines(columns, UNICODE)) expect(stringWidth(line)).toBeLessThan(columns)
})

test('a run without children is no tree', () => {
  const tree = new RunTree((provider) => provider)
  started(tree, run('root'))
  expect(tree.lines(80, UNICODE)).toEqual([])
})

test('thirty lines at most, and how many more', () => {
  const tree = new RunTree((provider) => provider)
  started(tree, run('root'))
  for (let each = 0; each < 40; each += 1) started(tree, run(`c${each}`, 'root'))
  expect(tree.lines(80, UNICODE)).toHaveLength(31)
  expect(tree.lines(80, UNICODE).at(-1)).toBe('+11')
})

const ordered = (runs: Readonly<Record<string, Under>>): readonly string[] => {
  const named = Object.entries(runs).map(([id, under]) => [id, { ...under, id }] as const)
  return inTreeOrder(new Map(named), UNICODE).map(({ run: { id }, branch }) => `${branch}${id}`)
}

test('what needs the person comes first, with all that it stands below', () => {
  expect(
    ordered({
      one: {},
      two: {},
      a: { under: 'two' },
      b: { under: 'two', needsYou: true },
      c: { under: 'one' },
    }),
  ).toEqual(['two', '├─ b', '└─ a', 'one', '└─ c'])
})

test('a child stays in sight when the run above it has gone', () => {
  expect(ordered({ child: { under: 'gone' }, below: { under: 'child' } })).toEqual(['child', '└─ below'])
})
