/** Sandbox, approvals and depth of a session are asked for without its log being read, however long it is (B3). */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sessionId } from '../../../src/contract/ids.ts'
import type { SessionId } from '../../../src/contract/ids.ts'
import { memoryStore } from '../../../src/sessions/memory-store.ts'
import type { Store } from '../../../src/sessions/store.ts'
import { agents, call, delegate, overheard, toolResults } from '../../fixtures/in-process.ts'
import type { Asked } from '../../fixtures/in-process.ts'
import { mode, PIN, policyOf } from '../../fixtures/inherited-policy.ts'
import { storeConversation } from '../../fixtures/long-conversation.ts'

const EVENTS = 100_000
const LONG = sessionId('ses_long')

/** A store that notes of which session entries were read. */
const noting = (reads: SessionId[]): Store => {
  const plain = memoryStore()
  return {
    ...plain,
    read: (id, ...range) => {
      reads.push(id)
      return plain.read(id, ...range)
    },
  }
}

test.each(['spawn', 'fork'] as const)(
  'B2.1, B3.1: what a %s takes from a session of 100,000 events is taken without reading it',
  async (provider) => {
    const reads: SessionId[] = []
    const store = noting(reads)
    await using home = agents({ store })
    storeConversation(store, LONG, {
      events: EVENTS,
      cwd: home.workspace,
      first: [
        mode('read-only', 'request'),
        { type: 'permission/preset', preset: 'auto', source: 'delegation' },
      ],
    })
    const run = await home.start('say: done', { provider, parent: { sessionId: LONG } })
    expect((await run.result).text).toBe('done')
    expect(reads).not.toContain(LONG)
    const stored = store.get(run.sessionId)
    expect(stored?.header.depth).toBe(1)
    expect(stored?.registers).toMatchObject({
      sandbox: 'read-only',
      permissionPreset: 'auto',
      approvalPolicy: 'never',
    })
  },
)

test('B3.5, B4.1: an agent of 100,000 events asks for its policy at each call without reading them again', async () => {
  const reads: SessionId[] = []
  const asked: Asked = []
  const store = noting(reads)
  let before = 0
  const loads = overheard(asked)
  await using home = agents({
    store,
    deployment: {
      loadModel: async (ref) => {
        const model = await loads(ref)
        const { language } = model
        const doStream: typeof language.doStream = (options) => {
          if (asked.length === 0) before = reads.length
          return language.doStream(options)
        }
        return { ...model, language: { ...language, doStream } }
      },
    },
  })
  storeConversation(store, LONG, {
    events: EVENTS,
    cwd: home.workspace,
    first: [
      mode('read-only', 'request'),
      { type: 'approval/policy', policy: 'never', source: 'request' },
      { type: 'session/native_id', nativeId: LONG },
    ],
  })
  const script = [
    call('write', { path: join(home.workspace, 'a.txt'), content: 'hello' }),
    delegate('subagent', 'say: from the child'),
    'say: done',
  ].join('\n')
  const result = await home.play(script, { session: { from: 'resume', sessionId: LONG } })
  const since = reads.slice(before)
  expect(result).toMatchObject({ status: 'completed', text: 'done' })
  expect(before).toBeGreaterThan(0)
  expect(since.filter((id) => id === LONG)).toEqual([])
  const [written, delegated] = toolResults(home.entries(LONG))
  expect(written).toMatch(/^failed: .*the sandbox is read-only, and the approval that it needs was rejected/u)
  expect(delegated).toBe('completed: from the child')
  expect(policyOf(home, home.ids.at(-1))).toEqual([mode('read-only'), PIN])
  expect(home.store.get(home.ids.at(-1) ?? LONG)?.header.depth).toBe(1)
})
