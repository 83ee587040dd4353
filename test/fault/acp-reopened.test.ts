/** Chats with agents below them, opened again: each is announced anew, as it was and as it is now. */
import { describe, expect, test } from 'vitest'
import type { SubagentRun } from '../../src/contract/run.ts'
import { faceClient } from '../fixtures/face-client.ts'
import type { FaceClient } from '../fixtures/face-client.ts'
import { house, text, until } from '../fixtures/house.ts'
import type { House } from '../fixtures/house.ts'
import { storeHouse } from '../fixtures/store-file.ts'
import type { StoreHouse } from '../fixtures/store-file.ts'

const SUBAGENTS = { subagents: {} }

/** What a client is told, in short: of an announcement the state and whether it may be cancelled. */
const told = (client: FaceClient): readonly string[] => {
  const names = new Map([[CHAT, 'chat']])
  return client.updates().flatMap(({ sessionId, update }) => {
    const where = names.get(sessionId) ?? sessionId
    const { sessionUpdate: kind, content, state, capabilities } = update
    if (kind === 'subagent_update') {
      const name = names.get(update.sessionId) ?? update.title
      names.set(update.sessionId, name)
      const may = capabilities?.cancel === undefined ? '' : ', cancel'
      return [`${where}> ${name} ${state?.state ?? 'as before'}${may}`]
    }
    if (kind === 'session_message') {
      const peer = update.senderSessionId === undefined ? 'to' : 'from'
      const other = update.senderSessionId ?? update.recipientSessionId
      return [`${where}: ${peer} ${names.get(other)}: ${content[0].text}`]
    }
    return kind.endsWith('_chunk') ? [`${where}: ${content.text}`] : []
  })
}

const CHAT = 'ses_chat'

/** No two events happen at once. */
let clock = Date.now()
const now = (): number => (clock += 1)

const home = (place: StoreHouse, owner: string): House => house({ store: place.open(owner), now })

/** A root of the chat whose child, and that one's child, have done their work; `last` may still be at it. */
const family = async (one: House, other: House): Promise<{ root: SubagentRun; last: SubagentRun }> => {
  const root = await one.start({ prompt: text('begin') }, { chat: { id: CHAT } })
  const turn = await one.puppet.turnOf(root.sessionId)
  const child = await one.start({
    prompt: text('look'),
    label: 'one',
    parent: { sessionId: root.sessionId },
  })
  const childTurn = await one.puppet.turnOf(child.sessionId)
  childTurn.say('looking')
  const last = await other.start({
    prompt: text('deeper'),
    label: 'two',
    parent: { sessionId: child.sessionId },
  })
  const lastTurn = await other.puppet.turnOf(last.sessionId)
  lastTurn.say('digging')
  await until(() => one.store.get(last.sessionId)?.lastSeq === 4)
  childTurn.end()
  await child.result
  turn.say('done')
  turn.end()
  await root.result
  return { root, last }
}

const params = (cwd: string): object => ({ sessionId: CHAT, cwd, mcpServers: [] })

describe('session/load', () => {
  test('tells of each child that is over before its answer, on its parent, with its words, its end and no way to cancel it', async () => {
    using place = storeHouse()
    await using one = home(place, 'one')
    const { last } = await family(one, one)
    ;(await one.puppet.turnOf(last.sessionId)).end()
    await last.result
    await using two = home(place, 'two')
    await using client = await faceClient(two, SUBAGENTS)
    const { result } = await client.request('session/load', params(place.folder))
    expect(result).toBeTypeOf('object')
    const before = told(client)
    expect(before).toEqual([
      'chat: begin',
      'chat> puppet: one running',
      'chat: to puppet: one: look',
      'puppet: one: from chat: look',
      'puppet: one: looking',
      'puppet: one> puppet: two running',
      'puppet: one: to puppet: two: deeper',
      'puppet: two: from puppet: one: deeper',
      'puppet: two: digging',
      'puppet: two: to puppet: one: digging',
      'puppet: one: from puppet: two: digging',
      'puppet: one> puppet: two idle',
      'puppet: one: to chat: looking',
      'chat: from puppet: one: looking',
      'chat> puppet: one idle',
      'chat: done',
    ])
    const announced = client.updates().find(({ update }) => update.sessionUpdate === 'subagent_update')
    expect(announced?.update).toMatchObject({ title: 'puppet: one', cwd: '/', capabilities: {} })
  })

  test('a child that works on in another process is announced whole behind the answer, and followed from there', async () => {
    using place = storeHouse()
    await using one = home(place, 'one')
    await using elsewhere = home(place, 'elsewhere')
    const { last } = await family(one, elsewhere)
    await using two = home(place, 'two')
    await using client = await faceClient(two, SUBAGENTS)
    const id = client.send('session/load', params(place.folder))
    await client.answer(id)
    const again = ['chat> puppet: one as before', 'puppet: one> puppet: two running, cancel']
    await until(() => told(client).slice(-2).join() === again.join())
    const answeredAt = client.got.findIndex((message) => message.id === id && message.method === undefined)
    const announcements = client.got.flatMap(({ params: said }, at) =>
      said?.update?.sessionUpdate === 'subagent_update' ? [at] : [],
    )
    expect(announcements.filter((at) => at > answeredAt)).toHaveLength(2)
    const turn = await elsewhere.puppet.turnOf(last.sessionId)
    turn.say(', found')
    turn.end()
    await until(() => told(client).at(-1) === 'puppet: one> puppet: two idle')
    expect(told(client).slice(-4)).toEqual([
      'puppet: two: , found',
      'puppet: two: to puppet: one: digging, found',
      'puppet: one: from puppet: two: digging, found',
      'puppet: one> puppet: two idle',
    ])
    expect(told(client).filter((line) => line === 'puppet: two: digging')).toHaveLength(1)
  })

  test('a second load of a chat that is open here tells the same again, under the same ids', async () => {
    using place = storeHouse()
    await using one = home(place, 'one')
    const { last } = await family(one, one)
    ;(await one.puppet.turnOf(last.sessionId)).end()
    await last.result
    await using client = await faceClient(one, SUBAGENTS)
    await client.request('session/load', params(place.folder))
    const first = client.updates().filter(({ update }) => update.sessionUpdate === 'subagent_update')
    await client.request('session/load', params(place.folder))
    const both = client.updates().filter(({ update }) => update.sessionUpdate === 'subagent_update')
    expect(new Set(both.map(({ update }) => update.sessionId)).size).toBe(2)
    expect(both.length).toBe(2 * first.length)
  })

  test('an editor that knows no subagents sees each delegation as one finished call of the chat', async () => {
    using place = storeHouse()
    await using one = home(place, 'one')
    const { last } = await family(one, one)
    ;(await one.puppet.turnOf(last.sessionId)).end()
    await last.result
    await using two = home(place, 'two')
    await using client = await faceClient(two, {})
    await client.request('session/load', params(place.folder))
    expect(new Set(client.updates().map(({ sessionId }) => sessionId))).toEqual(new Set([CHAT]))
    const calls = client.updates().filter(({ update }) => update.sessionUpdate === 'tool_call')
    expect(calls.map(({ update }) => update.title)).toEqual(['puppet: one'])
    const ends = client.updates().filter(({ update }) => update.status === 'completed')
    expect(ends).toHaveLength(1)
    expect(ends[0]?.update.content[0].content.text).toContain('looking')
  })

  test('questions of before are not asked again', async () => {
    using place = storeHouse()
    await using one = home(place, 'one')
    const root = await one.start({ prompt: text('begin') }, { chat: { id: CHAT } })
    const child = await one.start({ label: 'one', parent: { sessionId: root.sessionId } })
    const turn = await one.puppet.turnOf(child.sessionId)
    void turn.ask('edit a file')
    await until(() => one.entries(child.sessionId).some(({ event }) => event.type === 'permission/requested'))
    turn.end()
    await child.result
    ;(await one.puppet.turnOf(root.sessionId)).end()
    await root.result
    await using two = home(place, 'two')
    await using client = await faceClient(two, SUBAGENTS)
    await client.request('session/load', params(place.folder))
    expect(client.got.filter(({ method }) => method === 'session/request_permission')).toEqual([])
  })
})

describe('session/resume', () => {
  test('announces behind its answer what still works, with what that hangs on, and nothing else', async () => {
    using place = storeHouse()
    await using one = home(place, 'one')
    await using elsewhere = home(place, 'elsewhere')
    const { last } = await family(one, elsewhere)
    await using two = home(place, 'two')
    await using client = await faceClient(two, SUBAGENTS)
    await client.request('session/resume', { sessionId: CHAT, cwd: place.folder })
    const whole = ['chat> puppet: one idle', 'puppet: one> puppet: two running, cancel']
    await until(() => told(client).length >= 2)
    expect(told(client)).toEqual(whole)
    const turn = await elsewhere.puppet.turnOf(last.sessionId)
    turn.say(', found')
    turn.end()
    await until(() => told(client).at(-1) === 'puppet: one> puppet: two idle')
    expect(told(client).slice(2)).toEqual([
      'puppet: two: , found',
      'puppet: two: to puppet: one: digging, found',
      'puppet: one: from puppet: two: digging, found',
      'puppet: one> puppet: two idle',
    ])
  })

  test('a chat without anything at work says nothing', async () => {
    using place = storeHouse()
    await using one = home(place, 'one')
    const { last } = await family(one, one)
    ;(await one.puppet.turnOf(last.sessionId)).end()
    await last.result
    await using client = await faceClient(one, SUBAGENTS)
    await client.request('session/resume', { sessionId: CHAT, cwd: place.folder })
    await client.request('session/list', {})
    expect(told(client)).toEqual([])
  })
})
