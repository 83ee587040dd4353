/** Laws of the log over random histories: replay equals live, folds are incremental, a fork is a copy. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LogEntry, SessionEvent } from '../../src/contract/events.ts'
import { runId, sessionId } from '../../src/contract/ids.ts'
import { follow } from '../../src/sessions/cursor.ts'
import { memoryStore } from '../../src/sessions/memory-store.ts'
import { advanceOutput, NO_OUTPUT } from '../../src/sessions/output.ts'
import { prefixThrough } from '../../src/sessions/prefix.ts'
import { EMPTY_REGISTERS, foldRegisters } from '../../src/sessions/registers.ts'
import { SessionLog } from '../../src/sessions/session-log.ts'
import type { SessionStore } from '../../src/sessions/store.ts'
import { header, say } from '../fixtures/entries.ts'

const setupEvent = fc.oneof<fc.Arbitrary<SessionEvent>[]>(
  fc.record({ type: fc.constant('session/native_id' as const), nativeId: fc.string() }),
  fc.record({
    type: fc.constant('sandbox/mode' as const),
    mode: fc.constantFrom('read-only' as const, 'workspace-write' as const),
    source: fc.constant('delegation' as const),
  }),
)
const update = fc.oneof(
  fc
    .tuple(fc.constantFrom('', ' ', 'a', 'b'), fc.constantFrom(undefined, null, 'm1', 'm2'))
    .map(([t, id]) => say(t, id)),
  fc.constant({ sessionUpdate: 'tool_call' as const, toolCallId: 't', title: 'T' }),
  fc.constant({ sessionUpdate: 'usage_update', used: null }),
)
const turn = fc.record({
  setup: fc.array(setupEvent, { maxLength: 2 }),
  updates: fc.array(update, { maxLength: 6 }),
  status: fc.constantFrom('completed' as const, 'empty' as const, 'cancelled' as const),
})
const turns = fc.array(turn, { minLength: 1, maxLength: 5 })
type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never

/** Appends the turns; returns all entries in order. */
const write = (log: SessionLog, history: readonly Turn[], name: string): LogEntry[] =>
  history.flatMap(({ setup, updates, status }, index) => {
    const run = runId(`${name}-${index}`)
    return [
      ...setup.map((event) => log.append(event)),
      log.append({ type: 'run/started', provider: 'p', depth: 0 }, run),
      ...updates.map((each) => log.append({ type: 'session/update', update: each }, run)),
      log.append({ type: 'run/settled', status, denied: [], durationMs: 0 }, run),
    ]
  })

const create = (store: SessionStore, id = 's'): SessionLog =>
  SessionLog.create(store, header(id), EMPTY_REGISTERS, () => 0)

test('law 7: from any cursor a replay is gapless and the same', () => {
  fc.assert(
    fc.property(turns, fc.nat(40), fc.integer({ min: 1, max: 7 }), (history, after, page) => {
      const store = memoryStore()
      const all = write(create(store), history, 'r')
      const read: LogEntry[] = []
      for (;;) {
        const next = store.read(sessionId('s'), Math.min(after, all.length) + read.length, page)
        if (next.length === 0) break
        read.push(...next)
      }
      expect(read).toEqual(all.slice(after))
      expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1))
    }),
  )
})

test('law 7: several readers, started at any time and from any cursor, see live what a replay shows', async () => {
  await fc.assert(
    fc.asyncProperty(
      turns,
      fc.array(fc.record({ at: fc.nat(30), after: fc.nat(10) }), { minLength: 1, maxLength: 4 }),
      fc.infiniteStream(fc.boolean()),
      async (history, readers, pauses) => {
        const store = memoryStore()
        const log = create(store)
        const shadow: SessionEvent[] = []
        const recorded = write(create(memoryStore()), history, 'r')
        const total = recorded.length
        const reading = async (after: number): Promise<LogEntry[]> => {
          const seen: LogEntry[] = []
          const options = { after, isLast: ({ seq }: LogEntry) => seq === total }
          for await (const each of follow(store, log, options)) {
            seen.push(each)
            if (pauses.next().value === true) await Promise.resolve()
          }
          return seen
        }
        const all: Promise<LogEntry[]>[] = []
        const begin = (at: number): void => {
          for (const reader of readers)
            if (Math.min(reader.at, total - 1) === at) all.push(reading(Math.min(reader.after, total - 1)))
        }
        for (const [index, { event, runId: run }] of recorded.entries()) {
          begin(index)
          log.append(event, run)
          shadow.push(event)
          if (pauses.next().value === true) await new Promise((resolve) => setImmediate(resolve))
        }
        const seen = await Promise.all(all)
        const replay = store.read(log.id, 0, 1000)
        expect(replay.map(({ event }) => event)).toEqual(shadow)
        // In the order in which they began.
        const cursors = readers.toSorted((a, b) => Math.min(a.at, total - 1) - Math.min(b.at, total - 1))
        for (const [index, { after }] of cursors.entries()) {
          expect(seen[index]).toEqual(replay.slice(Math.min(after, total - 1)))
        }
        expect(log.readers.keepingUp).toBe(true)
      },
    ),
    { numRuns: 60 },
  )
})

test('fold(all) = fold(fold(prefix), suffix), and the registers of the log are that fold', () => {
  fc.assert(
    fc.property(turns, fc.nat(40), (history, cut) => {
      const store = memoryStore()
      const log = create(store)
      const all = write(log, history, 'r')
      expect(foldRegisters(all.slice(cut), foldRegisters(all.slice(0, cut)))).toEqual(foldRegisters(all))
      expect(log.registers).toEqual(foldRegisters(all))
      expect(store.get(log.id)?.registers).toEqual(foldRegisters(all))
      const updates = all.flatMap(({ event }) => (event.type === 'session/update' ? [event.update] : []))
      const half = updates.slice(0, cut).reduce(advanceOutput, NO_OUTPUT)
      expect(updates.slice(cut).reduce(advanceOutput, half)).toEqual(updates.reduce(advanceOutput, NO_OUTPUT))
    }),
  )
})

test('B8.2: a fork by reference, of forks too, reads as a copy would, and its parent never changes', () => {
  fc.assert(
    fc.property(
      turns,
      fc.array(fc.tuple(fc.nat(100), turns), { minLength: 1, maxLength: 4 }),
      fc.nat(60),
      fc.integer({ min: 1, max: 9 }),
      (history, forks, after, limit) => {
        const store = memoryStore()
        const root = create(store, 'f0')
        let copy = write(root, history, 'f0')
        let source = root
        for (const [index, [cut, more]] of forks.entries()) {
          const through = cut % (copy.length + 1)
          const prefix = prefixThrough(source.header, through)
          const before = store.read(source.id, 0, 10_000)
          const settledPrefix = copy.slice(0, through)
          const name = `f${index + 1}`
          const log = SessionLog.create(store, header(name, prefix), EMPTY_REGISTERS, () => 0)
          copy = [...settledPrefix, ...write(log, more, name)]
          expect(store.read(log.id, after, limit)).toEqual(copy.slice(after, after + limit))
          expect(store.read(log.id, 0, 10_000)).toEqual(copy)
          expect(store.read(source.id, 0, 10_000)).toEqual(before)
          expect(prefix.length).toBeLessThanOrEqual(index + 1)
          source = log
        }
      },
    ),
  )
})
