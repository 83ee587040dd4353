/** Runs whose store fails under them: what can't be recorded ends, and the rest goes on (C35, law 6). */
import { expect, test } from 'vitest'
import { silentLogger } from '../../src/contract/logger.ts'
import { recoverLost } from '../../src/runtime/recover.ts'
import { collect, house } from '../fixtures/house.ts'
import { limitedStore, storeHouse } from '../fixtures/store-file.ts'

const LARGE = 'x'.repeat(100_000)

test('C35: on a full disk a run ends as failed with what it had said, and the next goes on once there is room', async () => {
  using stores = storeHouse()
  const { store, allow } = limitedStore(stores)
  await using home = house({ store })
  const run = await home.start()
  const turn = await home.puppet.turnOf(run.sessionId)
  turn.say('kept')
  allow(1)
  for (let index = 0; index < 20; index += 1) turn.say(LARGE)
  const result = await run.result
  expect([result.status, result.error?.code, result.error?.retryable]).toEqual([
    'failed',
    'STORE_FAILED',
    true,
  ])
  expect(result.text.startsWith('kept')).toBe(true)
  expect(home.runtime.load).toEqual({ active: 0, queued: 0 })
  allow(1_000_000)
  const next = await home.start()
  const other = await home.puppet.turnOf(next.sessionId)
  other.say('fine')
  other.end()
  expect((await next.result).status).toBe('completed')
  expect((await collect(next)).at(-1)?.event.type).toBe('run/settled')
  expect(await recoverLost({ store, now: Date.now, log: silentLogger })).toEqual([run.sessionId])
  expect(store.get(run.sessionId)?.registers.lastStatus).toBe('interrupted')
  store[Symbol.dispose]()
})

test('C35: a start on a full disk is rejected, and nothing of it is left', async () => {
  using stores = storeHouse()
  const { store, allow } = limitedStore(stores)
  await using home = house({ store })
  const first = await home.start()
  first.cancel()
  await first.result
  allow(1)
  const refused = home.start({ prompt: [{ type: 'text', text: LARGE.repeat(10) }] })
  await expect(refused).rejects.toMatchObject({ code: 'STORE_FAILED' })
  expect([home.runtime.load, home.puppet.live.size]).toEqual([{ active: 0, queued: 0 }, 0])
  allow(1_000_000)
  expect(store.list({ limit: 9 })).toHaveLength(1)
  store[Symbol.dispose]()
})
