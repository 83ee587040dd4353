/** Sessions of dsh 0.1.0-rc.8 in our words (B9.4). */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { sessionId } from '../../../../src/contract/ids.ts'
import { memoryStore } from '../../../../src/sessions/memory-store.ts'
import { bring, changed, dsh, eventsOf, fileOf, jsonl, reviewersChild } from './rig.ts'

const child = sessionId('child-1')

describe('a child', () => {
  test.each([
    ['child.jsonl.zstd', 'spawn'],
    ['reviewers-child.jsonl', 'reviewers'],
  ])('in %s: its header, how it was created, and its policy', async (file, provider) => {
    const store = memoryStore()
    const [imported] = await bring(store, dsh(file))
    expect(imported).toMatchObject({ id: 'child-1', from: 'child-1', lastSeq: 19 })
    expect(store.get(child)).toMatchObject({
      header: { rootId: 'root-1', parentId: 'root-1', provider, depth: 1, cwd: '/', label: 'proofreader' },
      registers: { lastCompleted: 19, nativeId: 'child-1', sandbox: 'read-only', approvalPolicy: 'never' },
    })
    expect(eventsOf(store, child).slice(0, 5)).toMatchObject([
      { type: 'session/native_id', nativeId: 'child-1' },
      {
        type: 'subagent/descriptor',
        version: 2,
        provider,
        mode: 'kept',
        label: 'proofreader',
        model: 'deepseek/deepseek-chat',
        persona: 'You are a proofreader. You read, and you never write.',
        toolFilter: { allow: ['read', 'grep', 'write'], deny: ['write'] },
      },
      { type: 'sandbox/mode', mode: 'read-only', source: 'delegation' },
      { type: 'approval/policy', policy: 'never', source: 'delegation' },
      {
        type: 'run/started',
        provider,
        depth: 1,
        parentSessionId: 'root-1',
        label: 'proofreader',
        prompt: [{ type: 'text', text: 'Find the typo in notes.txt.' }],
      },
    ])
  })

  test('each turn is a run, with its usage and its ending', async () => {
    const store = memoryStore()
    await bring(store, dsh('child.jsonl.zstd'))
    expect(store.runs(child)).toMatchObject([
      { id: 'run_child-1_1', status: 'completed', usage: { inputTokens: 384, outputTokens: 90 } },
      { id: 'run_child-1_2', status: 'completed', usage: { inputTokens: 128, outputTokens: 30 } },
    ])
    expect(store.list({ parentId: sessionId('root-1'), limit: 2 })).toMatchObject([
      { header: { id: 'child-1' }, run: { id: 'run_child-1_2' } },
    ])
  })

  test('what was said and called are updates, whoever said it', async () => {
    const store = memoryStore()
    await bring(store, dsh('child.jsonl.zstd'))
    const updates = eventsOf(store, child).flatMap((event) =>
      event.type === 'session/update' ? [event.update] : [],
    )
    expect(updates).toMatchObject([
      { sessionUpdate: 'user_message_chunk', _meta: { subgate: { prompt: true } } },
      { sessionUpdate: 'user_message_chunk', _meta: { subgate: { context: true } } },
      { sessionUpdate: 'agent_thought_chunk' },
      { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'I read the file first.' } },
      { sessionUpdate: 'tool_call', name: 'read', title: 'read', rawInput: { path: 'notes.txt' } },
      { sessionUpdate: 'tool_call_update', status: 'completed' },
      { sessionUpdate: 'tool_call', rawInput: { path: 'missing.txt' } },
      {
        sessionUpdate: 'tool_call_update',
        status: 'failed',
        rawOutput: 'Error: There is no file missing.txt.',
      },
      { sessionUpdate: 'agent_message_chunk' },
      { sessionUpdate: 'user_message_chunk', content: { text: 'Is there another one?' } },
      { sessionUpdate: 'agent_message_chunk', content: { text: 'No, that was the only one in the file.' } },
    ])
  })

  test('one that was forked keeps what it inherited apart, and its policy is its own', async () => {
    const store = memoryStore()
    await bring(store, dsh('fork.jsonl.zstd'))
    const { header, registers } = store.get(sessionId('fork-1')) ?? {}
    expect(header?.prefix.map(({ count }) => count)).toEqual([5])
    expect(registers).toMatchObject({ lastCompleted: 5, sandbox: 'read-only', nativeId: 'fork-1' })
    expect(store.runs(sessionId('fork-1'))).toMatchObject([
      { id: 'run_fork-1_2', provider: 'fork', status: 'truncated' },
    ])
    const [first] = eventsOf(store, 'fork-1')
    expect(first).toMatchObject({ type: 'run/started', provider: 'spawn', depth: 0 })
  })

  test('its root is found among what is imported with it, and in the store', async () => {
    const grandchild = jsonl(
      reviewersChild().map((record) =>
        record.type === 'session' ? { ...record, id: 'grandchild', parentSession: 'child-1' } : record,
      ),
    )
    const together = memoryStore()
    await bring(together, [fileOf(grandchild), dsh('child.jsonl.zstd')])
    expect(together.get(sessionId('grandchild'))?.header.rootId).toBe('root-1')
    const later = memoryStore()
    await bring(later, dsh('child.jsonl.zstd'))
    await bring(later, fileOf(grandchild))
    expect(later.get(sessionId('grandchild'))?.header.rootId).toBe('root-1')
  })
})

describe('endings', () => {
  test('a failed turn, a cancelled one and a switch of policy between turns', async () => {
    const store = memoryStore()
    await bring(store, dsh('root.jsonl.zstd'))
    expect(store.runs(sessionId('root-1')).map(({ status }) => status)).toEqual([
      'completed',
      'failed',
      'cancelled',
    ])
    expect(eventsOf(store, 'root-1')).toContainEqual(
      expect.objectContaining({
        type: 'run/settled',
        category: 'model',
        error: expect.objectContaining({ code: 'MODEL_ERROR', message: 'The model service is overloaded.' }),
      }),
    )
    expect(eventsOf(store, 'root-1')[6]).toEqual({
      type: 'sandbox/mode',
      mode: 'read-only',
      source: 'request',
    })
  })

  test.each([
    [{ kind: 'completed' }, 'completed', undefined],
    [{ kind: 'max-tokens' }, 'truncated', 'max_tokens'],
    [{ kind: 'blocked' }, 'refused', 'refusal'],
    [{ kind: 'aborted', reason: { kind: 'user' } }, 'cancelled', 'request'],
    [{ kind: 'error', error: { message: 'M', code: 'C' } }, 'failed', 'model'],
    [{ kind: 'interrupted' }, 'interrupted', 'owner_lost'],
    [{ kind: 'something-new' }, 'failed', 'model'],
  ])('%j is %s', async (reason, status, category) => {
    const store = memoryStore()
    await bring(
      store,
      changed('turn/end', (record) => ({ ...record, data: { ...record.data, reason } })),
    )
    const last = eventsOf(store, child).at(-1)
    expect(last).toMatchObject({ type: 'run/settled', status, ...(category && { category }) })
  })

  test('a turn that its process left open is interrupted, with the call that it was in', async () => {
    const store = memoryStore()
    const id = sessionId('crashed-1')
    await bring(store, dsh('crashed.jsonl.zstd'))
    expect(store.runs(id).map(({ status }) => status)).toEqual(['completed', 'interrupted'])
    expect(store.get(id)?.registers).toMatchObject({ lastCompleted: 6, lastStatus: 'interrupted' })
    expect(store.get(id)?.registers.openRun).toBeUndefined()
    expect(eventsOf(store, id).at(-2)).toMatchObject({
      type: 'session/update',
      update: { sessionUpdate: 'tool_call', name: 'stall' },
    })
  })

  test('a torn last record, compressed or plain, is left out, and an answer that was cut off is kept', async () => {
    const whole = readFileSync(dsh('crashed.jsonl.zstd'))
    const plain = readFileSync(dsh('reviewers-child.jsonl'), 'utf8')
    const cut = plain.indexOf('Find', plain.indexOf('"user/message"'))
    const torn = [fileOf(whole.subarray(0, whole.length - 20)), fileOf(plain.slice(0, cut), 'plain.jsonl')]
    const store = memoryStore()
    await bring(store, torn)
    expect(store.runs(sessionId('crashed-1'))[0]).toMatchObject({ status: 'completed' })
    expect(store.runs(child)).toMatchObject([{ status: 'interrupted' }])

    const records = reviewersChild()
    const answer = records.findIndex((record) => record.type === 'assistant/message')
    await bring(store, fileOf(jsonl(records.slice(0, answer).map((each) => renamed(each, 'streaming')))))
    expect(eventsOf(store, 'streaming').at(-2)).toMatchObject({
      type: 'session/update',
      update: { sessionUpdate: 'agent_message_chunk', content: { text: 'I read the file first.' } },
    })
  })
})

const renamed = (record: any, id: string): unknown => (record.type === 'session' ? { ...record, id } : record)

describe('replaced messages', () => {
  test('a summary stands where the first stood that it hides; those are kept, but not for the model', async () => {
    const records = reviewersChild()
    const surface = records.filter((record) => record.surfaceOp === 'append')
    const { seq, time } = records.at(-1)
    const summary = {
      type: 'user/message',
      seq: seq + 2,
      time,
      data: {
        id: 'summary',
        role: 'user',
        content: [{ type: 'text', text: 'In short: one typo.' }],
        source: { kind: 'plugin', plugin: 'compaction' },
      },
      sourceEventSeqs: surface.slice(0, 7).map((record) => record.seq),
      surfaceOp: { op: 'replace', start: surface[0].seq, end: surface[6].seq },
    }
    const more = [
      { type: 'turn/start', seq: seq + 1, time, data: { turn: 3 } },
      summary,
      { type: 'turn/end', seq: seq + 3, time, data: { turn: 3, reason: { kind: 'completed' } } },
    ]
    const store = memoryStore()
    await bring(store, fileOf(jsonl([...records, ...more])))
    const events = eventsOf(store, child)
    const heard = events.flatMap((event) =>
      event.type === 'session/update' ? [JSON.stringify(event.update)] : [],
    )
    expect(heard[0]).toContain('In short: one typo.')
    expect(heard.slice(1)).toEqual([
      expect.stringContaining('Is there another one?'),
      expect.stringContaining('No, that was the only one in the file.'),
    ])
    expect(events.filter(({ type }) => type === 'session/late_update')).toHaveLength(9)
  })
})
