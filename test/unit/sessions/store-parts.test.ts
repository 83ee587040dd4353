/** The pure parts of the store: tails, network file systems, the rules of the slot queue, patience. */
import { expect, test } from 'vitest'
import { mountType, networkName } from '../../../src/sessions/sqlite/network.ts'
import { BUSY, patiently } from '../../../src/sessions/sqlite/patience.ts'
import { couldRun, heldBack } from '../../../src/sessions/sqlite/slot-queue.ts'
import type { SlotRow } from '../../../src/sessions/sqlite/slot-queue.ts'
import { Tails } from '../../../src/sessions/sqlite/tail.ts'
import { entry, saying, session } from '../../fixtures/entries.ts'

const entries = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => entry(first + index, saying('x')))

const seqs = (tails: Tails, id: string, after: number): readonly number[] | undefined =>
  tails.read(session(id), after, 99)?.map(({ seq }) => seq)

test('a tail gives what it has, and nothing where its beginning is missing', () => {
  const tails = new Tails({ entries: 4, bytes: 1000, total: 1000 })
  tails.push(session('s'), entries(3, 4), 2)
  expect([seqs(tails, 's', 2), seqs(tails, 's', 3), seqs(tails, 's', 4)]).toEqual([[3, 4], [4], []])
  expect([seqs(tails, 's', 1), seqs(tails, 'else', 0)]).toEqual([undefined, undefined])
  tails.push(session('s'), entries(5, 5), 1)
  expect([seqs(tails, 's', 2), seqs(tails, 's', 3), seqs(tails, 's', 4)]).toEqual([[3, 4, 5], [4, 5], [5]])
  tails.push(session('s'), entries(6, 8), 3)
  expect([seqs(tails, 's', 3), seqs(tails, 's', 4), seqs(tails, 's', 7)]).toEqual([
    undefined,
    [5, 6, 7, 8],
    [8],
  ])
})

test('a page of a tail is as long as was asked for, across what was committed apart', () => {
  const tails = new Tails({ entries: 99, bytes: 1000, total: 1000 })
  for (const [first, last] of [
    [1, 2],
    [3, 3],
    [4, 7],
  ] as const)
    tails.push(session('s'), entries(first, last), 1)
  const page = (after: number, limit: number) => tails.read(session('s'), after, limit)?.map(({ seq }) => seq)
  expect([page(0, 2), page(0, 3), page(1, 3), page(2, 2), page(6, 9)]).toEqual([
    [1, 2],
    [1, 2, 3],
    [2, 3, 4],
    [3, 4],
    [7],
  ])
})

test('tails are bounded by bytes, each and all together; what grew last stays', () => {
  const tails = new Tails({ entries: 99, bytes: 10, total: 15 })
  tails.push(session('a'), entries(1, 2), 8)
  tails.push(session('a'), entries(3, 3), 4)
  expect([seqs(tails, 'a', 1), seqs(tails, 'a', 2)]).toEqual([undefined, [3]])
  tails.push(session('b'), entries(1, 2), 10)
  tails.push(session('c'), entries(1, 1), 9)
  expect([seqs(tails, 'a', 2), seqs(tails, 'b', 0), seqs(tails, 'c', 0)]).toEqual([undefined, undefined, [1]])
  tails.drop(session('c'))
  tails.push(session('d'), entries(1, 2), 10)
  expect(seqs(tails, 'd', 0)).toEqual([1, 2])
  tails.push(session('d'), entries(3, 3), 11)
  expect([seqs(tails, 'd', 0), seqs(tails, 'd', 2)]).toEqual([undefined, undefined])
})

const MOUNTS = `22 1 0:20 / / rw,relatime shared:1 - ext4 /dev/vda rw
40 22 0:35 / /home/me rw - fuse.sshfs me@host: rw
41 22 0:36 / /home/me/local\\040disk rw - fuse.ntfs /dev/sdb rw`

test.each([
  ['/home/me/state', 'fuse.sshfs'],
  ['/home/me', 'fuse.sshfs'],
  ['/home/meadow', 'ext4'],
  ['/home/me/local disk/x', 'fuse.ntfs'],
])('%s is on %s', (path, type) => {
  expect(mountType(MOUNTS, path)).toBe(type)
})

test.each([
  [0x6969, undefined, 'NFS'],
  [0xfe534d42, undefined, 'SMB'],
  [0xfe534d42 - 2 ** 32, undefined, 'SMB'],
  [0x65735546, 'fuse.sshfs', 'sshfs'],
  [0x65735546, 'fuse.ntfs', undefined],
  [0xef53, undefined, undefined],
])('file system %d of mount %s is called %s', (magic, mount, name) => {
  expect(networkName(magic, () => mount)).toBe(name)
})

const row = (ticket: string, more: Partial<SlotRow> = {}): SlotRow => ({
  ticket,
  provider: 'p',
  comes_back: 0,
  total_limit: 2,
  provider_limit: null,
  ...more,
})

const counted = (total: number, own = 0) => ({ total, own: () => own })
const nobody = (): boolean => false

test('a start could run below its limits, while its provider is not paused', () => {
  expect(couldRun(row('a'), counted(1), nobody)).toBe(true)
  expect(couldRun(row('a'), counted(2), nobody)).toBe(false)
  expect(couldRun(row('a', { provider_limit: 1 }), counted(1, 1), nobody)).toBe(false)
  expect(couldRun(row('a'), counted(0), () => true)).toBe(false)
  expect(couldRun(row('a', { comes_back: 1 }), counted(0), () => true)).toBe(true)
})

test('it is held back by an older one that could run and whose process is not silent', () => {
  const [old, young] = [row('old'), row('young')]
  expect(heldBack(young, [old, young], counted(1), nobody, () => false)).toBe(true)
  expect(heldBack(young, [old, young], counted(1), nobody, ({ ticket }) => ticket === 'old')).toBe(false)
  expect(heldBack(old, [old, young], counted(1), nobody, () => false)).toBe(false)
  expect(heldBack(young, [row('full', { total_limit: 1 }), young], counted(1), nobody, () => false)).toBe(
    false,
  )
})

const busyFor = (times: number) => {
  let calls = 0
  return {
    attempt: () => {
      calls += 1
      if (calls <= times) throw Object.assign(new Error('database is locked'), { errcode: 5 })
      return calls
    },
    calls: () => calls,
  }
}

test('patience tries again while it lasts, and passes on what is no lock', () => {
  expect(patiently(1000, busyFor(3).attempt)).toBe(4)
  expect(patiently(5, busyFor(1_000_000).attempt)).toBe(BUSY)
  const other = busyFor(0)
  expect(() =>
    patiently(1000, () => {
      other.attempt()
      throw new Error('other')
    }),
  ).toThrow('other')
  expect(other.calls()).toBe(1)
})
