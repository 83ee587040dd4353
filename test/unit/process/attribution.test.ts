/** Whose a process below a shared one is: told by who was at work when it appeared. */
import { expect, test } from 'vitest'
import { Attribution } from '../../../src/process/attribution.ts'
import type { ProcessRow } from '../../../src/process/process-table.ts'

const HOST = 1000
const row = (pid: number, parent = HOST): ProcessRow => ({
  pid,
  parent,
  group: HOST,
  startTime: pid,
  zombie: false,
})
const pids = (rows: readonly ProcessRow[]): readonly number[] => rows.map(({ pid }) => pid)

const [a, b] = [{}, {}]
const [turnOfA, nextOfA, turnOfB] = [{ of: a }, { of: a }, { of: b }]
const helper = row(1)

test('what ran before anybody worked is the own of the host, and is nobody stray', () => {
  const told = new Attribution([helper])
  told.begin(turnOfA, [helper])
  told.end(turnOfA, [helper])
  told.leave(a, [helper])
  expect(told.strays([helper])).toEqual([])
})

test('what appeared in a turn is of that turn, and stray when its session has left', () => {
  const told = new Attribution([helper])
  told.begin(turnOfA, [helper])
  const rows = [helper, row(2), row(3, 2)]
  told.end(turnOfA, rows)
  expect(told.strays(rows)).toEqual([])
  expect(pids(told.startedBy(turnOfA, rows))).toEqual([2, 3])
  expect(told.startedBy(nextOfA, rows)).toEqual([])
  told.leave(a, rows)
  expect(pids(told.strays(rows))).toEqual([2, 3])
})

test('what two may have started is stray when both have left', () => {
  const told = new Attribution([])
  told.begin(turnOfA, [])
  told.begin(turnOfB, [])
  const rows = [row(2)]
  told.leave(a, rows)
  expect(told.startedBy(turnOfB, rows)).toEqual([])
  expect(told.strays(rows)).toEqual([])
  told.leave(b, rows)
  expect(pids(told.strays(rows))).toEqual([2])
})

test('a child is of those who started its parent, whoever else is at work', () => {
  const told = new Attribution([])
  told.begin(turnOfA, [])
  told.begin(turnOfB, [row(2)])
  const rows = [row(2), row(3, 2)]
  expect(pids(told.startedBy(turnOfA, rows))).toEqual([2, 3])
  told.end(turnOfA, rows)
  told.begin(nextOfA, rows)
  expect(pids(told.startedBy(nextOfA, [...rows, row(4, 3)]))).toEqual([4])
})

test('what appeared while nobody worked is stray when nobody is there', () => {
  const told = new Attribution([])
  told.begin(turnOfA, [])
  told.end(turnOfA, [])
  expect(told.strays([row(2)])).toEqual([])
  told.leave(a, [row(2)])
  expect(pids(told.strays([row(2)]))).toEqual([2])
})

test('a pid that was used again is another process', () => {
  const told = new Attribution([row(2)])
  told.begin(turnOfA, [row(2)])
  const again = { ...row(2), startTime: 99 }
  expect(pids(told.startedBy(turnOfA, [again]))).toEqual([2])
})
