/** The runtime against a model of it: random commands, and after each of them laws 3 to 6 hold. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PermissionOutcome } from '../../src/contract/content.ts'
import type { PermissionId, SessionId } from '../../src/contract/ids.ts'
import type { RunStatus, SubagentResult } from '../../src/contract/result.ts'
import type { SubagentRun } from '../../src/contract/run.ts'
import { checkIdle, checkLog, house, rejection, text } from '../fixtures/house.ts'
import type { House } from '../fixtures/house.ts'
import { puppet } from '../fixtures/puppet.ts'
import type { PuppetTurn } from '../fixtures/puppet.ts'

/** A session as the model sees it. */
interface Session {
  readonly index: number
  readonly parent: Session | undefined
  readonly children: Session[]
  keep: boolean
  state: 'open' | 'idle' | 'gone'
  runs: number
  said: string
  /** The run that delegated this one, and lends it its slot as long as both are open. */
  lender: { readonly session: Session; readonly run: number } | undefined
  asked: number
}

interface Model {
  readonly sessions: Session[]
}

interface Live {
  id: SessionId
  run: SubagentRun
  turn: PuppetTurn
  questions: { readonly answer: Promise<PermissionOutcome>; readonly id: PermissionId }[]
  readonly results: SubagentResult[]
}

interface Real {
  readonly home: House
  readonly live: Live[]
}

const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T
const open = ({ sessions }: { readonly sessions: readonly Session[] }): Session[] =>
  sessions.filter(({ state }) => state === 'open')
const liveOf = ({ live }: Real, { index }: Session): Live => live[index] as Live
const below = (session: Session): Session[] => session.children.flatMap((child) => [child, ...below(child)])

const lends = (session: Session, sessions: readonly Session[]): boolean =>
  open({ sessions }).some(({ lender }) => lender?.session === session && lender.run === session.runs)

/** Laws 3 to 6, and that model and runtime agree. */
const check = ({ sessions }: Model, { home, live }: Real): void => {
  for (const session of sessions) {
    const { id, results } = live[session.index] as Live
    const entries = home.entries(id)
    checkLog(entries, results)
    const edges = entries.filter(({ event }) => event.type.startsWith('run/')).length
    expect(edges).toBe(session.runs * 2 - (session.state === 'open' ? 1 : 0))
    expect(home.puppet.live.has(id)).toBe(session.state !== 'gone')
    expect(results).toHaveLength(session.runs - (session.state === 'open' ? 1 : 0))
  }
  const working = open({ sessions }).filter((session) => !lends(session, sessions))
  expect(home.runtime.load).toEqual({ active: working.length, queued: 0 })
}

/** The run of a session has come to its end in both worlds. */
const settle = async (session: Session, real: Real, status: RunStatus): Promise<void> => {
  const live = liveOf(real, session)
  const result = await live.run.result
  expect([result.status, result.text]).toEqual([status, session.said.trim() === '' ? '' : session.said])
  live.results.push(result)
  for (const { answer } of live.questions.splice(0)) expect(await answer).toEqual({ outcome: 'cancelled' })
  session.asked = 0
}

const withChildren = async (
  session: Session,
  real: Real,
  status: RunStatus,
  children: 'cancelled' | 'closed' | 'left',
): Promise<void> => {
  if (children !== 'left') {
    for (const each of below(session).toReversed()) {
      if (each.state === 'open') {
        await settle(each, real, 'cancelled')
        each.state = each.keep ? 'idle' : 'gone'
      }
    }
    // A session that goes takes all below it along.
    for (const each of below(session)) {
      const above = [each.parent].filter((parent) => parent?.state === 'gone')
      if (above.length > 0) each.state = 'gone'
    }
  }
  await settle(session, real, status)
  session.state = session.keep ? 'idle' : 'gone'
  if (children === 'closed' || session.state === 'gone') {
    for (const each of below(session)) each.state = 'gone'
  }
}

type Command = fc.AsyncCommand<Model, Real, false>

const command = (
  name: string,
  may: (model: Model) => boolean,
  run: (model: Model, real: Real) => Promise<void>,
): Command => ({
  check: may,
  run: async (model, real) => {
    await run(model, real)
    check(model, real)
  },
  toString: () => name,
})

const start = (keep: boolean, under: number | undefined): Command =>
  command(
    `start(${keep ? 'keep' : 'once'}, ${under === undefined ? 'root' : `under ${under}`})`,
    (model) => under === undefined || open(model).length > 0,
    async (model, real) => {
      const parent = under === undefined ? undefined : at(open(model), under)
      const request = { provider: 'puppet', prompt: text('go'), ...(keep && { keep }) }
      const run =
        parent === undefined
          ? await real.home.start(request, { answers: true })
          : await liveOf(real, parent).turn.turn.delegation.start(request)
      const session: Session = {
        index: model.sessions.length,
        parent,
        children: [],
        keep,
        state: 'open',
        runs: 1,
        said: '',
        lender: parent && { session: parent, run: parent.runs },
        asked: 0,
      }
      model.sessions.push(session)
      parent?.children.push(session)
      const turn = await real.home.puppet.turnOf(run.sessionId)
      real.live.push({ id: run.sessionId, run, turn, questions: [], results: [] })
      expect(run.depth).toBe(parent === undefined ? 0 : liveOf(real, parent).run.depth + 1)
    },
  )

const emit = (which: number, words: string): Command =>
  command(
    `emit(${which}, ${JSON.stringify(words)})`,
    (model) => open(model).length > 0,
    async (model, real) => {
      const session = at(open(model), which)
      session.said += words
      expect(liveOf(real, session).turn.say(words)).toBe(true)
    },
  )

const emitLate = (which: number): Command =>
  command(
    `emitLate(${which})`,
    (model) => model.sessions.some(({ state }) => state !== 'open'),
    async (model, real) => {
      const session = at(
        model.sessions.filter(({ state }) => state !== 'open'),
        which,
      )
      const { turn, id } = liveOf(real, session)
      turn.say('too late')
      expect(real.home.entries(id).at(-1)?.event.type).toBe('session/late_update')
      expect(await turn.ask('too late')).toEqual({ outcome: 'cancelled' })
    },
  )

const ask = (which: number): Command =>
  command(
    `ask(${which})`,
    (model) => open(model).length > 0,
    async (model, real) => {
      const session = at(open(model), which)
      const live = liveOf(real, session)
      const answer = live.turn.ask('t')
      const asked = real.home.entries(live.id).at(-1)?.event
      if (asked?.type !== 'permission/requested') throw new Error('nothing was asked')
      live.questions.push({ answer, id: asked.id })
      session.asked += 1
    },
  )

const respond = (which: number, how: 'right' | 'wrong' | 'twice' | 'given up'): Command =>
  command(
    `respond(${which}, ${how})`,
    (model) => open(model).some(({ asked }) => asked > 0),
    async (model, real) => {
      const session = at(
        open(model).filter(({ asked }) => asked > 0),
        which,
      )
      const live = liveOf(real, session)
      const yes = { outcome: 'selected', optionId: 'y' } as const
      const [question] = live.questions
      if (question === undefined) throw new Error('nothing is open')
      if (how === 'wrong') {
        expect(() => live.run.respond(question.id, { outcome: 'selected', optionId: 'z' })).toThrow(
          'Choose one of: y, n.',
        )
        return
      }
      live.questions.shift()
      session.asked -= 1
      if (how === 'given up') {
        live.run.giveUp(question.id)
        expect(await question.answer).toEqual({ outcome: 'selected', optionId: 'n' })
        return
      }
      live.run.respond(question.id, yes)
      if (how === 'twice') live.run.respond(question.id, { outcome: 'cancelled' })
      expect(await question.answer).toEqual(yes)
    },
  )

const cancel = (which: number): Command =>
  command(
    `cancel(${which})`,
    (model) => open(model).length > 0,
    async (model, real) => {
      const session = at(open(model), which)
      const { run } = liveOf(real, session)
      run.cancel()
      run.cancel('signal')
      await withChildren(session, real, 'cancelled', 'cancelled')
    },
  )

const end = (which: number, how: 'well' | 'badly'): Command =>
  command(
    `end(${which}, ${how})`,
    (model) => open(model).length > 0,
    async (model, real) => {
      const session = at(open(model), which)
      const { turn } = liveOf(real, session)
      if (how === 'badly') turn.fail(new Error('boom'))
      else turn.end()
      const well = session.said.trim() === '' ? 'empty' : 'completed'
      await withChildren(session, real, how === 'badly' ? 'failed' : well, session.keep ? 'left' : 'closed')
    },
  )

const followUp = (which: number): Command =>
  command(
    `followUp(${which})`,
    (model) => model.sessions.some(({ state }) => state !== 'gone'),
    async (model, real) => {
      const sessions = model.sessions.filter(({ state }) => state !== 'gone')
      const session = at(sessions, which)
      const live = liveOf(real, session)
      const resumed = { session: { from: 'resume', sessionId: live.id } } as const
      if (session.state === 'open') {
        expect((await rejection(real.home.start(resumed))).code).toBe('SESSION_BUSY')
        return
      }
      const before = live.turn
      const both = await Promise.allSettled([
        real.home.start(resumed, { answers: true }),
        real.home.start(resumed, { answers: true }),
      ])
      // Of two at once one is served; which of them is nobody's promise.
      const [served] = both.filter((each) => each.status === 'fulfilled')
      const [refused] = both.filter((each) => each.status === 'rejected')
      expect(refused?.reason).toMatchObject({ code: 'SESSION_BUSY' })
      if (served === undefined) throw new Error('both were refused')
      live.run = served.value
      while (live.turn === before) live.turn = await real.home.puppet.turnOf(live.id)
      Object.assign(session, { state: 'open', said: '', lender: undefined, runs: session.runs + 1 })
    },
  )

const close = (which: number): Command =>
  command(
    `close(${which})`,
    (model) => model.sessions.length > 0,
    async (model, real) => {
      const session = at(model.sessions, which)
      const wasOpen = session.state === 'open'
      const closing = real.home.runtime.close(liveOf(real, session).id)
      if (wasOpen) await withChildren(session, real, 'cancelled', 'cancelled')
      else {
        for (const each of below(session).toReversed()) {
          if (each.state === 'open') await settle(each, real, 'cancelled')
        }
      }
      await closing
      // A session that is gone already has nothing below it.
      for (const each of [session, ...below(session)]) each.state = 'gone'
    },
  )

const n = fc.nat(7)
const commands = fc.commands<Model, Real, false>(
  [
    fc.tuple(fc.boolean(), fc.option(n, { nil: undefined })).map(([keep, under]) => start(keep, under)),
    fc.tuple(fc.boolean(), n).map(([keep, under]) => start(keep, under)),
    fc.tuple(n, fc.constantFrom('a', ' ', 'b')).map(([which, words]) => emit(which, words)),
    n.map(emitLate),
    n.map(ask),
    fc
      .tuple(n, fc.constantFrom('right' as const, 'wrong' as const, 'twice' as const, 'given up' as const))
      .map(([which, how]) => respond(which, how)),
    n.map(cancel),
    fc.tuple(n, fc.constantFrom('well' as const, 'badly' as const)).map(([which, how]) => end(which, how)),
    n.map(followUp),
    n.map(close),
  ],
  { maxCommands: 40, size: 'max' },
)

test('laws 3 to 6 hold after every command, whatever the commands', async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      const home = house({
        puppet: puppet(),
        settings: { concurrency: { total: 100, queue: 0 }, maxDepth: 100 },
      })
      const real: Real = { home, live: [] }
      const starts = new Map<string, number>()
      home.runtime.lifecycle.on(({ type, runId }) => {
        starts.set(runId, (starts.get(runId) ?? 0) + (type === 'subagent/start' ? 1 : -1))
      })
      await fc.asyncModelRun(() => ({ model: { sessions: [] }, real }), sequence)
      await home.runtime[Symbol.asyncDispose]()
      for (const { run } of real.live) expect((await run.result).runId).toBe(run.id)
      checkIdle(home)
      // B10.1: both edges of every run were heard.
      expect([...starts.values()].filter((balance) => balance !== 0)).toEqual([])
    }),
    { numRuns: 150 },
  )
}, 120_000)
