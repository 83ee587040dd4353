/** A fork shares its parent's completed turns by reference, and costs the same whatever their number (B8). */
import { expect, test } from 'vitest'
import { sessionId } from '../../../src/contract/ids.ts'
import type { SessionId } from '../../../src/contract/ids.ts'
import type { LogEntry } from '../../../src/contract/events.ts'
import type { SetupScope } from '../../../src/contract/provider.ts'
import { foldRegisters } from '../../../src/sessions/registers.ts'
import type { Store } from '../../../src/sessions/store.ts'
import { memoryStore } from '../../../src/sessions/memory-store.ts'
import { codeOf, text } from '../../fixtures/house.ts'
import { agents, delegate, keepingScopes, overheard } from '../../fixtures/in-process.ts'
import type { Asked } from '../../fixtures/in-process.ts'
import { storeConversation } from '../../fixtures/long-conversation.ts'

const wordsOf = (asked: Asked, index: number): string => JSON.stringify(asked[index]?.prompt)

test('B8.1: a fork knows the completed turns of its parent, and nothing of the turn that is running', async () => {
  const asked: Asked = []
  await using home = agents({ deployment: { loadModel: overheard(asked) } })
  const { sessionId: id } = await home.play('say: marmalade', { keep: true })
  const completed = home.entries(id).length
  const script = ['say: quince', delegate('clone', 'What do you know?')].join('\n')
  const { text: said } = await home.play(script, { session: { from: 'resume', sessionId: id } })
  const [, child] = home.ids
  expect(child && home.store.get(child)?.header.prefix).toEqual([{ sessionId: id, count: completed }])
  expect(said).toContain('earlier: say: marmalade')
  expect(wordsOf(asked, 2)).toContain('marmalade')
  expect(wordsOf(asked, 2)).not.toContain('quince')
})

test('B8.1: without a completed turn a fork begins like a spawn', async () => {
  await using home = agents()
  await home.play(delegate('clone', 'What do you know?'))
  const [, child] = home.ids
  expect(child && home.store.get(child)?.header.prefix).toEqual([])
  expect(child && home.entries(child)[0]?.seq).toBe(1)
})

test('B8.1: a turn that was cancelled or failed is shared only as far as the last completed one', async () => {
  await using home = agents()
  const { sessionId: id } = await home.play('say: one', { keep: true })
  const completed = home.entries(id).length
  await home.play('fail 400: No.', { session: { from: 'resume', sessionId: id } })
  const child = await home.play('say: two', { provider: 'fork', parent: { sessionId: id } })
  expect(home.store.get(child.sessionId)?.header.prefix).toEqual([{ sessionId: id, count: completed }])
})

test('B8.1: what the parent completes between the call and the publication is not seen', async () => {
  const gate = Promise.withResolvers<void>()
  const loads = overheard([])
  let hold = false
  await using home = agents({
    deployment: {
      loadModel: async (ref) => {
        if (hold) await gate.promise
        return loads(ref)
      },
    },
  })
  const { sessionId: id } = await home.play('say: one', { keep: true })
  const completed = home.entries(id).length
  hold = true
  const starting = home.start('What do you know?', { provider: 'fork', parent: { sessionId: id } })
  await home.play('say: afterwards', { session: { from: 'resume', sessionId: id } })
  gate.resolve()
  const child = await starting
  expect(home.store.get(child.sessionId)?.header.prefix).toEqual([{ sessionId: id, count: completed }])
  expect((await child.result).text).not.toContain('afterwards')
})

test('B8.1: the fork of a fork has a flat prefix of both, and reads as one conversation', async () => {
  await using home = agents()
  const { sessionId: root } = await home.play('say: one', { keep: true })
  const first = await home.play('say: two', { provider: 'fork', parent: { sessionId: root }, keep: true })
  const second = await home.play('What do you know?', {
    provider: 'fork',
    parent: { sessionId: first.sessionId },
  })
  const { prefix } = home.store.get(second.sessionId)?.header ?? {}
  expect(prefix?.map(({ sessionId: id }) => id)).toEqual([root, first.sessionId])
  expect(second.text).toContain('earlier: say: one')
  expect(second.text).toContain('earlier: say: two')
  expect(home.entries(second.sessionId).map(({ seq }) => seq)).toEqual(
    home.entries(second.sessionId).map((_, index) => index + 1),
  )
})

test('B8.3: a fork that says nothing returns nothing, never the last answer of its parent', async () => {
  await using home = agents()
  const { sessionId: id } = await home.play('say: the answer of the parent', { keep: true })
  const child = await home.play('think: Nothing.', { provider: 'fork', parent: { sessionId: id } })
  expect(child).toMatchObject({ status: 'empty', category: 'no_text', text: '' })
})

test('B8.2: the start of a fork reads no history, and stores none, whatever its length', async () => {
  const reads: string[] = []
  let batch: readonly LogEntry[] = []
  const plain = memoryStore()
  const store: Store = {
    ...plain,
    read: (...args) => {
      reads.push(args[0])
      return plain.read(...args)
    },
    publish: (header, entries, ...rest) => {
      batch = entries
      plain.publish(header, entries, ...rest)
    },
  }
  await using home = agents({ store })
  const id = sessionId('ses_long')
  storeConversation(plain, id, { events: 22_000, cwd: home.workspace })
  const run = await home.start('say: done', { provider: 'fork', parent: { sessionId: id } })
  expect(reads).toEqual([])
  expect(batch).toHaveLength(4)
  const stored = home.store.get(run.sessionId)
  expect(stored?.header.prefix).toEqual([{ sessionId: id, count: 22_000 }])
  expect(JSON.stringify([stored, batch]).length).toBeLessThan(4096)
  expect((await run.result).text).toBe('done')
  expect(reads.length).toBeGreaterThan(20)
  // The registers are those that a fold over the whole of it gives.
  const folded = foldRegisters(plain.read(run.sessionId, 0, 100_000))
  expect(home.store.get(run.sessionId)?.registers).toEqual(folded)
})

test('B8.2: a prefix outlives its parent: a fork whose parent was closed and removed reads and goes on', async () => {
  await using home = agents()
  const { store } = home
  const { sessionId: parent } = await home.play('say: marmalade', { keep: true })
  const child = await home.play('say: ready', { provider: 'fork', parent: { sessionId: parent }, keep: true })
  const before = home.entries(child.sessionId)
  await home.runtime.close(parent)
  await store.remove([parent])
  expect(store.get(parent)).toBeUndefined()
  expect(home.entries(child.sessionId)).toEqual(before)
  const session = { from: 'resume', sessionId: child.sessionId } as const
  const again = await home.play('What do you know?', { provider: 'fork', session })
  expect(again.text).toContain('earlier: say: marmalade')
})

test('B8: a fork without a parent is INVALID_REQUEST, by a dry run too, and nothing is set up', async () => {
  const scopes = new Map<SessionId, SetupScope>()
  await using home = agents({ wrap: keepingScopes(scopes) })
  const request = { provider: 'fork', prompt: text('say: done') }
  expect(await codeOf(home.runtime.check(request))).toBe('INVALID_REQUEST')
  expect(await codeOf(home.runtime.start(request))).toBe('INVALID_REQUEST')
  expect([home.ids, scopes.size]).toEqual([[], 0])
  expect(home.runtime.load).toEqual({ active: 0, queued: 0 })
})
