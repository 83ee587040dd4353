/** Whatever order a tree's events come in: announced before anything else, one parent, nothing lost, no id too many. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { shown, trees } from '../fixtures/child-logs.ts'
import type { Sent, Tree } from '../fixtures/child-logs.ts'

const RUNS = { numRuns: 300 }

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const announcedIn = ({ update }: Sent): string | undefined =>
  update.sessionUpdate === 'subagent_update' ? textOf(update['sessionId']) : undefined

/** Every session that a message names. */
const named = ({ sessionId, update }: Sent): readonly string[] => {
  const links = Array.isArray(update['content']) ? update['content'] : []
  const ids = [
    sessionId,
    update['senderSessionId'],
    update['recipientSessionId'],
    ...links.map((part) => (part as { sessionId?: unknown }).sessionId),
  ]
  return ids.filter((id) => typeof id === 'string')
}

const words = ({ update }: Sent): string => {
  const { text } = (update['content'] ?? {}) as { text?: string }
  return update.sessionUpdate === 'agent_message_chunk' ? (text ?? '') : ''
}

const titleOf = (sent: readonly Sent[], id: string): string =>
  textOf(sent.find((one) => announcedIn(one) === id && 'title' in one.update)?.update['title'])

test('as sessions: each is announced on its parent before anything names it, and keeps that parent', async () => {
  await fc.assert(
    fc.asyncProperty(trees, async (tree) => {
      const { sent } = await shown(tree, 'sessions')
      const parents = new Map<string, string>()
      for (const one of sent) {
        const id = announcedIn(one)
        for (const other of named(one)) expect(other === 'chat' || parents.has(other)).toBe(true)
        if (id === undefined) continue
        expect(parents.get(id) ?? one.sessionId).toBe(one.sessionId)
        parents.set(id, one.sessionId)
      }
      expect(parents.size).toBe(tree.nodes.length)
      for (const [id, parent] of parents) {
        const node = tree.nodes.find((each) => titleOf(sent, id).endsWith(each.id))
        const above = parent === 'chat' ? undefined : titleOf(sent, parent)
        expect(above === undefined).toBe(node?.parent === undefined)
        if (above !== undefined) expect(above.endsWith(String(node?.parent))).toBe(true)
      }
    }),
    RUNS,
  )
})

test("as sessions: every word arrives under its child's id, in order, and before the child is idle", async () => {
  await fc.assert(
    fc.asyncProperty(trees, async (tree) => {
      const { sent } = await shown(tree, 'sessions')
      const ids = new Set(sent.flatMap((one) => announcedIn(one) ?? []))
      for (const id of ids) {
        const node = tree.nodes.find((each) => titleOf(sent, id).endsWith(each.id))
        const own = sent.filter(({ sessionId }) => sessionId === id)
        expect(own.map(words).join('')).toBe(node?.words)
        const states = sent.flatMap((one, index) => {
          const state = one.update['state'] as { state: string } | undefined
          return announcedIn(one) === id && state !== undefined ? [{ index, state: state.state }] : []
        })
        expect(['idle', 'unknown']).toContain(states.at(-1)?.state)
        const idle = states.findLast(({ state }) => state === 'idle')?.index ?? -1
        expect(sent.findLastIndex((one) => one.sessionId === id && words(one) !== '')).toBeLessThan(idle)
      }
    }),
    RUNS,
  )
})

const callsOf = (sent: readonly Sent[]): ReadonlyMap<string, Sent['update']> => {
  const calls = new Map<string, Sent['update']>()
  for (const { update } of sent) {
    const id = textOf(update['toolCallId'])
    calls.set(id, { ...calls.get(id), ...update })
  }
  return calls
}

const isTop = ({ parent }: Tree['nodes'][number]): boolean => parent === undefined

test('without them: all is on the chat, no id is named, and each delegation is one call that holds every word', async () => {
  await fc.assert(
    fc.asyncProperty(trees, async (tree) => {
      const { sent } = await shown(tree, 'flat')
      expect(sent.every(({ sessionId }) => sessionId === 'chat')).toBe(true)
      expect(JSON.stringify(sent)).not.toMatch(/sub_|session_message|subagent_update|"type":"session"/u)
      const begun = sent.filter(({ update }) => update.sessionUpdate === 'tool_call')
      expect(begun).toHaveLength(tree.nodes.filter(isTop).length)
      const calls = callsOf(sent)
      expect(calls.size).toBe(begun.length)
      const all = JSON.stringify([...calls.values()].map(({ content }) => content))
      const settledFirst = new Set(
        callsOf(sent)
          .values()
          .map(({ status }) => status),
      )
      expect([...settledFirst].every((status) => status === 'completed' || status === 'failed')).toBe(true)
      for (const node of tree.nodes.filter(isTop)) {
        for (const piece of node.words.match(/<[^>]+>/gu) ?? []) expect(all).toContain(piece)
      }
    }),
    RUNS,
  )
})
