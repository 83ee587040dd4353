/** What of a file of dsh 0.1 isn't understood: listed but not resumable, or refused by the name of its field (B9.1). */
import { describe, expect, test } from 'vitest'
import { sessionId } from '../../../../src/contract/ids.ts'
import { memoryStore } from '../../../../src/sessions/memory-store.ts'
import { bring, changed, entriesOf, eventsOf, reviewersChild } from './rig.ts'

const child = sessionId('child-1')

const describing = (change: object): string =>
  changed('subagent/descriptor', (record) => ({ ...record, data: { ...record.data, ...change } }))

const lineOf = (type: string): number => reviewersChild().findIndex((record) => record.type === type) + 1

describe('a descriptor', () => {
  test.each([1, 3, 77])('of version %d is listed, and never taken for one of ours', async (version) => {
    const store = memoryStore()
    await bring(store, describing({ version, somethingNew: true }))
    const { registers, header } = store.get(child) ?? {}
    expect(header).toMatchObject({ provider: 'reviewers', label: 'proofreader' })
    expect(registers?.descriptor?.version).toBe(1000 + version)
    expect(registers?.nativeId).toBeUndefined()
    expect(eventsOf(store, child)[0]).toMatchObject({
      type: 'notice',
      detail: expect.stringContaining(`Version ${version} of dsh's descriptors`),
    })
  })

  test.each([
    [{ persona: 7 }, 'data.persona'],
    [{ toolFilter: { allow: 'read' } }, 'data.toolFilter.allow'],
    [{ toolFilter: {} }, 'data.toolFilter'],
    [{ toolFilter: { permit: ['read'] } }, 'data.toolFilter.permit'],
    [{ label: undefined }, 'data.label'],
    [{ provider: '' }, 'data.provider'],
    [{ mode: 'forever' }, 'data.mode'],
    [{ agentModel: null }, 'data.agentModel'],
    [{ systemPrompt: 'x' }, 'data.systemPrompt'],
    [{ version: '2' }, 'data.version'],
  ])('%j of the known version is an error that names the field', async (change, field) => {
    const store = memoryStore()
    await expect(bring(store, describing(change))).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      data: { field },
      message: expect.stringMatching(
        new RegExp(
          `sessions\\.jsonl, line ${lineOf('subagent/descriptor')}: .*Nothing was imported\\.$`,
          'u',
        ),
      ),
    })
    expect(store.get(child)).toBeUndefined()
  })
})

describe('refused', () => {
  test.each([
    ['another format', (record: any) => ({ ...record, version: 1 }), 'session', 'version 1'],
    [
      'no depth',
      (record: any) => ({ ...record, delegationDepth: undefined }),
      'session',
      '"delegationDepth"',
    ],
    [
      'an unknown event',
      (record: any) => ({ ...record, type: 'future/thing' }),
      'turn/start',
      '"future/thing"',
    ],
    [
      'a gap in the numbers',
      (record: any) => ({ ...record, seq: record.seq + 1 }),
      'turn/start',
      '"seq"|after event',
    ],
    [
      'an unknown sandbox',
      (record: any) => ({ ...record, data: { mode: 'none' } }),
      'sandbox/mode',
      'data.mode',
    ],
    [
      'a turn within a turn',
      (record: any) => ({ ...record, type: 'turn/start' }),
      'turn/end',
      'another is open',
    ],
  ])('%s', async (_, change, type, said) => {
    const store = memoryStore()
    await expect(bring(store, changed(type, change))).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringMatching(new RegExp(`, line ${lineOf(type)}: .*(?:${said})`, 'u')),
    })
    expect(entriesOf(store, child)).toEqual([])
  })

  test('an unknown event that says it may be ignored is', async () => {
    const store = memoryStore()
    await bring(
      store,
      changed('request/context', (record) => ({ ...record, type: 'future/thing', ignorable: true })),
    )
    expect(store.get(child)?.lastSeq).toBe(19)
  })
})
