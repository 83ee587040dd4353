/** Sessions that outlive their run, a runtime that is closed, and what a child takes from its parent. */
import { expect, test } from 'vitest'
import type { LogEntry } from '../../src/contract/events.ts'
import { checkIdle, codeOf, house } from '../fixtures/house.ts'

test('a fork of a session that is still kept here gets a session and an agent of its own', async () => {
  await using home = house()
  const kept = await home.start({ keep: true })
  const first = await home.puppet.turnOf(kept.sessionId)
  first.say('shared')
  first.end()
  await kept.result
  const fork = await home.start({ session: { from: 'fork', sessionId: kept.sessionId } })
  expect(fork.sessionId).not.toBe(kept.sessionId)
  expect(home.puppet.requests.map(({ origin }) => origin.from)).toEqual(['new', 'fork'])
  const turn = await home.puppet.turnOf(fork.sessionId)
  turn.end()
  // B8.3: a child that says nothing returns nothing.
  expect(await fork.result).toMatchObject({ status: 'empty', text: '' })
  const parent = home.entries(kept.sessionId)
  expect(home.entries(fork.sessionId).slice(0, parent.length)).toEqual(parent)
  expect([...home.puppet.live]).toEqual([kept.sessionId])
})

test('a closed runtime starts nothing, and its watchers have seen every end', async () => {
  const home = house()
  const watched: LogEntry[] = []
  const watching = (async () => {
    for await (const { event } of home.runtime.watch()) watched.push(event)
  })()
  await home.start({ keep: true })
  await home.start()
  await Promise.all([home.runtime[Symbol.asyncDispose](), home.runtime[Symbol.asyncDispose]()])
  await watching
  expect(watched.filter(({ event }) => event.type === 'run/settled')).toHaveLength(2)
  expect(await codeOf(home.start())).toBe('CLOSED')
  checkIdle(home)
})

test('law 12: the policy of the parent is captured before the first await of a start', async () => {
  await using home = house()
  const parent = await home.start({ sandbox: 'read-only', maxDepth: 3 })
  const child = home.start({ parent: { sessionId: parent.sessionId } })
  // In the same tick: too late for this child.
  parent.cancel()
  expect(await codeOf(child)).toBe('CANCELLED')
  const other = await home.start({ sandbox: 'read-only', maxDepth: 3 })
  const started = await home.start({ parent: { sessionId: other.sessionId } })
  const types = home.entries(started.sessionId).map(({ event }) => event)
  expect(types[0]).toEqual({ type: 'sandbox/mode', mode: 'read-only', source: 'delegation' })
  expect(home.puppet.requests.at(-1)).toMatchObject({ sandbox: 'read-only', depth: 1, maxDepth: 3 })
})
