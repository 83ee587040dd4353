/** What one process decides about another's: slots over a chain of them, caps over restarts, starts that are refused late. */
import { expect, test } from 'vitest'
import { Slots } from '../../src/runtime/slots.ts'
import type { SlotPlace } from '../../src/runtime/ticket.ts'
import { sessionId } from '../../src/contract/ids.ts'
import type { SessionId } from '../../src/contract/ids.ts'
import type { SubagentStartRequest } from '../../src/contract/request.ts'
import { house, text } from '../fixtures/house.ts'
import { puppet } from '../fixtures/puppet.ts'
import { storeHouse } from '../fixtures/store-file.ts'

const place = (id: string, parent?: string): SlotPlace => ({
  provider: 'p',
  sessionId: sessionId(id),
  ...(parent !== undefined && { parentId: sessionId(parent) }),
})

test('C26: one slot is enough for a chain that goes from process to process and on within one', async () => {
  using stores = storeHouse()
  const limits = () => ({ total: 1, queue: 4, perProvider: () => undefined })
  const one = new Slots(limits, stores.open('one'), Date.now)
  const two = new Slots(limits, stores.open('two'), Date.now)
  const root = await one.acquire(place('root'))
  const nested = await two.acquire(place('nested', 'root'))
  const below = await two.acquire(place('below', 'nested'), nested)
  expect([root.state, nested.state, below.state]).toEqual(['running', 'lent', 'running'])
  two.release(below)
  await two.whenReturned(nested)
  expect(nested.state).toBe('running')
})

test('C26: a start whose slot can not be asked for is rejected, and nobody waits behind it', async () => {
  using stores = storeHouse()
  const store = stores.open()
  let broken = true
  const ledger = {
    ...store,
    takeSlot: (...args: Parameters<typeof store.takeSlot>) => {
      if (broken) throw new Error('disk full')
      return store.takeSlot(...args)
    },
  }
  const slots = new Slots(() => ({ total: 1, queue: 4, perProvider: () => undefined }), ledger, Date.now)
  await expect(slots.acquire(place('a'))).rejects.toThrow('disk full')
  broken = false
  const next = await slots.acquire(place('b'))
  expect([next.state, slots.active, slots.queued]).toEqual(['running', 1, 0])
})

const quick = () =>
  puppet({
    play: (turn) => {
      turn.say('x')
      return Promise.resolve({ ended: 'completed' })
    },
  })

test('law 11: a cap that a resume has lowered stays lowered over restarts', async () => {
  using stores = storeHouse()
  const caps: (number | undefined)[] = []
  const play = async (owner: string, request: Partial<SubagentStartRequest>): Promise<SessionId> => {
    const own = quick()
    await using home = house({ store: stores.open(owner), puppet: own })
    const run = await home.start(request)
    await run.result
    caps.push(own.requests.at(-1)?.maxDepth)
    return run.sessionId
  }
  const id = await play('one', { maxDepth: 5 })
  const session = { from: 'resume', sessionId: id } as const
  await play('two', { session, maxDepth: 1 })
  await play('three', { session })
  expect(caps).toEqual([5, 1, 1])
})

test('law 3: a follow-up that is refused at its first event leaves no agent and no event', async () => {
  await using home = house({ puppet: quick() })
  const run = await home.start({ keep: true })
  await run.result
  home.puppet.live.clear()
  const before = home.entries(run.sessionId)
  const refused = home.runtime.start(
    {
      provider: 'puppet',
      prompt: text('b'),
      sandbox: 'read-only',
      session: { from: 'resume', sessionId: run.sessionId },
    },
    { together: { deliver: [999] } },
  )
  await expect(refused).rejects.toThrow()
  expect([home.puppet.live.size, home.entries(run.sessionId)]).toEqual([0, before])
  const again = await home.start({ session: { from: 'resume', sessionId: run.sessionId } })
  expect((await again.result).status).toBe('completed')
})
