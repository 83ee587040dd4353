/** One of the processes that hammer a store: publishes, appends, claims, posts, takes slots and keys, for a while. */
import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { SubagentError } from '../../src/contract/errors.ts'
import type { SessionEvent } from '../../src/contract/events.ts'
import { runId, sessionId } from '../../src/contract/ids.ts'
import type { SessionId } from '../../src/contract/ids.ts'
import { EMPTY_REGISTERS } from '../../src/sessions/registers.ts'
import { SessionLog } from '../../src/sessions/session-log.ts'
import { openStore } from '../../src/sessions/sqlite/open.ts'
import type { Store } from '../../src/sessions/store.ts'
import { header, say, settled, started } from '../fixtures/entries.ts'

const [file = '', name = '', forMs = '0'] = process.argv.slice(2)
const SLOTS = { total: 3, provider: Number.POSITIVE_INFINITY }

/** What a process reports at its end. */
export interface Report {
  /** `seq` up to which each session was said to be committed. */
  readonly committed: Record<string, number>
  readonly keys: string[]
  readonly letters: number
  readonly errors: string[]
  readonly calls: number
  /** The longest call of each method, in milliseconds; the longest without the time that it waited for a processor; and with its own work alone. */
  readonly longest: Record<string, number>
  readonly held: Record<string, number>
  readonly worked: Record<string, number>
  readonly loopDelayMs: number
}

const report = {
  committed: {},
  keys: [],
  letters: 0,
  errors: [],
  calls: 0,
  longest: {},
  held: {},
  worked: {},
} as Omit<Report, 'loopDelayMs'> & {
  letters: number
  calls: number
}

/** Milliseconds that this thread was ready to run but had no processor; 0 where the system doesn't tell. */
const withoutProcessor = (): number => {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}

const note = (times: Record<string, number>, method: string, ms: number): void => {
  times[method] = Math.max(times[method] ?? 0, ms)
}

const timed = (store: Store): Store => {
  const wrap =
    (method: string, call: (...args: unknown[]) => unknown) =>
    (...args: unknown[]): unknown => {
      const waited = withoutProcessor()
      const cpu = process.threadCpuUsage()
      const begun = performance.now()
      try {
        return call(...args)
      } finally {
        report.calls += 1
        const ms = performance.now() - begun
        note(report.longest, method, ms)
        note(report.held, method, ms - withoutProcessor() + waited)
        const { user, system } = process.threadCpuUsage(cpu)
        note(report.worked, method, (user + system) / 1000)
      }
    }
  const entries = Object.entries(store).map(([method, call]) => [method, wrap(method, call)] as const)
  return {
    ...Object.fromEntries(entries),
    [Symbol.dispose]: () => store[Symbol.dispose](),
  } as unknown as Store
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const store = timed(
  openStore({
    file,
    owner: { id: name, pid: process.pid, startTime: 1, bootId: 'b/1' },
    isAlive: () => true,
  }),
)

let count = 0
const saying = (id: SessionId, words: string): SessionEvent => ({
  type: 'session/update',
  update: say(`${id} ${words}`),
})

const turn = async (log: SessionLog, key?: string): Promise<void> => {
  const run = runId(`run_${name}_${(count += 1)}`)
  log.append(started, run, key === undefined ? {} : { together: { key } })
  for (let index = 0; index < 24; index += 1) {
    log.append(saying(log.id, 'x'.repeat(40 + 20 * index)), run)
    if (index % 6 === 0) await pause(0)
  }
  log.append(settled, run)
  await log.flushed()
  report.committed[log.id] = log.lastSeq
}

/** A claim keeps other processes out, not this one's other lane. */
const busyHere = new Set<SessionId>()

const again = async (id: SessionId): Promise<void> => {
  if (busyHere.has(id)) return
  busyHere.add(id)
  try {
    await takeUp(id)
  } finally {
    busyHere.delete(id)
  }
}

const takeUp = async (id: SessionId): Promise<void> => {
  try {
    await store.claim(id)
  } catch (error) {
    if (SubagentError.is(error) && error.code === 'SESSION_BUSY') return
    throw error
  }
  const log = SessionLog.reopen(store, id, Date.now)
  if (log !== undefined) {
    await turn(log)
    const [letter] = store.letters(id)
    if (letter !== undefined) {
      log.append({ type: 'letter/received', letter }, undefined, { together: { deliver: [letter.id] } })
      await log.flushed()
      report.letters += 1
    }
  }
  store.release(id)
}

const round = async (lane: number, turns: number): Promise<void> => {
  const ticket = `${name}-${lane}-${turns}`
  const claim = { ticket, provider: 'p', sessionId: sessionId(ticket), returning: false }
  while (!store.takeSlot(claim, SLOTS)) await pause(5)
  const log = SessionLog.create(store, header(`ses_${name}_${lane}_${turns}`), EMPTY_REGISTERS, Date.now)
  log.append({ type: 'session/native_id', nativeId: ticket })
  busyHere.add(log.id)
  const key = `key-${turns}`
  const mine = (await store.takeKey(key, 'd', Date.now(), 0)) === undefined
  if (mine) report.keys.push(key)
  await turn(log, mine ? key : undefined)
  store.post({ to: log.id, at: Date.now(), kind: 'report', text: ticket })
  store.release(log.id)
  busyHere.delete(log.id)
  store.giveSlot(ticket)
  for (const { header: found } of store.list({ limit: 4 })) await again(found.id)
}

const until = performance.now() + Number(forMs)
const lane = async (index: number): Promise<void> => {
  for (let turns = 0; performance.now() < until; turns += 1) {
    try {
      await round(index, turns)
    } catch (error) {
      report.errors.push(error instanceof Error ? `${error.name}: ${error.message}` : String(error))
    }
  }
}

const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
using watching = store.onChange(() => undefined)
await Promise.all([lane(0), lane(1)])
delay.disable()
watching[Symbol.dispose]()
store[Symbol.dispose]()
process.stdout.write(JSON.stringify({ ...report, loopDelayMs: delay.max / 1e6 } satisfies Report))
