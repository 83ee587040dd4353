/** Trees of runs: cancel goes down and not sideways, depth holds on every route, questions reach the root. */
import { describe, expect, test } from 'vitest'
import type { WatchedEvent } from '../../src/contract/run.ts'
import type { SubagentRun } from '../../src/contract/run.ts'
import type { TurnOutcome } from '../../src/contract/result.ts'
import { sessionId } from '../../src/contract/ids.ts'
import { claims } from '../../src/capabilities/rows.ts'
import { checkIdle, checkLog, codeOf, house, rejection, text, until } from '../fixtures/house.ts'
import type { House } from '../fixtures/house.ts'
import { EVERY_ROW, puppet } from '../fixtures/puppet.ts'
import type { PuppetTurn } from '../fixtures/puppet.ts'

interface Grown {
  readonly run: SubagentRun
  readonly turn: PuppetTurn
}

const root = async (home: House, answers = false): Promise<Grown> => {
  const run = await home.start({}, { answers })
  return { run, turn: await home.puppet.turnOf(run.sessionId) }
}

const grow = async (home: House, { turn }: Grown, label: string, more: object = {}): Promise<Grown> => {
  const run = await turn.turn.delegation.start({ provider: 'puppet', prompt: text('go'), label, ...more })
  return { run, turn: await home.puppet.turnOf(run.sessionId) }
}

const finish = ({ turn, run }: Grown): Promise<{ readonly status: string }> => {
  turn.say('done')
  turn.end()
  return run.result
}

/** root → a → b → c, and d, e beside a. */
const tree = async (home: House, answers = false) => {
  const top = await root(home, answers)
  const a = await grow(home, top, 'a')
  const b = await grow(home, a, 'b')
  const c = await grow(home, b, 'c')
  return { top, a, b, c, d: await grow(home, top, 'd'), e: await grow(home, top, 'e') }
}

test('C11: a cancel ends the run and all below it, child before parent, and touches no sibling', async () => {
  await using home = house()
  const { top, a, b, c, d, e } = await tree(home)
  const ended: string[] = []
  home.runtime.lifecycle.on(({ type, sessionId: id }) => {
    if (type === 'subagent/end') ended.push(id)
  })
  a.run.cancel()
  expect(await a.run.result).toMatchObject({ status: 'cancelled', category: 'request' })
  expect(ended).toEqual([c, b, a].map(({ run }) => run.sessionId))
  for (const each of [b, c]) expect((await each.run.result).status).toBe('cancelled')
  for (const each of [d, e]) expect((await finish(each)).status).toBe('completed')
  expect((await finish(top)).status).toBe('completed')
  checkIdle(home)
})

test('C11: denying what b asks for fails only that call', async () => {
  await using home = house()
  const { top, a, b, c, d, e } = await tree(home)
  expect(await b.turn.ask('rm', 'delete')).toEqual({ outcome: 'selected', optionId: 'n' })
  for (const each of [c, b, a, d, e, top]) {
    const result = await finish(each)
    expect(result.status).toBe('completed')
    if (each === b) {
      expect(result).toMatchObject({ denied: [{ title: 'rm', kind: 'delete', flag: '--permission allow' }] })
    } else expect(result).toMatchObject({ denied: [] })
  }
})

test('B11.3: closing the root ends the whole tree, children first', async () => {
  await using home = house()
  const { top, a, b, c } = await tree(home)
  await home.runtime.close(top.run.sessionId)
  for (const each of [c, b, a, top]) expect((await each.run.result).status).toBe('cancelled')
  checkIdle(home)
})

describe('C22: empty is not success:', () => {
  const call = { sessionUpdate: 'tool_call', toolCallId: 't', title: 'T', status: 'completed' } as const
  test.each<[string, (turn: PuppetTurn) => TurnOutcome, object]>([
    ['(a) no text', () => ({ ended: 'completed' }), { status: 'empty', category: 'no_text', text: '' }],
    [
      '(b) white space only',
      (turn) => {
        turn.say(' \n')
        return { ended: 'completed' }
      },
      { status: 'empty', category: 'no_text' },
    ],
    [
      '(c) only a tool call',
      ({ turn }) => {
        turn.emit({ type: 'session/update', update: call })
        return { ended: 'completed' }
      },
      { status: 'empty', category: 'no_text', text: '' },
    ],
    [
      '(d) a refusal with text',
      (turn) => {
        turn.say("I won't.")
        return { ended: 'refused' }
      },
      { status: 'refused', category: 'refusal', text: "I won't." },
    ],
    [
      '(e) cut off at the token limit',
      (turn) => {
        turn.say('so far')
        return { ended: 'truncated', category: 'max_tokens' }
      },
      { status: 'truncated', category: 'max_tokens', text: 'so far' },
    ],
    [
      '(f) an inner error',
      (turn) => {
        turn.say('part')
        throw new Error('inner')
      },
      { status: 'failed', category: 'provider', text: 'part' },
    ],
    [
      'text that ended',
      (turn) => {
        turn.say('answer')
        return { ended: 'completed' }
      },
      { status: 'completed', text: 'answer' },
    ],
  ])('%s', async (_what, play, expected) => {
    await using home = house({ puppet: puppet({ play: async (turn) => play(turn) }) })
    const run = await home.start()
    const result = await run.result
    expect(result).toMatchObject(expected)
    checkLog(home.entries(run.sessionId), [result])
  })
})

describe('C25: depth', () => {
  test.each([0, 1, 2])('a tree with maxDepth %d ends there, on every route', async (maxDepth) => {
    await using home = house({ settings: { maxDepth: 9 } })
    let at: Grown = { run: await home.start({ maxDepth }), turn: undefined as never }
    at = { ...at, turn: await home.puppet.turnOf(at.run.sessionId) }
    for (let depth = 1; depth <= maxDepth; depth += 1) {
      at = await grow(home, at, `d${depth}`)
      expect(at.run.depth).toBe(depth)
      expect(at.turn.turn.delegation.depth()).toEqual({ current: depth, cap: maxDepth })
    }
    const opened = home.puppet.requests.length
    const child = { provider: 'puppet', prompt: text('go') }
    const parent = { sessionId: at.run.sessionId }
    for (const attempt of [
      () => at.turn.turn.delegation.start(child),
      () => at.turn.turn.delegation.start({ ...child, maxDepth: 99 }),
      () => home.start({ parent }),
      () => home.start({ parent, maxDepth: 99 }),
    ]) {
      const error = await rejection(attempt())
      expect([error.code, error.data]).toEqual(['DEPTH_EXCEEDED', { attempted: maxDepth + 1, max: maxDepth }])
    }
    expect([home.puppet.requests.length, home.ids.length]).toEqual([opened, opened])
  })

  test('B2.4: without a number the live host setting counts, from the next start on', async () => {
    await using home = house({ settings: { maxDepth: 0 } })
    const top = await root(home)
    const child = (): Promise<Grown> => grow(home, top, 'x')
    expect(await codeOf(child())).toBe('DEPTH_EXCEEDED')
    home.runtime.settings.set({ maxDepth: 1 })
    expect((await child()).run.depth).toBe(1)
  })

  test('B2.7: a lineage token makes the first start a child, and its cap holds', async () => {
    const ancestor = { session: sessionId('far'), root: sessionId('top'), depth: 2, maxDepth: 3 }
    await using home = house({ lineage: { ancestor, sign: () => 'token' } })
    const run = await home.start()
    expect([run.depth, run.parentSessionId]).toEqual([3, 'far'])
    const turn = await home.puppet.turnOf(run.sessionId)
    const deeper = turn.turn.delegation.start({ provider: 'puppet', prompt: text('go') })
    expect((await rejection(deeper)).data).toEqual({ attempted: 4, max: 3 })
  })

  test('B2.1: a resumed child stands where it stood', async () => {
    await using home = house()
    const top = await root(home)
    const child = await grow(home, top, 'x', { keep: true })
    await finish(child)
    const again = await home.start({ session: { from: 'resume', sessionId: child.run.sessionId } })
    expect([again.depth, again.parentSessionId]).toEqual([1, top.run.sessionId])
  })

  test('a provider that does not track depth is refused when the limit is asked for', async () => {
    await using home = house({
      puppet: puppet({ capabilities: claims({ ...EVERY_ROW, depthLimit: 'none' }) }),
    })
    expect((await rejection(home.start({ maxDepth: 1 }))).data).toMatchObject({ missing: ['depthLimit'] })
    const top = await root(home)
    expect((await grow(home, top, 'x')).run.depth).toBe(1)
  })
})

const questions = (home: House, id: SubagentRun['sessionId']) => {
  const asked: WatchedEvent[] = []
  void (async () => {
    for await (const each of home.runtime.watch({ root: id })) {
      if (each.event.event.type === 'permission/requested') asked.push(each)
    }
  })()
  return asked
}

describe('C28: a question from depth 3', () => {
  test('reaches whoever watches the root, once, with its path and options, and two at once find their own', async () => {
    await using home = house()
    const { top, b, c } = await tree(home, true)
    const asked = questions(home, top.run.sessionId)
    const [fromC, fromB] = [c.turn.ask('edit C'), b.turn.ask('edit B')]
    await until(() => asked.length === 2)
    const said = asked.map(({ event }) => event.event)
    expect(said).toMatchObject([
      {
        path: ['a', 'b', 'c'],
        toolCall: { title: 'edit C' },
        options: [{ optionId: 'y' }, { optionId: 'n' }],
      },
      { path: ['a', 'b'], toolCall: { title: 'edit B' } },
    ])
    for (const [index, optionId] of ['y', 'n'].entries()) {
      const { run, event } = asked[index] as WatchedEvent
      if (event.event.type === 'permission/requested') {
        run.respond(event.event.id, { outcome: 'selected', optionId })
      }
    }
    expect(await fromC).toEqual({ outcome: 'selected', optionId: 'y' })
    expect(await fromB).toEqual({ outcome: 'selected', optionId: 'n' })
    expect(asked).toHaveLength(2)
  })

  test.each(['deny', 'allow-reads'] as const)(
    'without anybody there is answered by %s at once',
    async (policy) => {
      await using home = house({ settings: { permission: policy } })
      const { c } = await tree(home)
      const read = policy === 'deny' ? 'n' : 'y'
      expect(await c.turn.ask('look', 'read')).toEqual({ outcome: 'selected', optionId: read })
      expect(await c.turn.ask('change', 'edit')).toEqual({ outcome: 'selected', optionId: 'n' })
      const result = await finish(c)
      expect(result).toMatchObject({
        status: 'completed',
        denied: [
          ...(policy === 'deny' ? [{ title: 'look', kind: 'read', flag: '--permission allow-reads' }] : []),
          { title: 'change', kind: 'edit', flag: '--permission allow' },
        ],
      })
    },
  )
})
