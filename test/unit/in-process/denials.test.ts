/** What policy denied a delegated child stands in its result, with what would have allowed it (B4.1, B10.3). */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exitCodeOf } from '../../../src/contract/endings.ts'
import { agents, call, delegate, toolResults } from '../../fixtures/in-process.ts'
import type { Agents } from '../../fixtures/in-process.ts'

const parentOf = async (home: Agents, more = {}) => ({
  sessionId: (await home.play('say: ready', { keep: true, ...more })).sessionId,
})

test('B10.3: a pinned rejection is a denial: completed, and exit 5', async () => {
  await using home = agents()
  const parent = await parentOf(home)
  const path = join(home.workspace, '../beyond-the-workspace')
  const child = await home.play([call('write', { path, content: 'x' }), 'say: tried'].join('\n'), { parent })
  const denied = [{ title: `Write ${path}`, kind: 'edit', flag: '--sandbox danger-full-access' }]
  expect([child.status, child.denied, exitCodeOf(child)]).toEqual(['completed', denied, 5])
  const settled = home.entries(child.sessionId).at(-1)?.event
  expect(settled).toMatchObject({ type: 'run/settled', denied })
})

test('B10.3: under read-only what is inside needs no more than workspace-write', async () => {
  await using home = agents()
  const parent = await parentOf(home, { sandbox: 'read-only' })
  const script = [call('write', { path: 'a.txt', content: 'x' }), 'say: tried'].join('\n')
  const child = await home.play(script, { parent })
  expect(child.denied).toEqual([{ title: 'Write a.txt', kind: 'edit', flag: '--sandbox workspace-write' }])
})

test('B10.3: a denial outlives a turn that failed, was cancelled, or was cut off', async () => {
  await using home = agents()
  const parent = await parentOf(home, { sandbox: 'read-only' })
  const write = call('write', { path: 'a.txt', content: 'x' })
  const failed = await home.play([write, 'fail 400: No.'].join('\n'), { parent })
  const cut = await home.play([write, 'length: So'].join('\n'), { parent })
  const run = await home.start([write, 'say: so far', 'hang:'].join('\n'), { parent })
  for await (const { event } of run.events())
    if (JSON.stringify(event).includes('"text":" far"')) run.cancel()
  const cancelled = await run.result
  expect([failed, cut, cancelled].map(({ status, denied }) => [status, denied.length])).toEqual([
    ['failed', 1],
    ['truncated', 1],
    ['cancelled', 1],
  ])
})

test('B4.6: where a hook asks, nothing that a person types would allow it', async () => {
  const asks = { verdict: 'ask', reason: 'this deployment looks at every read' } as const
  await using home = agents({ deployment: { hooks: [({ tool }) => (tool === 'glob' ? asks : undefined)] } })
  const parent = await parentOf(home)
  const child = await home.play([call('glob', { pattern: '*' }), 'say: tried'].join('\n'), { parent })
  expect(child.denied).toMatchObject([{ kind: 'search', flag: 'nothing' }])
})

test('B12.2: the parent hears of what its child was denied, and has no denial of its own', async () => {
  await using home = agents()
  const root = await home.play(
    delegate('subagent', [call('ask', { question: 'May I?' }), 'say: no'].join('\n')),
  )
  expect(toolResults(home.entries(root.sessionId))).toEqual(['completed: no\n\nPolicy denied it: May I?.'])
  expect([root.status, root.denied]).toEqual(['completed', []])
})

test("B10.3: a root's question that policy answered is one denial, with the policy that would have allowed it", async () => {
  await using home = agents()
  const root = await home.play([call('ask', { question: 'May I?' }), 'say: no'].join('\n'))
  expect(root.denied).toEqual([{ title: 'May I?', kind: 'other', flag: '--permission allow' }])
})

test('a person answers a question of a root', async () => {
  await using home = agents()
  const script = [call('ask', { question: 'May I?' })].join('\n')
  const answers = await Promise.all(
    ['allow', 'reject'].map(async (optionId) => {
      const run = await home.start(script, {}, true)
      for await (const { event } of run.events())
        if (event.type === 'permission/requested') run.respond(event.id, { outcome: 'selected', optionId })
      const { text, denied } = await run.result
      return [text, denied]
    }),
  )
  expect(answers).toEqual([
    ['Yes.', []],
    ['No. Go on without it, and say in your answer what you left undone.', []],
  ])
})
