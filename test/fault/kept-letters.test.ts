/** What kept children write to their parents, and what a parent's end does to them, over hand-driven providers. */
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
import { checkIdle, codeOf, house, until } from '../fixtures/house.ts'
import { puppet } from '../fixtures/puppet.ts'

const never = new AbortController().signal

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
