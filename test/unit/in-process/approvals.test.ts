/** Approvals of built-in agents: pinned for a delegated child, explicit for a root, and told to the model (B4). */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { SetupScope } from '../../../src/contract/provider.ts'
import type { SessionId } from '../../../src/contract/ids.ts'
import { codeOf, text } from '../../fixtures/house.ts'
import { agents, call, delegate, keepingScopes } from '../../fixtures/in-process.ts'
import { overheard, statementsIn, systemOf, toolResults } from '../../fixtures/in-process.ts'
import { mode, PIN, policyOf, sameAsFolded } from '../../fixtures/inherited-policy.ts'
import type { Asked } from '../../fixtures/in-process.ts'

test('B4.1: under never an ask is rejected before anybody is asked, and leaves its pair on the log of the child', async () => {
  await using home = agents({ settings: { permission: 'allow' } })
  const file = join(home.workspace, '../beyond-the-workspace')
  const run = await home.start(delegate('subagent', call('write', { path: file, content: 'x' })), {}, true)
  await run.result
  const child = home.entries(home.ids[1])
  const pair = child.flatMap(({ event }) =>
    event.type === 'approval/asked' || event.type === 'approval/decided' ? [event] : [],
  )
  expect(pair).toMatchObject([
    { type: 'approval/asked', kind: 'edit' },
    { type: 'approval/decided', decision: 'rejected', by: 'policy' },
  ])
  expect(pair[0]?.id).toBe(pair[1]?.id)
  expect(child.map(({ event }) => event.type)).not.toContain('permission/requested')
  expect(existsSync(file)).toBe(false)
})

test('B4.1, B4.6: what a hook asks in a child is rejected in the same way', async () => {
  const asks = { verdict: 'ask', reason: 'this deployment looks at every read' } as const
  await using home = agents({
    settings: { permission: 'allow' },
    deployment: { hooks: [({ tool }) => (tool === 'glob' ? asks : undefined)] },
  })
  await home.play(delegate('subagent', [call('glob', { pattern: '*' }), 'say: tried'].join('\n')))
  const child = home.entries(home.ids[1])
  expect(toolResults(child)).toEqual([
    'failed: It needs an approval, and the approval was rejected. (this deployment looks at every read)',
  ])
  expect(child.filter(({ event }) => event.type === 'approval/decided')).toHaveLength(1)
})

test('B4.3: a child is told its policies in order, its scope, and where the approval policy comes from', async () => {
  await using home = agents()
  await home.play(delegate('subagent', 'say: done'), { sandbox: 'read-only' })
  const [root, child] = home.ids
  const [said = '', ...more] = statementsIn(home.entries(child))
  expect(more).toEqual([])
  const places = ['Sandbox: read-only.', 'Approvals: never.', 'You work for another agent']
  expect(places.map((words) => said.indexOf(words) > 0)).toEqual([true, true, true])
  expect(places.map((words) => said.indexOf(words)).toSorted((a, b) => a - b)).toEqual(
    places.map((words) => said.indexOf(words)),
  )
  expect(said).toContain('This policy came with the delegation.')
  const [own = ''] = statementsIn(home.entries(root))
  expect(own).toContain('Approvals: ask.')
  expect(own).not.toContain('You work for another agent')
})

test('B4.3: the system prompt of parent, spawn and fork is the same to the byte', async () => {
  const asked: Asked = []
  await using home = agents({ deployment: { loadModel: overheard(asked) } })
  await home.play([delegate('subagent', 'say: one'), delegate('clone', 'say: two')].join('\n'), {
    sandbox: 'read-only',
  })
  expect(home.ids).toHaveLength(3)
  expect(asked).toHaveLength(5)
  expect(asked[0] && systemOf(asked[0])).toContain('You are a coding agent.')
  expect(new Set(asked.map(systemOf)).size).toBe(1)
})

test.each(['ask', 'allow-reads', 'allow'] as const)(
  'B1.3, B4.4: permission "%s" on a delegated child is INVALID_REQUEST, at its start and at a follow-up, before open',
  async (permission) => {
    const scopes = new Map<SessionId, SetupScope>()
    await using home = agents({ settings: { permission: 'allow' }, wrap: keepingScopes(scopes) })
    const parent = { sessionId: (await home.play('say: ready', { keep: true })).sessionId }
    const request = { provider: 'spawn', prompt: text('say: done'), parent, permission } as const
    expect(await codeOf(home.runtime.check(request))).toBe('INVALID_REQUEST')
    expect(await codeOf(home.runtime.start(request))).toBe('INVALID_REQUEST')
    expect([home.ids.length, scopes.size]).toEqual([1, 1])
    const child = await home.play('say: done', { parent, keep: true, permission: 'deny' })
    expect(child.status).toBe('completed')
    const session = { from: 'resume', sessionId: child.sessionId } as const
    const stored = home.entries(child.sessionId)
    expect(await codeOf(home.start('say: more', { session, permission }))).toBe('INVALID_REQUEST')
    expect(home.entries(child.sessionId)).toEqual(stored)
  },
)

test.each([
  ['ask', 'asked'],
  ['allow-reads', 'asked'],
  ['deny', 'denied'],
] as const)(
  'B4.4: under an explicit "%s" of a root a write inside of the workspace is %s',
  async (permission, how) => {
    await using home = agents()
    const file = join(home.workspace, 'asked')
    const run = await home.start(
      [call('write', { path: file, content: 'x' }), 'say: done'].join('\n'),
      { permission },
      true,
    )
    let questions = 0
    for await (const { event } of run.events()) {
      if (event.type !== 'permission/requested') continue
      questions += 1
      if (how === 'asked') run.respond(event.id, { outcome: 'selected', optionId: 'allow' })
    }
    expect(questions).toBe(1)
    expect(existsSync(file)).toBe(how === 'asked')
    expect((await run.result).denied).toHaveLength(how === 'denied' ? 1 : 0)
  },
)

test('B4.4: a root without an explicit policy writes inside of its workspace unasked', async () => {
  await using home = agents()
  const file = join(home.workspace, 'unasked')
  const { sessionId } = await home.play(call('write', { path: file, content: 'x' }))
  expect(existsSync(file)).toBe(true)
  expect(home.entries(sessionId).map(({ event }) => event.type)).not.toContain('approval/asked')
})

test('B4.5: no follow-up widens a delegated child, and none captures again', async () => {
  const scopes = new Map<SessionId, SetupScope>()
  await using home = agents({ wrap: keepingScopes(scopes) })
  const parent = { sessionId: (await home.play('say: ready', { keep: true })).sessionId }
  const child = await home.play('say: done', { parent, keep: true })
  const session = { from: 'resume', sessionId: child.sessionId } as const
  for (const sandbox of ['workspace-write', 'danger-full-access'] as const)
    expect(await codeOf(home.start('say: more', { session, sandbox }))).toBe('INVALID_REQUEST')
  scopes.get(parent.sessionId)?.record(mode('read-only', 'request'))
  await home.play('say: more', { session, parent })
  await home.runtime.close(child.sessionId)
  await home.play('say: more', { session, parent })
  expect(home.entries(child.sessionId).map(({ event }) => event.type)).not.toContain('sandbox/mode')
})

test('B4.5, B9.3: a copy of a child keeps the policy of its log, and a child that is a copy is pinned anew', async () => {
  await using home = agents()
  const parent = {
    sessionId: (await home.play('say: ready', { sandbox: 'read-only', keep: true })).sessionId,
  }
  const child = await home.play('say: done', { parent })
  const session = { from: 'fork', sessionId: child.sessionId } as const
  const copy = await home.play('say: copied', { session })
  expect(home.store.get(copy.sessionId)?.registers).toMatchObject({
    sandbox: 'read-only',
    approvalPolicy: 'never',
  })
  sameAsFolded(home, copy.sessionId)
  const below = await home.play('say: copied', { session, parent })
  expect(policyOf(home, below.sessionId)).toEqual([mode('read-only'), PIN])
  sameAsFolded(home, below.sessionId)
})
