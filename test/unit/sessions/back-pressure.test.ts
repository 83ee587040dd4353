/** How far readers may fall behind before the agent is no longer read, and who stops counting (C17). */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { LogEntry } from '../../../src/contract/events.ts'
import { follow } from '../../../src/sessions/cursor.ts'
import { memoryStore } from '../../../src/sessions/memory-store.ts'
import { Readers } from '../../../src/sessions/readers.ts'
import { EMPTY_REGISTERS } from '../../../src/sessions/registers.ts'
import { SessionLog } from '../../../src/sessions/session-log.ts'
import { header, RUN, saying, settled, started } from '../../fixtures/entries.ts'

const MIB = 1024 * 1024

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const filled = (events: number, bytes: number): Readers => {
  const readers = new Readers(0, () => Date.now())
  for (let index = 0; index < events; index += 1) readers.added(bytes)
  return readers
}

/** Whether a promise has settled by now. */
const isDone = async (promise: Promise<void>): Promise<boolean> => {
  let done = false
  void promise.then(() => {
    done = true
    return done
  })
  await vi.advanceTimersByTimeAsync(0)
  return done
}

test('without readers nothing holds the agent back', async () => {
  const readers = filled(100, MIB)
  expect(readers.keepingUp).toBe(true)
  await readers.drained()
})

test('the high-water mark is 8 MiB behind, and half of it lets the agent go on', async () => {
  const readers = filled(8, MIB)
  const reader = readers.attach(0)
  // Its moment is taken.
  void readers.drained()
  expect(readers.keepingUp).toBe(true)
  readers.added(1)
  expect(readers.keepingUp).toBe(false)
  const drained = readers.drained()
  reader.advance(4)
  expect(await isDone(drained)).toBe(false)
  reader.advance(5)
  expect(await isDone(drained)).toBe(true)
})

test('a reader that is over 64 KiB behind is given 5 ms to come near, once in as many bytes', async () => {
  const readers = filled(64, 1024)
  const reader = readers.attach(0)
  expect(readers.keepingUp).toBe(true)
  readers.added(1024)
  expect(readers.keepingUp).toBe(false)
  const slow = readers.drained()
  expect(readers.keepingUp).toBe(true)
  await vi.advanceTimersByTimeAsync(4)
  expect(await isDone(slow)).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(await isDone(slow)).toBe(true)
  for (let index = 0; index < 63; index += 1) readers.added(1024)
  expect(readers.keepingUp).toBe(true)
  readers.added(1024)
  expect(readers.keepingUp).toBe(false)
  const quick = readers.drained()
  reader.advance(65)
  expect(await isDone(quick)).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

test('a reader that keeps near never holds the agent back', async () => {
  const readers = filled(0, 0)
  const reader = readers.attach(0)
  for (let seq = 1; seq <= 1000; seq += 1) {
    readers.added(1024)
    if (seq % 60 === 0) reader.advance(seq)
    expect(readers.keepingUp).toBe(true)
  }
  await readers.drained()
})

test('after any number of events the mark is the same, for old readers and new', async () => {
  const readers = filled(200_000, 1024)
  const [reader, late] = [readers.attach(0), readers.attach(200_000)]
  expect(readers.keepingUp).toBe(false)
  const drained = readers.drained()
  reader.advance(200_000 - 8 * 1024 - 1)
  expect(readers.keepingUp).toBe(false)
  reader.advance(200_000 - 8 * 1024)
  expect(readers.keepingUp).toBe(true)
  reader.advance(200_000 - 4 * 1024 - 1)
  expect(await isDone(drained)).toBe(false)
  reader.advance(200_000 - 4 * 1024)
  expect(await isDone(drained)).toBe(true)
  late.detach()
})

test('a reader that begins far behind counts at once, and no longer when it leaves', () => {
  const readers = filled(9, MIB)
  expect(readers.keepingUp).toBe(true)
  const reader = readers.attach(0)
  expect(readers.keepingUp).toBe(false)
  reader.detach()
  readers.added(1)
  expect(readers.keepingUp).toBe(true)
})

test('the slowest of several readers counts, until it leaves', async () => {
  const readers = filled(9, MIB)
  const [fast, slow] = [readers.attach(0), readers.attach(0)]
  fast.advance(9)
  expect(readers.keepingUp).toBe(false)
  const drained = readers.drained()
  slow.detach()
  expect(await isDone(drained)).toBe(true)
  expect(readers.keepingUp).toBe(true)
})

test('a reader that takes nothing for 60 s holds the agent back no longer', async () => {
  const readers = filled(9, MIB)
  const reader = readers.attach(0)
  const drained = readers.drained()
  await vi.advanceTimersByTimeAsync(59_000)
  expect(await isDone(drained)).toBe(false)
  await vi.advanceTimersByTimeAsync(6_000)
  expect(await isDone(drained)).toBe(true)
  expect([reader.detached, readers.keepingUp]).toEqual([true, true])
  expect(vi.getTimerCount()).toBe(0)
})

test('a reader that took something meanwhile is given its 60 s again', async () => {
  const readers = filled(20, MIB)
  const reader = readers.attach(0)
  const drained = readers.drained()
  await vi.advanceTimersByTimeAsync(50_000)
  reader.advance(1)
  await vi.advanceTimersByTimeAsync(50_000)
  expect(reader.detached).toBe(false)
  await vi.advanceTimersByTimeAsync(16_000)
  expect(reader.detached).toBe(true)
  expect(await isDone(drained)).toBe(true)
})

test('a reader that had nothing to take for an hour is not silent', async () => {
  const readers = new Readers(0, () => Date.now())
  const reader = readers.attach(0)
  await vi.advanceTimersByTimeAsync(3_600_000)
  for (let index = 0; index < 9; index += 1) readers.added(MIB)
  void readers.drained()
  await vi.advanceTimersByTimeAsync(30_000)
  expect(reader.detached).toBe(false)
})

test('a detached reader comes back with its cursor, misses nothing and counts again', async () => {
  const store = memoryStore()
  const log = SessionLog.create(store, header('s'), EMPTY_REGISTERS, () => Date.now())
  log.append(started, RUN)
  const iterator = follow(store, log, { after: 0, isLast: ({ event }) => event.type === 'run/settled' })
  const seen: LogEntry[] = []
  const take = async (): Promise<void> => {
    const { value } = await iterator.next()
    if (value !== undefined) seen.push(value)
  }
  await take()
  for (let index = 0; index < 10; index += 1) log.append(saying(String(index)), RUN, { bytes: MIB })
  expect(log.readers.keepingUp).toBe(false)
  const drained = log.readers.drained()
  await vi.advanceTimersByTimeAsync(66_000)
  expect(await isDone(drained)).toBe(true)
  await take()
  await take()
  expect(log.readers.keepingUp).toBe(false)
  log.append(settled, RUN)
  while (seen.length < 12) await take()
  expect(seen.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  expect((await iterator.next()).done).toBe(true)
  expect(log.readers.keepingUp).toBe(true)
})
