/** Process records on disk. */
import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sessionId } from '../../../src/contract/ids.ts'
import type { ProcessRecord } from '../../../src/contract/process-record.ts'
import { listRecords, removeRecord, writeRecord } from '../../../src/process/records.ts'

const fresh = (): string => mkdtempSync(join(process.env['SUBGATE_TEST_HOME'] ?? '/tmp', 'records-'))
const record: ProcessRecord = {
  pid: 4711,
  startTime: 99,
  bootId: 'boot/ns',
  marker: 'outer:own',
  command: 'agent',
  sessionId: sessionId('s'),
  rootSessionId: sessionId('r'),
  depth: 1,
  maxDepth: 2,
  gateway: { pid: 1, startTime: 3, id: 'gw' },
}

test('a record comes back as it was written, readable by its user alone', () => {
  const state = fresh()
  writeRecord(state, record)
  expect(listRecords(state)).toEqual([record])
  expect(readdirSync(join(state, 'processes'))).toEqual(['4711-99.json'])
  expect(statSync(join(state, 'processes')).mode & 0o777).toBe(0o700)
  expect(statSync(join(state, 'processes', '4711-99.json')).mode & 0o777).toBe(0o600)
  removeRecord(state, record)
  removeRecord(state, record)
  expect(listRecords(state)).toEqual([])
})

test.each([
  ['no JSON', '{"pid":'],
  ['another kind of file', '{"hello":1}'],
  ['a pid that would reach every process', JSON.stringify({ ...record, pid: -1 })],
  ['the first process of the system', JSON.stringify({ ...record, pid: 1 })],
  ['no gateway', JSON.stringify({ ...record, gateway: null })],
])('a file that holds %s is passed over', (_what, content) => {
  const state = fresh()
  writeRecord(state, record)
  writeFileSync(join(state, 'processes', 'x.json'), content)
  expect(listRecords(state)).toEqual([record])
})

test('without the folder there are no records', () => {
  expect(listRecords(join(fresh(), 'missing'))).toEqual([])
})
