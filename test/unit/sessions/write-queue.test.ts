/** The queue of what waits to be written: bursts share a commit, a refused job fails alone, patience ends. */
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openFile } from '../../../src/sessions/sqlite/database.ts'
import { Connection } from '../../../src/sessions/sqlite/connection.ts'
import { QUEUE_TIMES, WriteQueue } from '../../../src/sessions/sqlite/write-queue.ts'
import type { Job, QueueTimes } from '../../../src/sessions/sqlite/write-queue.ts'
import { until } from '../../fixtures/house.ts'
import { storeHouse } from '../../fixtures/store-file.ts'

interface Rig extends Disposable {
  readonly queue: WriteQueue
  readonly told: string[]
  readonly file: string
  job(name: string, weight?: number): Job
  rows(): readonly string[]
}

const rig = (times: Partial<QueueTimes> = {}): Rig => {
  const house = storeHouse()
  const connection = new Connection(openFile(house.file), house.file, () => {})
  connection.run('create table t (name text primary key)')
  const told: string[] = []
  const queue = new WriteQueue(connection, () => told.push('commit'), { ...QUEUE_TIMES, ...times })
  return {
    queue,
    told,
    file: house.file,
    job: (name, weight = 1) => ({
      weight,
      write: () => {
        connection.run('insert into t values (?)', name)
      },
      done: () => told.push(name),
      failed: ({ message }) => told.push(`${name} failed: ${message}`),
    }),
    rows: () => connection.all<{ name: string }>('select name from t order by rowid').map(({ name }) => name),
    [Symbol.dispose]: () => {
      connection[Symbol.dispose]()
      house[Symbol.dispose]()
    },
  }
}

test('the first of a burst is committed at once, the rest together', async () => {
  using home = rig({ burstMs: 300 })
  for (const name of ['a', 'b', 'c']) home.queue.add(home.job(name), false)
  expect(home.told).toEqual(['a', 'commit'])
  await until(() => home.queue.size === 0)
  expect(home.told).toEqual(['a', 'commit', 'b', 'c', 'commit'])
})

test('what is urgent takes along what waits, in order', () => {
  using home = rig({ burstMs: 60_000 })
  for (const name of ['a', 'b']) home.queue.add(home.job(name), false)
  home.queue.add(home.job('c'), true)
  expect(home.told).toEqual(['a', 'commit', 'b', 'c', 'commit'])
})

test('what is urgent begins no burst: what comes next is committed at once', () => {
  using home = rig({ burstMs: 60_000 })
  home.queue.add(home.job('a'), true)
  for (const name of ['b', 'c']) home.queue.add(home.job(name), false)
  expect(home.told).toEqual(['a', 'commit', 'b', 'commit'])
})

test('a burst that grows too long does not wait', () => {
  using home = rig({ burstMs: 60_000 })
  home.queue.add(home.job('a'), false)
  for (let index = 0; index < 512; index += 1) home.queue.add(home.job(`b${index}`), false)
  expect(home.queue.size).toBe(0)
  expect(home.told.filter((each) => each === 'commit')).toHaveLength(2)
})

test('a job that the database refuses fails alone', () => {
  using home = rig({ burstMs: 60_000 })
  home.queue.add(home.job('a'), false)
  for (const name of ['b', 'a', 'c']) home.queue.add(home.job(name), false)
  home.queue.flush()
  const refused = `a failed: The sessions' database ${home.file} refused what was written or asked. It said: UNIQUE constraint failed: t.name.`
  expect(home.told.slice(2)).toEqual([refused, 'b', 'c', 'commit'])
  expect(home.rows()).toEqual(['a', 'b', 'c'])
})

test('a lock that is given up in time delays; one that never is ends what waited so long', async () => {
  using home = rig({ lockedMs: 150 })
  using other = new DatabaseSync(home.file)
  other.exec('begin immediate')
  home.queue.add(home.job('a'), true)
  setTimeout(() => other.exec('commit'), 30)
  await until(() => home.queue.size === 0)
  expect(home.told).toEqual(['a', 'commit'])
  other.exec('begin immediate')
  home.queue.add(home.job('b'), true)
  await until(() => home.queue.size === 0)
  expect(home.told.at(-1)).toBe(
    `b failed: The sessions' database ${home.file} is locked by another program. End what keeps it open for writing, and try again.`,
  )
  other.exec('commit')
  home.queue.add(home.job('c'), true)
  expect(home.rows()).toEqual(['a', 'c'])
})

test('what waits longer than one transaction should take becomes several', async () => {
  using home = rig({ burstMs: 60_000 })
  using other = new DatabaseSync(home.file)
  other.exec('begin immediate')
  for (const name of ['a', 'b', 'c']) home.queue.add(home.job(name, 1500), true)
  other.exec('commit')
  await until(() => home.queue.size === 0)
  expect(home.told).toEqual(['a', 'commit', 'b', 'commit', 'c', 'commit'])
})

test('what is given up fails with the reason', () => {
  using home = rig({ burstMs: 60_000 })
  for (const name of ['a', 'b']) home.queue.add(home.job(name), false)
  home.queue.giveUp(new Error('closed'))
  expect(home.told).toEqual(['a', 'commit', 'b failed: closed'])
  expect(home.queue.size).toBe(0)
})
