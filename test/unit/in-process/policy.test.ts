/** Policy at the delegation boundary: what a built-in child inherits, when, and what its log says of it (B3). */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { SetupScope } from '../../../src/contract/provider.ts'
import type { SessionId } from '../../../src/contract/ids.ts'
import { memoryStore } from '../../../src/sessions/memory-store.ts'
import { firstLiveSeq, inheritedEventCount } from '../../../src/sessions/prefix.ts'
import { playing, scriptedProvider } from '../../../src/testing/index.ts'
import { agents, call, delegate, keepingScopes } from '../../fixtures/in-process.ts'
import { mode, PIN, policyOf, sameAsFolded } from '../../fixtures/inherited-policy.ts'

test.each(['spawn', 'fork'] as const)(
  'B3.1, law 12: a %s keeps the sandbox that its parent had at the call, whatever comes in the next microtask',
  async (provider) => {
    const scopes = new Map<SessionId, SetupScope>()
    await using home = agents({ wrap: keepingScopes(scopes) })
    const parent = await home.play('say: ready', { sandbox: 'workspace-write', keep: true })
    const before = home.entries(parent.sessionId).length
    const starting = home.start('say: done', { provider, parent: { sessionId: parent.sessionId } })
    queueMicrotask(() => scopes.get(parent.sessionId)?.record(mode('read-only', 'request')))
    const child = await starting
    await child.result
    expect(policyOf(home, child.sessionId)).toEqual([mode('workspace-write'), PIN])
    expect(home.store.get(child.sessionId)?.registers.sandbox).toBe('workspace-write')
    // The parent's log holds its own switch, and nothing of the delegation.
    expect(
      home
        .entries(parent.sessionId)
        .slice(before)
        .map(({ event }) => event),
    ).toEqual([mode('read-only', 'request')])
    const next = await home.play('say: done', { provider, parent: { sessionId: parent.sessionId } })
    expect(policyOf(home, next.sessionId)).toEqual([mode('read-only'), PIN])
  },
)

test.each(['spawn', 'fork'] as const)(
  'B3.2, B3.4, B9.1: what a %s is set up with is stored with run/started in one batch, policy first',
  async (provider) => {
    const scopes = new Map<SessionId, SetupScope>()
    const batches: string[][] = []
    const store = memoryStore()
    await using home = agents({
      wrap: keepingScopes(scopes),
      store: {
        ...store,
        publish: (header, entries, ...rest) => {
          batches.push(entries.map(({ event }) => event.type))
          store.publish(header, entries, ...rest)
        },
      },
    })
    const parent = await home.play('say: ready', { sandbox: 'read-only', keep: true })
    scopes.get(parent.sessionId)?.record({ type: 'permission/preset', preset: 'auto', source: 'delegation' })
    const child = await home.play('say: done', {
      provider,
      parent: { sessionId: parent.sessionId },
      label: 'look',
    })
    expect(batches[1]).toEqual([
      'permission/preset',
      'sandbox/mode',
      'approval/policy',
      'subagent/descriptor',
      'session/native_id',
      'run/started',
    ])
    expect(home.setup(child.sessionId).slice(0, 4)).toEqual([
      { type: 'permission/preset', preset: 'auto', source: 'delegation' },
      mode('read-only'),
      PIN,
      {
        type: 'subagent/descriptor',
        version: 3,
        provider,
        mode: 'one-shot',
        label: 'look',
        model: 'rehearsal',
      },
    ])
  },
)

test('B3.4: a fork has its policy events after the shared history, on the live side of the boundary', async () => {
  await using home = agents()
  const parent = await home.play('say: one', { sandbox: 'read-only', keep: true })
  const history = home.entries(parent.sessionId)
  const child = await home.play('say: two', { provider: 'fork', parent: { sessionId: parent.sessionId } })
  const { header } = home.store.get(child.sessionId) ?? {}
  if (header === undefined) throw new Error('The child is not stored.')
  expect(inheritedEventCount(header)).toBe(history.length)
  expect(firstLiveSeq(header)).toBe(history.length + 1)
  const entries = home.entries(child.sessionId)
  expect(entries.slice(0, history.length)).toEqual(history)
  expect(entries.slice(history.length, history.length + 2).map(({ seq, event }) => [seq, event])).toEqual([
    [history.length + 1, mode('read-only')],
    [history.length + 2, PIN],
  ])
  const fresh = home.store.get(parent.sessionId)?.header
  expect(fresh && [inheritedEventCount(fresh), firstLiveSeq(fresh)]).toEqual([0, 1])
})

test('B3.5: the snapshot beats a stale switch in the history of a fork, and a later switch of the child beats it', async () => {
  const scopes = new Map<SessionId, SetupScope>()
  await using home = agents({ wrap: keepingScopes(scopes) })
  const parent = await home.play('say: one', { sandbox: 'danger-full-access', keep: true })
  scopes.get(parent.sessionId)?.record(mode('workspace-write', 'request'))
  const child = await home.play('say: two', {
    provider: 'fork',
    parent: { sessionId: parent.sessionId },
    keep: true,
  })
  expect(home.store.get(child.sessionId)?.registers.sandbox).toBe('workspace-write')
  sameAsFolded(home, child.sessionId)
  // Taken up cold: an agent that still stands goes on as it was opened.
  await home.runtime.close(child.sessionId)
  const file = join(home.workspace, 'later')
  await home.play([call('write', { path: file, content: 'x' }), 'say: done'].join('\n'), {
    provider: 'fork',
    session: { from: 'resume', sessionId: child.sessionId },
    sandbox: 'read-only',
  })
  expect(home.store.get(child.sessionId)?.registers.sandbox).toBe('read-only')
  expect(existsSync(file)).toBe(false)
  sameAsFolded(home, child.sessionId)
})

test('B3.5: an unswitched parent stamps no sandbox, and the child follows the default of the deployment', async () => {
  await using home = agents({ deployment: { sandbox: 'read-only' } })
  const file = join(home.workspace, 'refused')
  await home.play(delegate('subagent', call('write', { path: file, content: 'x' })))
  const [, child] = home.ids
  expect(policyOf(home, child)).toEqual([PIN])
  expect(existsSync(file)).toBe(false)
})

test('B3.5: a grandchild captures from its own parent, through both providers', async () => {
  await using home = agents()
  const file = join(home.workspace, 'refused')
  const deepest = [call('write', { path: file, content: 'x' }), 'say: tried'].join('\n')
  await home.play(delegate('subagent', delegate('clone', deepest)), { sandbox: 'read-only' })
  const [, child, grandchild] = home.ids
  expect(policyOf(home, child)).toEqual([mode('read-only'), PIN])
  expect(policyOf(home, grandchild)).toEqual([mode('read-only'), PIN])
  expect(home.store.get(grandchild as SessionId)?.header).toMatchObject({ depth: 2, parentId: child })
  expect(existsSync(file)).toBe(false)
})

test('B3.4, B3.5: below an external child in this process the snapshot goes on, and only the built-in one is pinned', async () => {
  const outside = scriptedProvider({ name: 'outside', capabilities: 'all' })
  await using home = agents({
    providers: [{ provider: outside }],
    deployment: { delegationTools: [{ name: 'subagent', provider: 'outside' }] },
  })
  const file = join(home.workspace, 'refused')
  const inner = [call('write', { path: file, content: 'x' }), 'say: tried'].join('\n')
  const [block] = playing([{ delegate: { provider: 'spawn', prompt: [{ type: 'text', text: inner }] } }])
  if (block?.type !== 'text') throw new Error('A script is a text.')
  await home.play(delegate('subagent', block.text), { sandbox: 'read-only' })
  const [, external, grandchild] = home.ids
  expect(policyOf(home, external)).toEqual([mode('read-only')])
  expect(policyOf(home, grandchild)).toEqual([mode('read-only'), PIN])
  expect(existsSync(file)).toBe(false)
})

test('B3.7: a published child whose first request fails keeps its policy events', async () => {
  await using home = agents()
  const result = await home.play(delegate('subagent', 'fail 400: No.'), { sandbox: 'read-only' })
  expect(result.text).toContain('The subagent failed')
  expect(policyOf(home, home.ids[1])).toEqual([mode('read-only'), PIN])
  expect(home.store.get(home.ids[1] as SessionId)?.registers.lastStatus).toBe('failed')
})
