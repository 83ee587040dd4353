/** Who belongs to a tree, decided from rows of the process table (C12). */
import { expect, test } from 'vitest'
import { parsePs, parseStat } from '../../../src/process/process-table.ts'
import type { ProcessRow } from '../../../src/process/process-table.ts'
import { carriesMarker, membersOf } from '../../../src/process/tree.ts'

const root = { pid: 100_000, startTime: 50, runId: 'run-1', groupOutlivesLeader: true }
const row = (pid: number, more: Partial<ProcessRow> = {}): ProcessRow => ({
  pid,
  startTime: 60,
  parent: 1,
  group: pid,
  zombie: false,
  ...more,
})
const leader = row(100_000, { startTime: 50, parent: 5 })
const pids = (
  table: readonly ProcessRow[],
  environments: Readonly<Record<number, string>> = {},
  known: ReadonlyMap<number, number> = new Map([[100_000, 50]]),
  of: typeof root = root,
): readonly number[] => membersOf(of, known, table, (pid) => environments[pid]).map(({ pid }) => pid)

test('a tree is the union of group, descendants and marked processes', () => {
  const table = [
    leader,
    row(100_001, { group: 100_000 }),
    row(100_003, { parent: 100_002 }),
    row(100_002, { parent: 100_000 }),
    row(100_004),
    row(100_005),
  ]
  expect(pids(table, { 100_004: 'A=1\0SUBGATE_RUN=outer:run-1:inner\0' })).toEqual([
    100_000, 100_001, 100_004, 100_002, 100_003,
  ])
})

test('the group counts when its leader is gone, but not when another process has the number', () => {
  const member = row(100_001, { group: 100_000 })
  expect(pids([member])).toEqual([100_001])
  expect(pids([row(100_000, { startTime: 70 }), member])).toEqual([])
  expect(pids([member], {}, new Map(), { ...root, groupOutlivesLeader: false })).toEqual([])
})

test('zombies, older processes, and a member whose number was used again do not belong', () => {
  const table = [
    row(100_001, { group: 100_000, zombie: true }),
    row(100_002, { group: 100_000, startTime: 49 }),
    row(100_003, { startTime: 61 }),
  ]
  expect(pids(table, {}, new Map([[100_003, 60]]))).toEqual([])
})

test('a member that was seen before belongs although its parent has died', () => {
  expect(pids([row(100_003)], {}, new Map([[100_003, 60]]))).toEqual([100_003])
})

test.each([
  ['SUBGATE_RUN=run-1', true],
  ['A=1\0SUBGATE_RUN=a:run-1\0B=2', true],
  ['SUBGATE_RUN=run-10', false],
  ['SUBGATE_RUN=xrun-1:b', false],
  ['OTHER=run-1', false],
  ['OTHER=SUBGATE_RUN=run-1', false],
  ['', false],
])('the environment %j carries the marker run-1: %s', (environment, carries) => {
  expect(carriesMarker(environment, 'run-1')).toBe(carries)
})

test("a process's name with brackets and spaces doesn't confuse its row", () => {
  const fields = 'S 7 8 9 0 -1 4194560 1 0 0 0 2 3 0 0 20 0 1 0 4711 0 0'
  expect(parseStat(`42 (a) R 1 (b) ${fields}`)).toEqual({
    pid: 42,
    parent: 7,
    group: 8,
    startTime: 4711,
    zombie: false,
  })
  expect(parseStat('')).toBeUndefined()
})

test('a line of ps gives the same facts', () => {
  const started = Date.parse('Sat Aug  9 10:11:12 2025') / 1000
  expect(parsePs('   42     7     8 Ss   Sat Aug  9 10:11:12 2025')).toEqual({
    pid: 42,
    parent: 7,
    group: 8,
    startTime: started,
    zombie: false,
  })
  expect(parsePs('  PID  PPID')).toBeUndefined()
})
