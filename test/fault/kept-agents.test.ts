/** Kept agents over hand-driven providers: inboxes and authority. */
import { describe, expect, test } from 'vitest'
import {
  agentsOf,
  answer,
  begin,
  endings,
  prompts,
  received,
  send,
  told,
  turnOf,
  waiting,
} from '../fixtures/kept.ts'
import { checkIdle, house, text, until } from '../fixtures/house.ts'
import { puppet } from '../fixtures/puppet.ts'

describe('B11.1: the inbox of a kept child', () => {
  test('takes messages in order, one run each, once the run before has settled', async () => {
    await using home = house()
    const root = await begin(home)
    const child = await begin(home, root.id)
    for (const words of ['one', 'two', 'three']) send(agentsOf(root), child.id, words)
    expect(waiting(home, child.id)).toEqual(['message one', 'message two', 'message three'])
    expect(home.puppet.turns).toHaveLength(2)
    await answer(child)
    for (const n of [2, 3, 4]) (await turnOf(home, child.id, n)).end()
    await until(() => endings(home.entries(child.id)).length === 4)
    expect(prompts(home, child.id)).toEqual(['go', 'one', 'two', 'three'])
    expect(waiting(home, child.id)).toEqual([])
    const letters = home
      .entries(child.id)
      .flatMap(({ event }) => (event.type === 'run/started' ? [event.letters] : []))
    expect(letters.map((each) => each?.length)).toEqual([undefined, 1, 1, 1])
    expect(home.puppet.requests).toHaveLength(2)
    await answer(root)
  })

  test('an idle one goes on at once, below its parent again', async () => {
    await using home = house({ settings: { concurrency: { total: 1, queue: 4 } } })
    const root = await begin(home)
    const child = await begin(home, root.id)
    await answer(child)
    send(agentsOf(root), child.id, 'more')
    const turn = await turnOf(home, child.id, 2)
    expect(turn.turn.request).toMatchObject({ parentSessionId: root.id, depth: 1, keep: true })
    expect(home.runtime.load).toEqual({ active: 1, queued: 0 })
    turn.end()
    await until(() => endings(home.entries(child.id)).length === 2)
    await answer(root)
  })

  test('an interrupt cancels the open run, keeps the inbox, and the next message goes on', async () => {
    await using home = house()
    const root = await begin(home)
    const child = await begin(home, root.id)
    send(agentsOf(root), child.id, 'next')
    expect(agentsOf(root).interrupt(child.id)).toBe(true)
    expect((await child.run.result).status).toBe('cancelled')
    const turn = await turnOf(home, child.id, 2)
    turn.say('went on')
    turn.end()
    await until(() => endings(home.entries(child.id)).length === 2)
    expect(endings(home.entries(child.id)).map(([, status]) => status)).toEqual(['cancelled', 'completed'])
    expect(prompts(home, child.id)).toEqual(['go', 'next'])
    expect(agentsOf(root).interrupt(child.id)).toBe(false)
    await answer(root)
  })

  test('B14: a message that comes while a run is being cancelled is not lost', async () => {
    await using home = house({ puppet: puppet({ deaf: true }) })
    const root = await begin(home)
    const child = await begin(home, root.id)
    agentsOf(root).interrupt(child.id)
    expect(child.turn.turn.signal.aborted).toBe(true)
    send(agentsOf(root), child.id, 'after all')
    child.turn.end({ ended: 'cancelled' })
    ;(await turnOf(home, child.id, 2)).end()
    await until(() => endings(home.entries(child.id)).length === 2)
    expect(prompts(home, child.id)).toEqual(['go', 'after all'])
    root.turn.end()
    await root.run.result
  })

  test('a stop means the run that is open, never one that begins later', async () => {
    await using home = house()
    const root = await begin(home)
    const child = await begin(home, root.id)
    await answer(child)
    home.store.post({ to: child.id, at: 1, kind: 'interrupt' })
    expect(received(home.entries(child.id))).toEqual(['interrupt'])
    send(agentsOf(root), child.id, 'more')
    const turn = await turnOf(home, child.id, 2)
    expect(turn.turn.signal.aborted).toBe(false)
    turn.end()
    await until(() => endings(home.entries(child.id)).length === 2)
    await answer(root)
  })

  test('a stop that a stored agent still had in its mailbox does not mean the run of a later message', async () => {
    await using home = house()
    const root = await begin(home)
    const child = await begin(home, root.id)
    await answer(child)
    await home.runtime.close(child.id)
    home.store.post({ to: child.id, at: 1, kind: 'interrupt' })
    send(agentsOf(root), child.id, 'more')
    const turn = await turnOf(home, child.id, 2)
    await until(() => waiting(home, child.id).length === 0)
    expect(turn.turn.signal.aborted).toBe(false)
    turn.end()
    await until(() => endings(home.entries(child.id)).length === 2)
    await answer(root)
  })

  test('a stop behind the message whose run is on its way stops that run', async () => {
    const gate = Promise.withResolvers<void>()
    let opened = 0
    await using home = house({
      puppet: puppet({ open: () => ((opened += 1) > 2 ? gate.promise : undefined) }),
      settings: { cancelMs: 20 },
    })
    const root = await begin(home)
    const child = await begin(home, root.id)
    await answer(child)
    home.puppet.live.delete(child.id)
    send(agentsOf(root), child.id, 'one')
    send(agentsOf(root), child.id, 'two')
    expect(agentsOf(root).interrupt(child.id)).toBe(true)
    gate.resolve()
    await until(() => endings(home.entries(child.id)).length === 2)
    expect(endings(home.entries(child.id)).at(-1)?.[1]).toBe('cancelled')
    ;(await turnOf(home, child.id, 3)).end()
    await until(() => endings(home.entries(child.id)).length === 3)
    expect(prompts(home, child.id)).toEqual(['go', 'one', 'two'])
    await answer(root)
  })

  test('one whose agent has died is set up again for the message', async () => {
    await using home = house()
    const root = await begin(home)
    const child = await begin(home, root.id)
    send(agentsOf(root), child.id, 'more')
    home.puppet.live.delete(child.id)
    child.turn.end()
    await child.run.result
    const turn = await turnOf(home, child.id, 2)
    expect(turn.turn.request.origin.from).toBe('resume')
    expect(home.puppet.requests).toHaveLength(3)
    turn.end()
    await until(() => endings(home.entries(child.id)).length === 2)
    await answer(root)
    await home.runtime.close(root.id)
    checkIdle(home)
  })

  test('a message that can not be started comes back as a notice that it failed, and does not spin', async () => {
    let refuse = false
    const own = puppet({
      open: () => {
        if (refuse) throw new Error('no more')
      },
    })
    await using home = house({ puppet: own })
    const root = await begin(home)
    const child = await begin(home, root.id)
    await answer(child)
    expect(told(root.turn.turn.letters.read())).toEqual(['settled completed'])
    refuse = true
    own.live.delete(child.id)
    send(agentsOf(root), child.id, 'more')
    await until(() => waiting(home, root.id).length > 0)
    expect(home.store.letters(root.id)).toMatchObject([
      {
        kind: 'settled',
        from: child.id,
        status: 'failed',
        text: expect.stringContaining('no more') as string,
      },
    ])
    expect(waiting(home, child.id)).toEqual([])
    expect(received(home.entries(child.id))).toEqual(['message more'])
    expect(own.requests).toHaveLength(3)
    await answer(root)
  })

  test('what a person sent and no run takes is said in the log', async () => {
    const own = puppet()
    await using home = house({ puppet: own })
    const root = await begin(home)
    const child = await begin(home, root.id)
    home.runtime.agents.send(child.id, text('from you'))
    await home.runtime.close(child.id)
    expect(home.entries(child.id).map(({ event }) => event)).toContainEqual(
      expect.objectContaining({ type: 'notice', title: 'A message was not given to the agent.' }),
    )
    await answer(root)
  })
})

describe('B11.1: authority', () => {
  test('the exact parent, an ancestor and the user may; a sibling, a child and oneself are UNAUTHORIZED', async () => {
    await using home = house()
    const root = await begin(home)
    const parent = await begin(home, root.id)
    const child = await begin(home, parent.id)
    const sibling = await begin(home, root.id)
    const stranger = await begin(home)
    for (const { turn } of [sibling, child, stranger]) {
      const { agents } = turn.turn.delegation
      for (const act of [() => send(agents, child.id, 'x'), () => agents.interrupt(child.id)]) {
        expect(act).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED', data: { sessionId: child.id } }))
      }
    }
    expect(() => send(agentsOf(child), parent.id, 'x')).toThrow(
      expect.objectContaining({ code: 'UNAUTHORIZED' }),
    )
    expect(waiting(home, child.id)).toEqual([])
    send(agentsOf(parent), child.id, 'p')
    send(agentsOf(root), child.id, 'r')
    home.runtime.agents.send(child.id, text('u'))
    expect(waiting(home, child.id)).toEqual(['message p', 'message r', 'message u'])
    for (const { turn } of [child, parent, sibling, root, stranger]) turn.turn.signal.throwIfAborted()
  })

  test('an unknown agent and one that is not kept are refused by name', async () => {
    await using home = house()
    const root = await begin(home)
    const once = await begin(home, root.id, false)
    expect(() => send(agentsOf(root), once.id, 'x')).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', data: { field: 'agent' } }),
    )
    expect(() => send(agentsOf(root), 'ses_no' as typeof once.id, 'x')).toThrow(
      expect.objectContaining({ code: 'SESSION_NOT_FOUND' }),
    )
  })

  test('a list holds the kept agents below, with what they do', async () => {
    await using home = house()
    const root = await begin(home)
    const runs = await begin(home, root.id, true, 'runs')
    const rests = await begin(home, root.id, true, 'rests')
    const below = await begin(home, runs.id, true, 'below')
    await begin(home, root.id, false)
    await begin(home)
    await answer(rests)
    await answer(below)
    await home.runtime.close(below.id)
    const provider = 'puppet'
    expect(agentsOf(root).list()).toEqual(
      expect.arrayContaining([
        { id: runs.id, parentId: root.id, provider, state: 'running', label: 'runs' },
        { id: rests.id, parentId: root.id, provider, state: 'idle', label: 'rests', lastStatus: 'completed' },
        {
          id: below.id,
          parentId: runs.id,
          provider,
          state: 'ready',
          label: 'below',
          lastStatus: 'completed',
        },
      ]),
    )
    expect(agentsOf(root).list()).toHaveLength(3)
    expect(
      agentsOf(runs)
        .list()
        .map(({ label }) => label),
    ).toEqual(['below'])
    expect(agentsOf(rests).list()).toEqual([])
    send(agentsOf(root), below.id, 'again')
    await turnOf(home, below.id, 2)
    expect(agentsOf(runs).list()[0]?.state).toBe('running')
  })
})
