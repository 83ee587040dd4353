/** A chat that is opened again shows the agents below it as it did before (acp.md §3.7, SUBGATE-SUBAGENT-005 and 006). */
import { describe, expect, test } from 'vitest'
import { choose, Editor } from './acp-editor.ts'
import type { EditorOptions } from './acp-editor.ts'

const TAKES_CHILDREN = { capabilities: { subagents: {} } }

const editor = (more: EditorOptions = {}): Editor =>
  new Editor({ args: ['--provider', 'fixture'], answer: choose('y'), ...more })

/** Each announcement as `child under parent`, ids left out as they are new on each connection. */
const announced = (it: Editor, chat: string): readonly string[] => {
  const names = new Map([[chat, 'chat']])
  return it.allUpdates().flatMap(({ params: { sessionId: on, update } }) => {
    if (update.sessionUpdate !== 'subagent_update' || update.title === undefined) return []
    names.set(update.sessionId, update.title)
    return [`${update.title} under ${names.get(on)}`]
  })
}

const lastOf = (it: Editor, title: string): any => {
  const all = it.told('subagent_update')
  const id = all.find((update) => update.title === title)?.sessionId
  return all.findLast((update) => update.sessionId === id)
}

const spoken = (it: Editor, title: string): string => {
  const id = it.told('subagent_update').find((update) => update.title === title)?.sessionId
  return it
    .told('agent_message_chunk', id)
    .map(({ content }) => content.text)
    .join('')
}

/** What a later process shows of a chat in which a delegates to b, and b to c, which asks. */
const loaded = async (
  options: EditorOptions,
): Promise<{ it: Editor; sessionId: string; answeredAt: number }> => {
  let sessionId = ''
  {
    await using first = editor(options)
    sessionId = await first.open()
    await first.prompt(sessionId, 'descend a b c')
    await first.leave()
  }
  const it = editor(options)
  await it.initialize()
  const { error } = await it.request('session/load', { sessionId, cwd: it.dir, mcpServers: [] }, 'open')
  expect(error).toBeUndefined()
  const answeredAt = it.messages.findIndex(({ id }) => id === 'open')
  return { it, sessionId, answeredAt }
}

describe('with a client that takes subagents', () => {
  test('session/load announces each child on the session it hangs on, with its words and its end, before the answer', async () => {
    const { it, sessionId, answeredAt } = await loaded(TAKES_CHILDREN)
    await using _ = it
    const [a, b, c] = ['fixture: a', 'fixture: b', 'fixture: c'] as const
    expect(announced(it, sessionId)).toEqual([`${a} under chat`, `${b} under ${a}`, `${c} under ${b}`])
    expect(spoken(it, c)).toBe('[y]')
    for (const title of [a, b, c]) {
      expect(lastOf(it, title)).toMatchObject({
        capabilities: {},
        state: { state: 'idle', stopReason: 'end_turn' },
      })
    }
    const last = it.messages.findLastIndex(
      ({ params }) => params?.update?.sessionUpdate === 'subagent_update',
    )
    expect(last).toBeLessThan(answeredAt)
  })

  test('no question of another time is asked again, and no child of one can be stopped', async () => {
    const { it } = await loaded(TAKES_CHILDREN)
    await using _ = it
    expect(it.asked()).toEqual([])
    const offered = it.told('subagent_update').flatMap(({ capabilities }) => capabilities ?? [])
    expect(offered.every((capabilities) => capabilities.cancel === undefined)).toBe(true)
  })

  test('session/resume names no child that is over, and the next turn announces its own', async () => {
    await using it = editor(TAKES_CHILDREN)
    const sessionId = await it.open()
    await it.prompt(sessionId, 'descend a b')
    await it.request('session/close', { sessionId })
    const before = announced(it, sessionId).length
    await it.request('session/resume', { sessionId, cwd: it.dir, mcpServers: [] })
    await it.prompt(sessionId, 'descend d e')
    expect(announced(it, sessionId).slice(before)).toEqual([
      'fixture: d under chat',
      'fixture: e under fixture: d',
    ])
  })

  test('loaded again on the same connection, each child keeps its id', async () => {
    await using it = editor(TAKES_CHILDREN)
    const sessionId = await it.open()
    await it.prompt(sessionId, 'descend a b')
    const before = new Set(it.told('subagent_update').map((update) => update.sessionId))
    const mark = it.messages.length
    await it.request('session/load', { sessionId, cwd: it.dir, mcpServers: [] })
    const again = it.messages
      .slice(mark)
      .flatMap(({ params }) => (params?.update?.title === undefined ? [] : [params.update.sessionId]))
    expect(before.size).toBe(2)
    expect(new Set(again.filter((id) => id !== undefined))).toEqual(before)
  })
})

describe('with a client that takes none', () => {
  test('session/load shows the delegation as one tool call that is over, and no id of a child', async () => {
    const { it, sessionId } = await loaded({})
    await using _ = it
    const calls = [...it.told('tool_call'), ...it.told('tool_call_update')]
    const delegation = calls.find(({ title }) => title === 'fixture: a')
    const last = calls.findLast(({ toolCallId }) => toolCallId === delegation?.toolCallId)
    expect(last.status).toBe('completed')
    expect(JSON.stringify(last.content)).toContain('[y]')
    expect(it.told('subagent_update')).toEqual([])
    expect(new Set(it.allUpdates().map(({ params }) => params.sessionId))).toEqual(new Set([sessionId]))
  })
})
