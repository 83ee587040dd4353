/** Callers that share a start by its key: none is tied to another, and keys are forgotten. */
import { expect, test } from 'vitest'
import { checkIdle, codeOf, house, text } from '../../fixtures/house.ts'

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

test('a settled run holds no prompt', async () => {
  await using home = house()
  const run = await home.start({ prompt: text('long') })
  run.cancel()
  await run.result
  expect((run as unknown as { request: { prompt: unknown } }).request.prompt).toEqual([])
})
