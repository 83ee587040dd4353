/** Kept agents over hand-driven providers: inboxes, authority, notices, and what a parent's end does to them. */
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
import { checkIdle, codeOf, house, text, until } from '../fixtures/house.ts'
import { puppet } from '../fixtures/puppet.ts'

const never = new AbortController().signal

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

describe('B11.2: reports and the notice', () => {
  test('B14: a notice comes once, after all of the reports of its run, and only completed is called finished', async () => {
    await using home = house()
    const root = await begin(home)
    const child = await begin(home, root.id, true, 'looker')
    child.turn.turn.delegation.agents.report('half way')
    child.turn.turn.delegation.agents.report('nearly')
    await answer(child, 'It is so.')
    expect(home.store.letters(root.id)).toMatchObject([
      { kind: 'report', from: child.id, label: 'looker', text: 'half way' },
      { kind: 'report', text: 'nearly' },
      { kind: 'settled', runId: child.run.id, status: 'completed', label: 'looker', text: 'It is so.' },
    ])
    expect(told(root.turn.turn.letters.read())).toEqual([
      'report half way',
      'report nearly',
      'settled completed',
    ])
    expect(root.turn.turn.letters.read()).toEqual([])
    expect(received(home.entries(root.id))).toEqual(['report half way', 'report nearly', 'settled completed'])
    expect(await root.turn.turn.letters.next(never)).toBeUndefined()
    await answer(root)
  })

  test('a report of a session that is not kept, has no parent, or whose run is over is refused', async () => {
    await using home = house()
    const root = await begin(home)
    const once = await begin(home, root.id, false)
    const child = await begin(home, root.id)
    const report = (member: typeof root) => () => member.turn.turn.delegation.agents.report('x')
    for (const member of [root, once]) {
      expect(report(member)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }))
    }
    await answer(child)
    expect(report(child)).toThrow(expect.objectContaining({ code: 'SESSION_NOT_FOUND' }))
    expect(waiting(home, root.id)).toEqual(['settled completed'])
  })

  test('a turn waits for letters while kept children are at work, and no longer', async () => {
    await using home = house()
    const root = await begin(home)
    const child = await begin(home, root.id)
    const { letters } = root.turn.turn
    const first = letters.next(never)
    child.turn.turn.delegation.agents.report('on it')
    expect(told(await first)).toEqual(['report on it'])
    const second = letters.next(never)
    send(agentsOf(root), child.id, 'more')
    child.turn.end()
    expect(told(await second)).toEqual(['settled empty'])
    const third = letters.next(never)
    ;(await turnOf(home, child.id, 2)).end()
    expect(told(await third)).toEqual(['settled empty'])
    expect(await letters.next(never)).toBeUndefined()
    await answer(root)
  })

  test('a wait ends with the run, and with its own signal', async () => {
    await using home = house()
    const root = await begin(home)
    await begin(home, root.id)
    const stop = new AbortController()
    const stopped = root.turn.turn.letters.next(stop.signal)
    stop.abort()
    expect(await stopped).toBeUndefined()
    const ended = root.turn.turn.letters.next(never)
    root.run.cancel()
    expect(await ended).toBeUndefined()
    await root.run.result
  })

  test('the idle limit pauses while kept children are at work', async () => {
    await using home = house({ settings: { limits: { startupMs: 0, idleMs: 60, totalMs: 0 } } })
    const root = await begin(home)
    const child = await begin(home, root.id)
    const letters = root.turn.turn.letters.next(never)
    for (let n = 0; n < 8; n += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      child.turn.say('still here')
    }
    await answer(child)
    expect(told(await letters)).toEqual(['settled completed'])
    await answer(root)
    expect((await root.run.result).status).toBe('completed')
  })

  test('what nobody read waits in the store for the next run', async () => {
    await using home = house()
    const root = await begin(home)
    const child = await begin(home, root.id)
    await answer(root)
    await answer(child)
    expect(waiting(home, root.id)).toEqual(['settled completed'])
    const next = await home.start({ session: { from: 'resume', sessionId: root.id } })
    const turn = await turnOf(home, root.id, 2)
    expect(told(turn.turn.letters.read())).toEqual(['settled completed'])
    turn.end()
    await next.result
  })

  test('an idle agent that reads letters is woken by those of its children; a root is not', async () => {
    await using home = house({ puppet: puppet({ readsLetters: true }) })
    const root = await begin(home)
    const middle = await begin(home, root.id)
    const child = await begin(home, middle.id, true, 'digger')
    await answer(middle)
    await answer(child, 'found')
    const woken = await turnOf(home, middle.id, 2)
    expect(prompts(home, middle.id)[1]).toBe(
      `<subagent-notice agent="${child.id}" description="digger">\nIt finished.\n\nfound\n</subagent-notice>`,
    )
    expect(waiting(home, middle.id)).toEqual([])
    expect(woken.turn.letters.read()).toEqual([])
    woken.end()
    await until(() => endings(home.entries(middle.id)).length === 2)
    await answer(root)
    expect(waiting(home, root.id)).toEqual(['settled completed', 'settled empty'])
    expect(prompts(home, root.id)).toEqual(['go'])
  })
})

describe('B11.3: the end of a parent', () => {
  test('closing it ends its descendants, children first, and sends back what waited', async () => {
    const gone: string[] = []
    await using home = house()
    const root = await begin(home)
    const child = await begin(home, root.id)
    const below = await begin(home, child.id)
    send(agentsOf(root), child.id, 'queued')
    send(agentsOf(child), below.id, 'queued too')
    for (const { run } of [root, child, below]) void run.result.then(({ sessionId }) => gone.push(sessionId))
    await home.runtime.close(root.id)
    expect(gone).toEqual([below.id, child.id, root.id])
    for (const { id } of [child, below]) expect(prompts(home, id)).toEqual(['go'])
    expect(waiting(home, below.id)).toEqual([])
    expect(waiting(home, child.id)).toEqual(['settled cancelled', 'settled cancelled'])
    expect(waiting(home, root.id)).toEqual(['settled cancelled', 'settled cancelled'])
    checkIdle(home)
  })

  test('law 11: a cancel of its run reaches background children, and nothing of their inboxes begins after it', async () => {
    await using home = house()
    const root = await begin(home)
    const child = await begin(home, root.id)
    const idle = await begin(home, root.id)
    const below = await begin(home, idle.id)
    await answer(idle)
    send(agentsOf(root), child.id, 'queued')
    send(agentsOf(root), below.id, 'queued')
    root.run.cancel()
    for (const { run } of [root, child, below]) expect((await run.result).status).toBe('cancelled')
    await new Promise((resolve) => setTimeout(resolve, 20))
    for (const { id } of [child, below]) expect(prompts(home, id)).toEqual(['go'])
    expect(home.store.letters(root.id).map((letter) => letter.kind === 'settled' && letter.status)).toEqual([
      'completed',
      'cancelled',
      'cancelled',
      'cancelled',
    ])
  })

  test('a one-shot parent takes its kept children with it', async () => {
    await using home = house()
    const root = await begin(home, undefined, false)
    const child = await begin(home, root.id)
    await answer(child)
    await answer(root)
    expect([...home.puppet.live]).toEqual([])
    expect(
      await codeOf(home.start({ session: { from: 'resume', sessionId: child.id }, provider: 'no' })),
    ).toBe('PROVIDER_NOT_FOUND')
    checkIdle(home)
  })
})
