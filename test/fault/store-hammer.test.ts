/** Eight processes use one store at once: nothing is lost, doubled or refused for another's lock (C35). */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { SessionId } from '../../src/contract/ids.ts'
import { storeHouse } from '../fixtures/store-file.ts'
import type { Report } from './store-writer.ts'

const FOR_MS = Number(process.env['SUBGATE_HAMMER_MS'] ?? 6000)
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']

const writer = (file: string, name: string): Promise<Report> => {
  const { promise, resolve, reject } = Promise.withResolvers<Report>()
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'store-writer.ts'), file, name, String(FOR_MS)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  child.once('close', (code) => {
    if (code === 0) resolve(JSON.parse(text) as Report)
    else reject(new Error(`A writer ended with ${code}.`))
  })
  return promise
}

/** Of each method the longest over all processes. */
const longest = (times: readonly Record<string, number>[]): Record<string, number> => {
  const all: Record<string, number> = {}
  for (const [method, ms] of times.flatMap((each) => Object.entries(each))) {
    all[method] = Math.max(all[method] ?? 0, Number(ms.toFixed(1)))
  }
  return all
}

test(
  'C35: eight processes that hammer one store lose and double nothing, and no caller hears of a lock',
  async () => {
    using house = storeHouse()
    const reports = await Promise.all(NAMES.map((name) => writer(house.file, name)))
    const store = house.open()
    expect(reports.flatMap(({ errors }) => errors)).toEqual([])

    const committed = new Map<string, number>()
    for (const report of reports) {
      for (const [id, seq] of Object.entries(report.committed)) {
        committed.set(id, Math.max(committed.get(id) ?? 0, seq))
      }
    }
    expect(committed.size).toBeGreaterThan(NAMES.length)
    let events = 0
    for (const [id, seq] of committed) {
      const entries = store.read(id as SessionId, 0, 1_000_000)
      events += entries.length
      expect(entries.map((entry) => entry.seq)).toEqual(entries.map((_, index) => index + 1))
      expect(entries.length).toBeGreaterThanOrEqual(seq)
      const told = entries.filter(({ event }) => event.type === 'session/update')
      expect(told.every((entry) => JSON.stringify(entry).includes(id))).toBe(true)
      expect(store.get(id as SessionId)?.lastSeq).toBe(entries.length)
    }
    const keys = reports.flatMap((report) => report.keys)
    expect(new Set(keys).size).toBe(keys.length)
    expect(store.load()).toEqual({ active: 0, queued: 0 })
    expect(store.list({ openOnly: true, limit: 10 })).toEqual([])

    const calls = longest(reports.map((report) => report.longest))
    console.log(
      `${FOR_MS / 1000} s: ${committed.size} sessions, ${events} events,`,
      `${reports.reduce((sum, report) => sum + report.calls, 0)} calls; longest calls in ms`,
      calls,
      'without the time that they waited for a processor',
      longest(reports.map((report) => report.held)),
      'of their own work',
      longest(reports.map((report) => report.worked)),
      `longest delays of the event loops ${reports.map(({ loopDelayMs }) => loopDelayMs.toFixed(0)).join(', ')} ms`,
    )
    expect(Math.max(...Object.values(calls))).toBeLessThan(1000)
    // Whatever the machine does besides: no call has work for longer with the event loop held.
    expect(Math.max(...reports.flatMap(({ worked }) => Object.values(worked)))).toBeLessThan(50)
  },
  FOR_MS + 60_000,
)
