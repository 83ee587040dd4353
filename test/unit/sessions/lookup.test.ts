/** What a person means by a session. */
import { describe, expect, test } from 'vitest'
import { runId, sessionId } from '../../../src/contract/ids.ts'
import { lookUp } from '../../../src/sessions/lookup.ts'
import type { ListedSession, SessionFilter, StoredRun } from '../../../src/sessions/store.ts'

/** Sessions with the runs that each has. */
const storeOf = (runs: Readonly<Record<string, readonly string[]>>, filters: SessionFilter[] = []) => ({
  find: (text: string, limit: number) =>
    Object.entries(runs)
      .filter(([id, own]) => [id, ...own].some((each) => each.startsWith(text)))
      .map(([id]) => sessionId(id))
      .slice(0, limit),
  run: (id: string) => {
    const [owner] = Object.entries(runs).find(([, own]) => own.includes(id)) ?? []
    return owner === undefined ? undefined : ({ id: runId(id), sessionId: sessionId(owner) } as StoredRun)
  },
  list: (filter: SessionFilter) => {
    filters.push(filter)
    return Object.keys(runs)
      .map((id) => ({ header: { id: sessionId(id) } }) as ListedSession)
      .slice(0, filter.limit)
  },
})

const STORE = storeOf({ ses_aa1: ['run_x1', 'run_x2'], ses_aa2: ['run_y1'], ses_b: [], ses_bb: ['run_y'] })

describe('an id', () => {
  test.each([
    ['ses_aa1', 'ses_aa1'],
    ['ses_b', 'ses_b'],
    ['run_x', 'ses_aa1'],
    ['run_x2', 'ses_aa1'],
    ['run_y1', 'ses_aa2'],
    ['run_y', 'ses_bb'],
    ['ses_bb', 'ses_bb'],
  ])('%s means %s: whole, of a run, or the beginning of one session alone', (text, id) => {
    expect(lookUp(STORE, text, '/w')).toBe(id)
  })

  test.each(['ses_c', '', 'x'])('"%s" means nothing: SESSION_NOT_FOUND', (text) => {
    expect(() => lookUp(STORE, text, '/w')).toThrow(
      expect.objectContaining({ code: 'SESSION_NOT_FOUND', data: { sessionId: text } }),
    )
  })

  test('the beginning of several is refused, with their ids', () => {
    expect(() => lookUp(STORE, 'ses_a', '/w')).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        message:
          '"ses_a" is the beginning of several sessions\' ids: ses_aa1, ses_aa2. Give more of the one that you mean.',
      }),
    )
    const many = storeOf(Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`ses_${index}`, []])))
    expect(() => lookUp(many, 'ses', '/w')).toThrow('ses_0, ses_1, ses_2, ses_3, ses_4, …')
  })
})

describe('last', () => {
  test('is the newest root session of the directory', () => {
    const filters: SessionFilter[] = []
    expect(lookUp(storeOf({ ses_1: [], ses_2: [] }, filters), 'last', '/w')).toBe('ses_1')
    expect(filters).toEqual([{ cwd: '/w', rootsOnly: true, limit: 1 }])
  })

  test('is SESSION_NOT_FOUND where nothing was started yet', () => {
    expect(() => lookUp(storeOf({}), 'last', '/w')).toThrow('No session was started in /w yet.')
  })
})
