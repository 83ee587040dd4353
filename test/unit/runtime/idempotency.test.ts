/** Callers that share a start by its key: none is tied to another, and keys are forgotten. */
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { claims } from '../../../src/capabilities/rows.ts'
import { permissionId } from '../../../src/contract/ids.ts'
import type { ProviderSession, SubagentProvider } from '../../../src/contract/provider.ts'
import { defineProvider } from '../../../src/provider.ts'
import { say } from '../../fixtures/entries.ts'
import { checkIdle, codeOf, collect, house, text } from '../../fixtures/house.ts'

const key = { idempotencyKey: 'k' }

test('a caller that leaves is rejected alone, and the start goes on for the others', async () => {
  await using home = house({ settings: { concurrency: { total: 1, queue: 5 } } })
  const first = await home.start()
  const leaving = new AbortController()
  const left = codeOf(home.start(key, { signal: leaving.signal }))
  const stays = home.start(key)
  leaving.abort()
  expect(await left).toBe('CANCELLED')
  first.cancel()
  const run = await stays
  expect(home.puppet.turns.length).toBeLessThanOrEqual(2)
  run.cancel()
  expect((await run.result).status).toBe('cancelled')
})

test('a start whose callers have all left is stopped, and its key is free', async () => {
  await using home = house({ settings: { concurrency: { total: 1, queue: 5 } } })
  const first = await home.start()
  const [one, two] = [new AbortController(), new AbortController()]
  const gone = [
    codeOf(home.start(key, { signal: one.signal })),
    codeOf(home.start(key, { signal: two.signal })),
  ]
  one.abort()
  two.abort()
  expect(await Promise.all(gone)).toEqual(['CANCELLED', 'CANCELLED'])
  expect(home.runtime.load).toEqual({ active: 1, queued: 0 })
  first.cancel()
  const again = await home.start({ ...key, prompt: text('something else') })
  again.cancel()
  await again.result
  checkIdle(home)
})

test('a caller that has left before it asked does not stop the run of another', async () => {
  await using home = house()
  const run = await home.start(key)
  expect(await codeOf(home.start(key, { signal: AbortSignal.abort() }))).toBe('CANCELLED')
  const turn = await home.puppet.turnOf(run.sessionId)
  turn.say('done')
  turn.end()
  expect((await run.result).status).toBe('completed')
})

test('a published run is cancelled when the last of its callers leaves', async () => {
  await using home = house()
  const [one, two] = [new AbortController(), new AbortController()]
  const run = await home.start(key, { signal: one.signal })
  expect(await home.start(key, { signal: two.signal })).toBe(run)
  one.abort()
  expect(home.runtime.load.active).toBe(1)
  two.abort()
  expect((await run.result).status).toBe('cancelled')
})

test('a key is remembered for 24 hours, and no longer', async () => {
  let now = 0
  await using home = house({ now: () => now })
  const run = await home.start(key)
  run.cancel()
  await run.result
  now = 24 * 60 * 60 * 1000 - 1
  expect(await home.start(key)).toBe(run)
  now += 1
  const other = await home.start({ ...key, prompt: text('something else') })
  expect(other.id).not.toBe(run.id)
})

test('of more than 1000 keys the oldest is forgotten', async () => {
  await using home = house()
  const begin = async (idempotencyKey: string) => {
    const run = await home.start({ idempotencyKey })
    run.cancel()
    await run.result
    return run
  }
  const first = await begin('0')
  const second = await begin('1')
  for (let n = 2; n <= 1000; n += 1) await begin(String(n))
  expect(await home.start({ idempotencyKey: '1' })).toBe(second)
  expect((await begin('0')).id).not.toBe(first.id)
})

/** A flag of the engine, so that a test can ask for a collection. */
const collector = (): (() => void) => {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

/** References are held until the task ends in which they were made or looked at. */
const collected = async (references: readonly WeakRef<object>[]): Promise<number> => {
  const sweep = collector()
  let left = references.length
  for (let round = 0; round < 20 && left > 0; round += 1) {
    await setImmediate()
    sweep()
    left = references.filter((reference) => reference.deref() !== undefined).length
  }
  return left
}

/** Answers, and keeps nothing; what it was given and what it gave are noted without holding them. */
const forgetful = (seen: WeakRef<object>[]): SubagentProvider => ({
  ...defineProvider({ name: 'forgetful', run: () => '' }),
  open: (request) => {
    const session: ProviderSession = {
      capabilities: claims({}),
      usable: true,
      prompt: (content, turn) => {
        seen.push(new WeakRef(content), new WeakRef(turn), new WeakRef(turn.delegation))
        turn.emit({ type: 'session/update', update: say('fine') })
        return Promise.resolve({ ended: 'completed' })
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }
    seen.push(new WeakRef(request), new WeakRef(session))
    return Promise.resolve(session)
  },
})

test.each([false, true])(
  'a key keeps its settled run without its request, its agent or its turn, and still gives result and events (caller with a signal: %s)',
  async (withSignal) => {
    const seen: WeakRef<object>[] = []
    await using home = house({ providers: [{ provider: forgetful(seen) }] })
    const caller = new AbortController()
    const options = withSignal ? { signal: caller.signal } : {}
    const start = () => home.start({ ...key, provider: 'forgetful', meta: { note: 'long' } }, options)
    const [id, before] = await (async () => {
      const run = await start()
      await run.result
      return [run.id, await collect(run)]
    })()
    expect(seen).toHaveLength(5)
    expect(await collected(seen)).toBe(0)
    const again = await start()
    expect([again.id, (await again.result).text]).toEqual([id, 'fine'])
    expect(await collect(again)).toEqual(before)
    expect(seen).toHaveLength(5)
  },
)

test('what is asked of a settled run does no harm, and text for its turn is refused', async () => {
  await using home = house()
  const run = await home.start()
  home.puppet.turns[0]?.end()
  const result = await run.result
  run.cancel()
  run.giveUp(permissionId('perm_1'))
  run.respond(permissionId('perm_1'), { outcome: 'cancelled' })
  expect(await codeOf(run.steer(text('more')))).toBe('INVALID_REQUEST')
  await run[Symbol.asyncDispose]()
  expect(await run.result).toBe(result)
  const { id, sessionId, provider, depth, label, parentSessionId } = run
  expect({ runId: id, sessionId, provider, depth, label, parentSessionId }).toEqual({
    runId: result.runId,
    sessionId: result.sessionId,
    provider: 'puppet',
    depth: 0,
    label: undefined,
    parentSessionId: undefined,
  })
})
