/** From where a delegation comes: token, recorded ancestor, or nowhere (B2.7, C25). */
import { expect, test } from 'vitest'
import { sessionId } from '../../../src/contract/ids.ts'
import type { ProcessRecord } from '../../../src/contract/process-record.ts'
import { resolveLineage } from '../../../src/lineage/ancestor.ts'
import type { LineageSources } from '../../../src/lineage/ancestor.ts'
import { signLineage } from '../../../src/lineage/token.ts'

const key = new Uint8Array(32).fill(7)
const record = (pid: number, session: string, depth: number): ProcessRecord => ({
  pid,
  startTime: pid * 10,
  bootId: 'boot',
  marker: 'm',
  command: 'agent',
  sessionId: sessionId(session),
  rootSessionId: sessionId('root'),
  depth,
  gateway: { pid: 1, startTime: 1, id: 'gw' },
})
const sources = (more: Partial<LineageSources> = {}): LineageSources => ({
  token: undefined,
  key: () => key,
  records: () => [record(20, 'outer', 0), { ...record(30, 'inner', 1), maxDepth: 2 }],
  isLive: () => true,
  ancestors: () => [],
  ...more,
})
/** The processes above the caller, as pairs of pid and start time. */
const above =
  (...pairs: readonly (readonly [number, number])[]): LineageSources['ancestors'] =>
  () =>
    pairs.map(([pid, startTime]) => ({ pid, startTime }))
const token = signLineage(
  { root: sessionId('root'), session: sessionId('inner'), depth: 1, maxDepth: 2 },
  key,
)
const inner = { root: 'root', session: 'inner', depth: 1, maxDepth: 2 }

test('B2.7: a valid token of a live run is the lineage', () => {
  expect(resolveLineage(sources({ token }))).toEqual(inner)
})

test('B2.7: a token whose run has ended is refused, and the refusal says so', () => {
  const refusal = { code: 'LINEAGE_INVALID', data: { reason: 'the run that it was given to has ended' } }
  expect(() => resolveLineage(sources({ token, isLive: () => false }))).toThrow(
    expect.objectContaining(refusal),
  )
  expect(() => resolveLineage(sources({ token, records: () => [record(20, 'outer', 0)] }))).toThrow(
    expect.objectContaining(refusal),
  )
})

test.each(['', 'garbage', `${token}x`])(
  'C25: the present token %j is refused, not taken as missing',
  (bad) => {
    expect(() => resolveLineage(sources({ token: bad, ancestors: above([30, 300]) }))).toThrow(
      expect.objectContaining({ code: 'LINEAGE_INVALID' }),
    )
  },
)

test('B2.7: without a token the nearest recorded ancestor that lives is the lineage', () => {
  const ancestors = above([40, 400], [30, 300], [20, 200])
  expect(resolveLineage(sources({ ancestors }))).toEqual(inner)
  expect(resolveLineage(sources({ ancestors, isLive: ({ pid }) => pid === 20 }))).toEqual({
    root: 'root',
    session: 'outer',
    depth: 0,
  })
})

test('B2.7: without a token and without a recorded ancestor it is a root', () => {
  const ancestors = above([30, 301])
  expect(resolveLineage(sources())).toBeUndefined()
  expect(resolveLineage(sources({ ancestors }))).toBeUndefined()
  expect(resolveLineage(sources({ records: () => [], ancestors: above([30, 300]) }))).toBeUndefined()
})

test('a start without token and without records needs no key', () => {
  expect(resolveLineage(sources({ key: () => expect.unreachable(), records: () => [] }))).toBeUndefined()
})
