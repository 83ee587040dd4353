/** Random lives of several sessions: the store, its file reopened, and a plain model of lists always agree. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LogEntry } from '../../src/contract/events.ts'
import { runId, sessionId } from '../../src/contract/ids.ts'
import type { SessionId } from '../../src/contract/ids.ts'
import { memoryStore } from '../../src/sessions/memory-store.ts'
import { prefixThrough } from '../../src/sessions/prefix.ts'
import { EMPTY_REGISTERS, foldRegisters } from '../../src/sessions/registers.ts'
import { SessionLog } from '../../src/sessions/session-log.ts'
import type { Store } from '../../src/sessions/store.ts'
import { header, say } from '../fixtures/entries.ts'
import { storeHouse } from '../fixtures/store-file.ts'

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('turn' as const), of: fc.nat(9), says: fc.nat(20) }) },
  fc.record({ do: fc.constant('publish' as const) }),
  fc.record({ do: fc.constant('fork' as const), of: fc.nat(9), through: fc.nat(30) }),
  fc.record({ do: fc.constant('again' as const), of: fc.nat(9) }),
  fc.record({ do: fc.constant('remove' as const), of: fc.nat(9) }),
  fc.record({ do: fc.constant('wait' as const) }),
  fc.record({ do: fc.constant('reopen' as const) }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** What every session's readers should see. */
type Model = Map<SessionId, readonly LogEntry[]>

const check = (store: Store, model: Model, gone: ReadonlySet<SessionId>): void => {
  for (const [id, all] of model) {
    expect(store.read(id, 0, 10_000)).toEqual(all)
    for (const [after, limit] of [
      [2, 3],
      [all.length - 1, 9],
      [all.length, 9],
    ] as const) {
      expect(store.read(id, Math.max(after, 0), limit)).toEqual(all.slice(Math.max(after, 0)).slice(0, limit))
    }
    expect(store.get(id)?.lastSeq).toBe(all.length)
    expect(store.get(id)?.registers).toEqual(foldRegisters(all))
    const runs = all.filter(({ event }) => event.type === 'run/started')
    expect(runs.map(({ runId: run }) => run)).toEqual(
      expect.arrayContaining(store.runs(id).map((run) => run.id)),
    )
  }
  for (const id of gone) expect([store.get(id), store.read(id, 0, 9)]).toEqual([undefined, []])
  expect(
    store
      .list({ limit: 999 })
      .map(({ header: { id } }) => id)
      .toSorted(),
  ).toEqual([...model.keys()].toSorted())
}

const play = async (steps: readonly Step[], open: (before?: Store) => Store): Promise<void> => {
  let store = open()
  const model: Model = new Map()
  const gone = new Set<SessionId>()
  const logs = new Map<SessionId, SessionLog>()
  let count = 0
  const turn = (log: SessionLog, says: number): void => {
    const run = runId(`run-${(count += 1)}`)
    const entries = [
      log.append({ type: 'run/started', provider: 'p', depth: 0 }, run),
      ...Array.from({ length: says }, (_, index) =>
        log.append({ type: 'session/update', update: say(`${index}`) }, run),
      ),
      log.append({ type: 'run/settled', status: 'completed', denied: [], durationMs: 0 }, run),
    ]
    model.set(log.id, [...(model.get(log.id) ?? []), ...entries])
  }
  const of = (index: number): SessionId | undefined => [...model.keys()][index % Math.max(model.size, 1)]
  const logOf = async (id: SessionId): Promise<SessionLog> => {
    const known = logs.get(id)
    if (known !== undefined) return known
    await store.claim(id)
    const log = SessionLog.reopen(store, id, () => count)
    if (log === undefined) throw new Error(`${id} is gone`)
    logs.set(id, log)
    return log
  }
  for (const each of steps) {
    const id = 'of' in each ? of(each.of) : undefined
    switch (each.do) {
      case 'publish': {
        const log = SessionLog.create(store, header(`s${(count += 1)}`), EMPTY_REGISTERS, () => count)
        logs.set(log.id, log)
        turn(log, 1)
        break
      }
      case 'turn':
        if (id !== undefined) turn(await logOf(id), each.says)
        break
      case 'fork': {
        if (id === undefined) break
        const from = store.get(id)
        const all = model.get(id) ?? []
        const through = Math.min(each.through, from?.lastSeq ?? 0)
        // A fork begins behind a completed turn.
        const shared = all.slice(0, through).findLastIndex(({ event }) => event.type === 'run/settled') + 1
        if (from === undefined || shared === 0) break
        const made = header(`f${(count += 1)}`, prefixThrough(from.header, shared))
        const log = SessionLog.create(store, made, foldRegisters(all.slice(0, shared)), () => count)
        logs.set(log.id, log)
        model.set(log.id, all.slice(0, shared))
        turn(log, 1)
        break
      }
      case 'again':
        if (id !== undefined) {
          logs.delete(id)
          store.release(id)
        }
        break
      case 'remove':
        if (id === undefined) break
        await logs.get(id)?.flushed()
        logs.delete(id)
        store.release(id)
        expect(await store.remove([id])).toEqual([id])
        model.delete(id)
        gone.add(id)
        break
      case 'wait':
        for (const log of logs.values()) await log.flushed()
        check(store, model, gone)
        break
      case 'reopen':
        logs.clear()
        for (const held of model.keys()) store.release(held)
        store = open(store)
        check(store, model, gone)
        break
    }
  }
  for (const log of logs.values()) await log.flushed()
  check(store, model, gone)
}

const steps = fc.array(step, { minLength: 1, maxLength: 30 })

test('law 7: in a file, over restarts, every session reads as it was written, and what was removed is gone', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (life) => {
      using house = storeHouse()
      let opened = 0
      await play(life, (before) => {
        before?.[Symbol.dispose]()
        return house.open(`o${(opened += 1)}`)
      })
    }),
    { numRuns: 60 },
  )
})

test('law 7: the same in memory', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (life) => {
      using store = memoryStore()
      await play(life, () => store)
    }),
  )
})

test('a session id is what it is, whatever is in it', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (id) => {
      using store = memoryStore()
      store.publish(header(id), [], EMPTY_REGISTERS)
      expect(store.get(sessionId(id))?.header.id).toBe(id)
      expect(store.find(id, 9)).toEqual([id])
    }),
  )
})
