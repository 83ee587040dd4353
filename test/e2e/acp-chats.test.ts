/** Chats over the wire: listed, opened again, copied and taken away, by the same process and by a later one. */
import { describe, expect, test } from 'vitest'
import { Editor } from './acp-editor.ts'
import type { EditorOptions } from './acp-editor.ts'

/** The agents of these tests keep nothing but their log, and the store is shared by all processes of this file. */
const editor = (more: EditorOptions = {}): Editor => new Editor({ args: ['--provider', 'fixture'], ...more })

const listed = async (it: Editor, params: object = {}): Promise<readonly any[]> =>
  (await it.request('session/list', params)).result.sessions

/** What an editor shows of a chat. */
const shown = (it: Editor, sessionId: string): readonly string[] =>
  it
    .updates(sessionId)
    .map(({ params }) => `${params.update.sessionUpdate.slice(0, 4)}: ${params.update.content?.text ?? ''}`)

test('session/list is empty in a folder without chats, and newest first, with a title, where there are some', async () => {
  await using it = editor()
  await it.initialize()
  expect(await listed(it, { cwd: '/nowhere' })).toEqual([])
  const first = await it.session()
  const second = await it.session()
  expect(await listed(it, { cwd: it.dir })).toEqual([])
  await it.prompt(first, 'first thing\nand more')
  await it.prompt(second, 'second thing')
  const chats = await listed(it, { cwd: it.dir })
  expect(chats).toEqual([
    {
      sessionId: second,
      cwd: it.dir,
      title: 'second thing',
      updatedAt: expect.stringMatching(/^\d{4}-.*Z$/u),
    },
    { sessionId: first, cwd: it.dir, title: 'first thing', updatedAt: expect.stringMatching(/^\d{4}-.*Z$/u) },
  ])
  await it.prompt(first, 'again')
  expect((await listed(it, { cwd: it.dir })).map(({ sessionId }) => sessionId)).toEqual([first, second])
  const { error } = await it.request('session/list', { cursor: 'nonsense' })
  expect(error?.code).toBe(-32602)
  expect(error?.data.data).toEqual({ field: 'cursor' })
})

test('a chat of one process is listed and loaded whole by the next, before its answer, and goes on there', async () => {
  let sessionId = ''
  let cwd = ''
  {
    await using it = editor()
    sessionId = await it.open()
    cwd = it.dir
    await it.prompt(sessionId, 'one')
    await it.prompt(sessionId, 'two')
    const title = it.told('session_info_update', sessionId)
    expect(title).toEqual([{ sessionUpdate: 'session_info_update', title: 'one' }])
    await it.leave()
  }
  await using it = editor()
  await it.initialize()
  expect((await listed(it)).map((chat) => chat.sessionId)).toContain(sessionId)
  const params = { sessionId, cwd: it.dir, mcpServers: [] }
  const { result } = await it.request('session/load', params, 'load')
  expect(result).toBeTypeOf('object')
  const answeredAt = it.messages.findIndex(({ id }) => id === 'load')
  expect(shown(it, sessionId)).toEqual(['user: one', 'agen: one', 'user: two', 'agen: two'])
  const lastShown = it.messages.findLastIndex(({ params: said }) => said?.update?.content !== undefined)
  expect(lastShown).toBeLessThan(answeredAt)
  expect(it.told('session_info_update').map(({ title }) => title)).toEqual(['one'])
  const answer = await it.prompt(sessionId, 'three')
  expect(answer.result.stopReason).toBe('end_turn')
  expect(shown(it, sessionId).at(-1)).toBe('agen: three')
  expect(it.told('session_info_update')).toHaveLength(1)
  expect(cwd).not.toBe(it.dir)
})

test('session/resume shows nothing of what was said, and goes on', async () => {
  await using it = editor()
  const sessionId = await it.open()
  await it.prompt(sessionId, 'one')
  await it.request('session/close', { sessionId })
  const before = it.updates().length
  const { result } = await it.request('session/resume', { sessionId, cwd: it.dir })
  expect(result).toBeTypeOf('object')
  expect(it.updates()).toHaveLength(before)
  expect((await it.prompt(sessionId, 'two')).result.stopReason).toBe('end_turn')
})

test.each(['session/load', 'session/resume'])(
  '%s in the process that had it open: the next turn tells itself alone, nothing of the chat or its children again',
  async (method) => {
    await using it = new Editor({ args: ['--provider', 'spawn', '--model', 'rehearsal'] })
    const sessionId = await it.open()
    await it.prompt(sessionId, 'say: one')
    await it.prompt(sessionId, 'delegate: say: child\nsay: two')
    await it.request('session/close', { sessionId })
    await it.request(method, { sessionId, cwd: it.dir, mcpServers: [] })
    const before = it.updates(sessionId).length
    await it.prompt(sessionId, 'say: three')
    expect(shown(it, sessionId).slice(before)).toEqual(['agen: three'])
  },
)

test('session/fork: the copy shows what was said so far, and each goes its own way', async () => {
  await using it = new Editor({ args: ['--provider', 'spawn', '--model', 'rehearsal'] })
  const sessionId = await it.open()
  await it.prompt(sessionId, 'say: one')
  const { result } = await it.request('session/fork', { sessionId, cwd: it.dir, mcpServers: [] })
  expect(result.sessionId).not.toBe(sessionId)
  await it.prompt(result.sessionId, 'say: copy')
  await it.prompt(sessionId, 'say: original')
  await it.request('session/close', { sessionId: result.sessionId })
  await it.request('session/load', { sessionId: result.sessionId, cwd: it.dir, mcpServers: [] })
  const said = shown(it, result.sessionId)
  expect(said.slice(-4)).toEqual(['user: say: one', 'agen: one', 'user: say: copy', 'agen: copy'])
})

describe('session/delete', () => {
  test('takes a chat away for good; again, or of one that never was, it is the same', async () => {
    await using it = editor()
    const sessionId = await it.open()
    await it.prompt(sessionId, 'one')
    for (const id of [sessionId, sessionId, 'ses_nobody'])
      expect((await it.request('session/delete', { sessionId: id })).result).toEqual({})
    expect((await listed(it)).map((chat) => chat.sessionId)).not.toContain(sessionId)
    const { error } = await it.request('session/load', { sessionId, cwd: it.dir, mcpServers: [] })
    expect(error?.data).toMatchObject({ code: 'SESSION_NOT_FOUND', data: { sessionId } })
  })

  test('a chat that is open in another process stays there, and says where it is', async () => {
    await using one = editor()
    const sessionId = await one.open()
    await one.prompt(sessionId, 'one')
    await using other = editor()
    await other.initialize()
    const params = { sessionId, cwd: other.dir, mcpServers: [] }
    for (const method of ['session/load', 'session/resume', 'session/delete']) {
      const { error } = await other.request(method, params)
      expect(error?.data).toMatchObject({ code: 'SESSION_BUSY', data: { sessionId } })
      expect(error?.message).toContain(`open in another process (${one.process.pid})`)
    }
    expect((await one.prompt(sessionId, 'two')).result.stopReason).toBe('end_turn')
  })
})

test('what is asked for by _meta.subgate is gated when a chat is opened again, as when it is made', async () => {
  await using it = editor()
  const sessionId = await it.open()
  await it.prompt(sessionId, 'one')
  await it.request('session/close', { sessionId })
  const params = { sessionId, cwd: it.dir, mcpServers: [], _meta: { subgate: { sandbox: 'read-only' } } }
  for (const method of ['session/load', 'session/resume', 'session/fork']) {
    const { error } = await it.request(method, params)
    expect(error?.data).toMatchObject({ code: 'UNSUPPORTED_CAPABILITY', data: { missing: ['sandbox'] } })
  }
})
