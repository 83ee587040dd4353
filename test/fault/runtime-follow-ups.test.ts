/** What a follow-up may change, what it takes over, and follow-ups whose session is closed or whose agent is gone. */
import { describe, expect, test } from 'vitest'
import type { SubagentStartRequest } from '../../src/contract/request.ts'
import type { SubagentRun } from '../../src/contract/run.ts'
import { checkIdle, checkLog, codeOf, house, rejection } from '../fixtures/house.ts'
import type { House } from '../fixtures/house.ts'
import { puppet } from '../fixtures/puppet.ts'

const done = async (home: House, run: SubagentRun): Promise<SubagentRun> => {
  const turn = await home.puppet.turnOf(run.sessionId)
  turn.say('done')
  turn.end()
  await run.result
  return run
}

const resume = ({ sessionId }: SubagentRun): Pick<SubagentStartRequest, 'session'> => ({
  session: { from: 'resume', sessionId },
})

const server = { name: 's', command: '/bin/true', args: [], env: [] }
const opened = {
  keep: true,
  cwd: '/',
  additionalDirectories: ['/usr'],
  mcpServers: [server],
  model: 'm1',
  effort: 'low',
  sandbox: 'workspace-write',
  maxDepth: 2,
} as const

describe('law 9: a follow-up on an agent that still stands', () => {
  test.each([
    ['cwd', '/usr'],
    ['additionalDirectories', ['/']],
    ['mcpServers', [{ ...server, name: 't' }]],
    ['model', 'm2'],
    ['effort', 'high'],
    ['sandbox', 'read-only'],
    ['maxDepth', 1],
  ])('is refused another %s by name, before anything happens', async (field, value) => {
    await using home = house()
    const run = await done(home, await home.start(opened))
    const before = home.entries(run.sessionId).length
    const error = await rejection(home.start({ ...resume(run), [field]: value }))
    expect([error.code, error.phase, error.data]).toEqual(['INVALID_REQUEST', 'resolve', { field }])
    expect(home.puppet.turns).toHaveLength(1)
    expect(home.entries(run.sessionId)).toHaveLength(before)
    expect(home.runtime.load).toEqual({ active: 0, queued: 0 })
  })

  test('may repeat what it was opened with, and goes on with it when it says nothing', async () => {
    await using home = house()
    const run = await done(home, await home.start(opened))
    await done(home, await home.start({ ...opened, ...resume(run), maxDepth: 9 }))
    await done(home, await home.start({ ...resume(run), additionalDirectories: [], mcpServers: [] }))
    expect(home.puppet.requests).toHaveLength(1)
    const { keep: _, ...controls } = opened
    for (const { turn } of home.puppet.turns) expect(turn.request).toMatchObject(controls)
    expect(home.puppet.turns).toHaveLength(3)
  })
})

describe('law 11: a session that is taken up with a new agent', () => {
  test('keeps the cap of its tree, and may lower it for its children', async () => {
    await using home = house()
    const run = await done(home, await home.start({ maxDepth: 1 }))
    const again = await home.start({ ...resume(run), maxDepth: 9 })
    expect(home.puppet.requests.at(-1)?.maxDepth).toBe(1)
    await done(home, again)
    const last = await home.start({ ...resume(run), maxDepth: 0 })
    expect(home.puppet.requests.at(-1)?.maxDepth).toBe(0)
    const turn = await home.puppet.turnOf(last.sessionId)
    expect(turn.turn.delegation.depth()).toEqual({ current: 0, cap: 0 })
    expect(await codeOf(home.start({ parent: { sessionId: run.sessionId } }))).toBe('DEPTH_EXCEEDED')
    last.cancel()
    await last.result
  })

  test('records a narrower sandbox, and its children stand under it', async () => {
    await using home = house()
    const run = await done(home, await home.start({ sandbox: 'workspace-write' }))
    const again = await home.start({ ...resume(run), sandbox: 'read-only' })
    const modes = home
      .entries(run.sessionId)
      .flatMap(({ event }) => (event.type === 'sandbox/mode' ? [[event.mode, event.source]] : []))
    expect(modes).toEqual([
      ['workspace-write', 'request'],
      ['read-only', 'request'],
    ])
    const child = await home.start({ parent: { sessionId: again.sessionId } })
    expect(home.puppet.requests.at(-1)?.sandbox).toBe('read-only')
    child.cancel()
    await done(home, again)
    checkLog(home.entries(run.sessionId))
    expect(await codeOf(home.start({ ...resume(run), sandbox: 'workspace-write' }))).toBe('INVALID_REQUEST')
  })

  test('a copy of a child stands under the sandbox that the child was handed', async () => {
    await using home = house()
    const root = await home.start({ sandbox: 'read-only', keep: true })
    const child = await done(home, await home.start({ parent: { sessionId: root.sessionId } }))
    const fork = await home.start({ session: { from: 'fork', sessionId: child.sessionId } })
    expect(home.puppet.requests.at(-1)).toMatchObject({ sandbox: 'read-only', depth: 0 })
    expect(
      await codeOf(
        home.start({
          session: { from: 'fork', sessionId: child.sessionId },
          sandbox: 'workspace-write',
        }),
      ),
    ).toBe('INVALID_REQUEST')
    const modes = home.entries(fork.sessionId).filter(({ event }) => event.type === 'sandbox/mode')
    expect(modes).toHaveLength(1)
  })
})

test('law 5: a follow-up that is on its way when its session is closed is rejected, and leaves nothing', async () => {
  const opens = Promise.withResolvers<void>()
  const own = puppet({ open: (request) => (request.origin.from === 'new' ? undefined : opens.promise) })
  const home = house({ puppet: own })
  const run = await done(home, await home.start({ keep: true }))
  // Its agent has died, so that the follow-up opens another.
  own.live.clear()
  const follow = home.start({ ...resume(run), keep: true })
  const rejected = codeOf(follow)
  const closed = home.runtime.close(run.sessionId)
  opens.resolve()
  await closed
  expect(await rejected).toBe('CANCELLED')
  checkIdle(home)
  const third = home.start({ ...resume(run), keep: true })
  expect((await third).sessionId).toBe(run.sessionId)
  await home[Symbol.asyncDispose]()
  checkIdle(home)
})

test('law 5: an agent that died is disposed before the follow-up opens another', async () => {
  const seen: string[] = []
  const own = puppet({ open: () => void seen.push('open'), dispose: () => void seen.push('dispose') })
  await using home = house({ puppet: own })
  const run = await done(home, await home.start({ keep: true }))
  own.live.clear()
  await done(home, await home.start({ ...resume(run), keep: true }))
  expect(seen).toEqual(['open', 'dispose', 'open'])
})

describe('law 5: children of a kept session', () => {
  test('end with the agent that they worked for', async () => {
    const home = house()
    const root = await home.start({ keep: true })
    const child = await home.start({ keep: true, parent: { sessionId: root.sessionId } })
    const turn = await home.puppet.turnOf(root.sessionId)
    home.puppet.live.delete(root.sessionId)
    turn.fail(new Error('died'))
    expect((await root.result).status).toBe('failed')
    expect((await child.result).status).toBe('cancelled')
    checkIdle(home)
    await home[Symbol.asyncDispose]()
  })

  test('are closed once, whoever closes them', async () => {
    let disposals = 0
    const own = puppet({ dispose: () => void (disposals += 1) })
    const home = house({ puppet: own })
    const root = await done(home, await home.start({ keep: true }))
    const child = await done(home, await home.start({ keep: true, parent: { sessionId: root.sessionId } }))
    await Promise.all([home.runtime.close(child.sessionId), home.runtime.close(root.sessionId)])
    await home[Symbol.asyncDispose]()
    expect(disposals).toBe(2)
    checkIdle(home)
  })
})
