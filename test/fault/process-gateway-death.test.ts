/** What a killed gateway leaves behind is ended: at once by its watchdog, else by the next start (C14, law 13). */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sessionId } from '../../src/contract/ids.ts'
import type { ProcessRecord } from '../../src/contract/process-record.ts'
import { isLive } from '../../src/process/ancestry.ts'
import { bootId, environmentOf, processTable } from '../../src/process/process-table.ts'
import type { ProcessIdentity } from '../../src/process/process-table.ts'
import { reapOrphans } from '../../src/process/reaper.ts'
import { listRecords, writeRecord } from '../../src/process/records.ts'
import { firstLine, fixture, identityOf, stateDir, survivors } from '../fixtures/process/owned.ts'

const COMMAND = ['sleep', '4321'] as const
const dead = { pid: process.pid, startTime: 1, id: 'dead' }

const sleeper = async (env: Readonly<Record<string, string>> = {}): Promise<ProcessIdentity> => {
  const child = spawn(COMMAND[0], [COMMAND[1]], {
    stdio: 'ignore',
    detached: true,
    env: { PATH: process.env['PATH'] ?? '', ...env },
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  await once(child, 'spawn')
  return identityOf(child.pid ?? 0)
}

const gateway = async (id: string, dir: string): Promise<[ChildProcess, readonly ProcessIdentity[]]> => {
  const child = spawn(process.execPath, [fixture('gateway.ts'), id, dir, ...COMMAND], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const pids = JSON.parse(await firstLine(child)) as number[]
  return [child, pids.map((pid) => identityOf(pid))]
}

/** It starts a moment after the first child. */
const watchdogsOf = async (id: string): Promise<readonly ProcessIdentity[]> => {
  const now = (): readonly ProcessIdentity[] =>
    processTable().filter(({ pid }) => environmentOf(pid)?.includes(`SUBGATE_WATCHDOG=${id}`) ?? false)
  await expect.poll(() => now().length, { timeout: 10_000 }).toBeGreaterThan(0)
  return now()
}

const record = (identity: ProcessIdentity, more: Partial<ProcessRecord> = {}): ProcessRecord => ({
  ...identity,
  bootId: bootId(),
  marker: 'outer:reaped-run',
  command: COMMAND.join(' '),
  sessionId: sessionId('s'),
  rootSessionId: sessionId('s'),
  depth: 0,
  gateway: dead,
  ...more,
})

test('C14d: when the gateway is killed its children are gone soon, and so is the watchdog; a bystander lives', async () => {
  const bystander = await sleeper()
  const [killed, children] = await gateway('gw-killed', stateDir())
  const watchdogs = await watchdogsOf('gw-killed')
  expect(watchdogs).toHaveLength(1)
  expect(children).toHaveLength(2)
  killed.kill('SIGKILL')
  expect(await survivors([...children, ...watchdogs])).toEqual([])
  expect(await survivors([bystander], 0)).toEqual([bystander.pid])
})

test("the watchdog outlives INT, TERM and HUP, and doesn't keep the gateway's pipes open", async () => {
  const [killed, children] = await gateway('gw-signals', stateDir())
  const watchdogs = await watchdogsOf('gw-signals')
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    for (const { pid } of watchdogs) process.kill(pid, signal)
  const closed = once(killed, 'close')
  killed.kill('SIGKILL')
  expect(await survivors(children)).toEqual([])
  expect(await closed).toEqual([null, 'SIGKILL'])
})

test('at an orderly end the watchdog leaves before the gateway does', async () => {
  const dir = stateDir()
  const [ending, children] = await gateway('gw-orderly', dir)
  const watchdogs = await watchdogsOf('gw-orderly')
  expect(watchdogs).toHaveLength(1)
  const closed = once(ending, 'close')
  ending.stdin?.end()
  expect(await closed).toEqual([0, null])
  expect(await survivors([...children, ...watchdogs], 0)).toEqual([])
  expect(listRecords(dir)).toEqual([])
})

test('C14d: the next start ends recorded trees of dead gateways by leader and by marker, and nothing else', async () => {
  const dir = stateDir()
  const bystander = await sleeper()
  const leader = await sleeper({ SUBGATE_RUN: 'outer:reaped-run' })
  const marked = await sleeper({ SUBGATE_RUN: 'outer:reaped-run:inner' })
  const otherRun = await sleeper({ SUBGATE_RUN: 'outer:other-run' })
  writeRecord(dir, record(leader))
  expect(await reapOrphans(dir)).toEqual({ ended: [leader.pid], escaped: [] })
  expect(await survivors([leader, marked], 0)).toEqual([])
  expect(await survivors([bystander, otherRun], 0)).toEqual([bystander.pid, otherRun.pid])
  expect(listRecords(dir)).toEqual([])
})

test('C14d: a recorded pid that another process has now is left alone', async () => {
  const dir = stateDir()
  const reused = await sleeper()
  const stale = record({ pid: reused.pid, startTime: reused.startTime - 1 })
  writeRecord(dir, stale)
  expect(isLive(stale)).toBe(false)
  expect(await reapOrphans(dir)).toEqual({ ended: [], escaped: [] })
  expect(await survivors([reused], 0)).toEqual([reused.pid])
  expect(listRecords(dir)).toEqual([])
})

test('records of a live gateway stay, those of another boot only go, those of another namespace are not ours', async () => {
  const dir = stateDir()
  const [mine, rebooted, elsewhere] = [await sleeper(), await sleeper(), await sleeper()]
  const live = record(mine, { gateway: { ...identityOf(process.pid), id: 'live' } })
  const foreign = record(elsewhere, { bootId: `${bootId().split('/')[0]}/pid:[1]` })
  writeRecord(dir, live)
  writeRecord(dir, record(rebooted, { bootId: 'another-boot/pid:[1]' }))
  writeRecord(dir, foreign)
  expect(isLive(live)).toBe(true)
  expect(isLive(foreign)).toBe(false)
  await reapOrphans(dir)
  const all = [mine, rebooted, elsewhere]
  expect(await survivors(all, 0)).toEqual(all.map(({ pid }) => pid))
  expect(listRecords(dir).toSorted((a, b) => a.pid - b.pid)).toEqual(
    [live, foreign].toSorted((a, b) => a.pid - b.pid),
  )
})

test('damaged records and a missing folder stop no start', async () => {
  const dir = stateDir()
  expect(await reapOrphans(dir)).toEqual({ ended: [], escaped: [] })
  mkdirSync(join(dir, 'processes'))
  writeFileSync(join(dir, 'processes', '1-1.json'), '{')
  expect(await reapOrphans(dir)).toEqual({ ended: [], escaped: [] })
})
