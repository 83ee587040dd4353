/** The runtime against a model of it: random commands, and after each of them laws 3 to 6 hold. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkIdle, house, rejection, text } from '../fixtures/house.ts'
import { puppet } from '../fixtures/puppet.ts'
import { at, below, command, liveOf, open, settle, withChildren } from '../fixtures/runtime-model.ts'
import type { Command, Model, Real, Session } from '../fixtures/runtime-model.ts'

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
      const served = both.find((each) => each.status === 'fulfilled')
      const refused = both.find((each) => each.status === 'rejected')
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
    { numRuns: 1000 },
  )
}, 120_000)
