/** Each list is read in the order of an index, from what is asked for alone: 100 cold children in at most 5 ms. */
import { expect, test } from 'vitest'
import { openMemory } from '../../../src/sessions/sqlite/database.ts'
import { listQuery } from '../../../src/sessions/sqlite/session-index.ts'
import type { SessionFilter } from '../../../src/sessions/store.ts'
import { session } from '../../fixtures/entries.ts'

const plan = (filter: SessionFilter): readonly string[] => {
  using connection = openMemory()
  const { sql, values } = listQuery(filter)
  return connection
    .all<{ detail: string }>(`explain query plan ${sql}`, ...values)
    .map(({ detail }) => detail)
}

const after = { at: 1, id: session('s') }

test.each<[string, SessionFilter, string]>([
  [
    'children',
    { parentId: session('s'), limit: 100 },
    'SEARCH sessions USING INDEX sessions_by_parent (parent_id=?)',
  ],
  [
    'a tree',
    { rootId: session('s'), limit: 100 },
    'SEARCH sessions USING INDEX sessions_by_root (root_id=?)',
  ],
  ['a directory', { cwd: '/w', limit: 1 }, 'SEARCH sessions USING INDEX sessions_by_cwd (cwd=?)'],
  [
    'the roots of a directory',
    { cwd: '/w', rootsOnly: true, limit: 1 },
    'SEARCH sessions USING INDEX sessions_by_cwd (cwd=?)',
  ],
  ['roots', { rootsOnly: true, limit: 9 }, 'SEARCH sessions USING INDEX sessions_by_parent (parent_id=?)'],
  ['all', { limit: 100 }, 'SCAN sessions USING INDEX sessions_by_change'],
])('%s by index, without sorting', (_, filter, expected) => {
  expect(plan(filter)).toEqual([expected])
})

test('the next page begins where the last one ended', () => {
  expect(plan({ parentId: session('s'), limit: 100, after })).toEqual([
    'SEARCH sessions USING INDEX sessions_by_parent (parent_id=? AND (updated_at,id)<(?,?))',
  ])
  expect(plan({ limit: 100, after })).toEqual([
    'SEARCH sessions USING INDEX sessions_by_change ((updated_at,id)<(?,?))',
  ])
})

test.each<[string, SessionFilter, string]>([
  ['a name', { name: 'n', provider: 'p', cwd: '/w', limit: 1 }, 'sessions_by_name'],
  ['the sessions of a chat', { chat: 'c', limit: 9 }, 'sessions_by_chat'],
  ['open runs', { openOnly: true, limit: 100 }, 'sessions_open'],
  ['open roots', { openOnly: true, rootsOnly: true, cwd: '/w', limit: 100 }, 'sessions_open'],
])('%s are few, and found by their own index', (_, filter, index) => {
  expect(plan(filter)).toHaveLength(1)
  expect(plan(filter)[0]).toContain(`USING INDEX ${index}`)
})
