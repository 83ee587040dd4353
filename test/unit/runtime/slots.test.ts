/** Concurrency slots: limits, the bounded queue and its order, lending to children (C26). */
import { describe, expect, test } from 'vitest'
import { Slots } from '../../../src/runtime/slots.ts'
import type { Ledger } from '../../../src/runtime/slots.ts'
import type { SlotPlace, Ticket } from '../../../src/runtime/ticket.ts'
import { sessionId } from '../../../src/contract/ids.ts'
import { memoryStore } from '../../../src/sessions/memory-store.ts'
import { codeOf, rejection, until } from '../../fixtures/house.ts'

const slots = (total: number, queue: number, own: Readonly<Record<string, number>> = {}): Slots =>
  new Slots(() => ({ total, queue, perProvider: (name) => own[name] }), memoryStore(), Date.now)

let places = 0
const place = (provider: string): SlotPlace => ({ provider, sessionId: sessionId(`ses_${(places += 1)}`) })

/** Names in the order in which they got a slot. */
const queueUp = (house: Slots, order: string[], name: string, parent?: Ticket): Promise<Ticket> => {
  const ticket = house.acquire(place(name), parent)
  void ticket.then(
    () => order.push(name),
    () => undefined,
  )
  return ticket
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('C26: slots', () => {
  test('the sixth start of two slots and a queue of three is refused with what is taken', async () => {
    const house = slots(2, 3)
    const two = [await house.acquire(place('p')), await house.acquire(place('p'))]
    for (let index = 0; index < 3; index += 1) void house.acquire(place('p'))
    const error = await rejection(house.acquire(place('p')))
    expect([error.code, error.phase, error.data]).toEqual([
      'CAPACITY_EXCEEDED',
      'capacity',
      { active: 2, queued: 3, max: 2 },
    ])
    for (const ticket of two) house.release(ticket)
    expect([house.active, house.queued]).toEqual([2, 1])
  })

  test('the queue is served in the order of asking', async () => {
    const house = slots(1, 9)
    const order: string[] = []
    let current = await house.acquire(place('first'))
    const waiting = ['a', 'b', 'c'].map((name) => queueUp(house, order, name))
    for (const next of waiting) {
      house.release(current)
      current = await next
    }
    expect(order).toEqual(['a', 'b', 'c'])
  })

  test('a start whose own provider is full waits, and one that is free passes it', async () => {
    const house = slots(2, 1, { narrow: 1 })
    const order: string[] = []
    const held = await house.acquire(place('narrow'))
    const waiting = queueUp(house, order, 'narrow')
    await queueUp(house, order, 'wide')
    expect(order).toEqual(['wide'])
    house.release(held)
    await waiting
    expect([house.active, house.queued]).toEqual([2, 0])
  })

  test('an abort while queued gives the place up at once', async () => {
    const house = slots(1, 1)
    await house.acquire(place('p'))
    const abort = new AbortController()
    const queued = house.acquire(place('p'), undefined, { signal: abort.signal })
    abort.abort(new Error('away'))
    await expect(queued).rejects.toThrow('away')
    expect([house.active, house.queued]).toEqual([1, 0])
    await expect(house.acquire(place('p'), undefined, { signal: abort.signal })).rejects.toThrow('away')
    expect(house.queued).toBe(0)
  })

  test('without a queue a full house refuses, and a free one does not', async () => {
    const house = slots(1, 0)
    const ticket = await house.acquire(place('p'))
    expect(await codeOf(house.acquire(place('p')))).toBe('CAPACITY_EXCEEDED')
    house.release(ticket)
    await house.acquire(place('p'))
  })

  test('giving back twice frees one slot', async () => {
    const house = slots(2, 0)
    const [one] = [await house.acquire(place('p')), await house.acquire(place('p'))]
    house.release(one)
    house.release(one)
    expect(house.active).toBe(1)
  })
})

describe('a run with a live or queued child', () => {
  test('lends its slot, so that one slot is enough for a chain', async () => {
    const house = slots(1, 0)
    const a = await house.acquire(place('p'))
    const b = await house.acquire(place('p'), a)
    const c = await house.acquire(place('p'), b)
    expect([house.active, a.state, b.state, c.state]).toEqual([1, 'lent', 'lent', 'running'])
    for (const ticket of [c, b, a]) house.release(ticket)
    expect(house.active).toBe(0)
  })

  test('takes its slot back ahead of the queue when the last child has settled', async () => {
    const house = slots(1, 9)
    const order: string[] = []
    const parent = await house.acquire(place('p'))
    const children = [await house.acquire(place('c1'), parent), house.acquire(place('c2'), parent)] as const
    const stranger = queueUp(house, order, 'stranger')
    void house.whenReturned(parent)
    house.release(children[0])
    house.release(await children[1])
    await house.whenReturned(parent)
    expect([parent.state, order]).toEqual(['running', []])
    house.release(parent)
    await stranger
    expect(order).toEqual(['stranger'])
  })

  test('hears of a result only when it holds its slot again', async () => {
    const house = slots(1, 9)
    const parent = await house.acquire(place('p'))
    const child = await house.acquire(place('p'), parent)
    let returned = false
    house.release(child)
    const waits = house.whenReturned(parent).then(() => {
      returned = true
      return returned
    })
    await waits
    expect([returned, house.active]).toEqual([true, 1])
  })

  test('that ends before its child leaves the child its own slot', async () => {
    const house = slots(1, 9)
    const parent = await house.acquire(place('p'))
    const child = await house.acquire(place('p'), parent)
    house.release(parent)
    expect(house.active).toBe(1)
    house.release(child)
    await tick()
    expect([house.active, house.queued]).toEqual([0, 0])
  })
})

describe('a ledger that another program locks', () => {
  test('is asked once, however many starts come, then again after a while, and all get their slots in order', async () => {
    let locked = true
    let asked = 0
    const store = memoryStore()
    const ledger: Ledger = {
      ...store,
      takeSlot: (claim, limits) => {
        asked += 1
        return locked ? undefined : store.takeSlot(claim, limits)
      },
    }
    const house = new Slots(() => ({ total: 99, queue: 99, perProvider: () => undefined }), ledger, Date.now)
    const order: string[] = []
    const told: string[] = []
    const names = Array.from({ length: 50 }, (_, index) => `s${index}`)
    const starts = names.map(async (name) => {
      await house.acquire(place(name), undefined, { onWait: () => told.push(name) })
      order.push(name)
    })
    expect(asked).toBe(1)
    await until(() => asked > 3)
    locked = false
    await Promise.all(starts)
    expect([order, told]).toEqual([names, []])
  })
})
