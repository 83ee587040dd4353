/** Random histories of kept agents, with crashes: order, authority, no message lost or doubled, one notice a run. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { silentLogger } from '../../src/contract/logger.ts'
import type { SessionId } from '../../src/contract/ids.ts'
import { recoverLost } from '../../src/runtime/recover.ts'
import { until } from '../fixtures/house.ts'
import {
  beginRoot,
  command,
  ended,
  goOn,
  MOST_CHILDREN,
  onChild,
  open,
  settledIn,
  turnNow,
} from '../fixtures/kept-model.ts'
import type { Command, Real } from '../fixtures/kept-model.ts'
import { send, told, turnOf } from '../fixtures/kept.ts'
import { storeHouse } from '../fixtures/store-file.ts'

const startChild = command(
  'start',
  ({ rootRuns, children }) => rootRuns && children.length < MOST_CHILDREN,
  async (model, real) => {
    const { home } = real.process
    const run = await home.start({ keep: true, parent: { sessionId: real.root } })
    const index = real.ids.push(run.sessionId) - 1
    real.runsHere.push(1)
    await home.puppet.turnOf(run.sessionId)
    model.children.push({
      index,
      prompts: ['go'],
      endings: [],
      running: true,
      here: true,
      queue: [],
      letters: [],
      read: 0,
    })
  },
)

const sendTo = (n: number): Command =>
  onChild(
    'send',
    n,
    (_child, { rootRuns }) => rootRuns,
    async (child, real, model) => {
      model.sent += 1
      const words = `message ${model.sent}`
      send(real.rootTurn.turn.delegation.agents, real.ids[child.index] as SessionId, words)
      child.queue.push(words)
      if (!child.running) await goOn(child, real)
    },
  )

const report = (n: number): Command =>
  onChild(
    'report',
    n,
    ({ running }) => running,
    async (child, real) => {
      const words = `${child.letters.length}`
      const { home } = real.process
      const { turn } = await turnNow(real, child)
      turn.delegation.agents.report(words)
      await home.store.flushed(real.ids[child.index] as SessionId)
      child.letters.push(`report ${words}`)
    },
  )

const settle = (n: number): Command =>
  onChild(
    'settle',
    n,
    ({ running }) => running,
    async (child, real) => {
      const turn = await turnNow(real, child)
      turn.say('done')
      turn.end()
      ended(child, 'completed')
      await settledIn(real, child)
      await goOn(child, real)
    },
  )

const interrupt = (n: number): Command =>
  onChild(
    'interrupt',
    n,
    (_child, { rootRuns }) => rootRuns,
    async (child, real) => {
      const { agents } = real.rootTurn.turn.delegation
      expect(agents.interrupt(real.ids[child.index] as SessionId)).toBe(child.running)
      if (!child.running) return
      ended(child, 'cancelled')
      await settledIn(real, child)
      await goOn(child, real)
    },
  )

const close = (n: number): Command =>
  onChild(
    'close',
    n,
    ({ here }) => here,
    async (child, real) => {
      await real.process.home.runtime.close(real.ids[child.index] as SessionId)
      if (child.running) ended(child, 'cancelled')
      // What waited goes back to who sent it.
      for (const _ of child.queue.splice(0)) child.letters.push('settled cancelled')
      child.here = false
    },
  )

const read = command(
  'read',
  ({ rootRuns }) => rootRuns,
  async (model, real) => {
    const letters = real.rootTurn.turn.letters.read()
    for (const child of model.children) {
      const own = letters.filter(({ from }) => from === real.ids[child.index])
      expect(told(own)).toEqual(child.letters.slice(child.read))
      child.read = child.letters.length
    }
  },
)

const endRoot = command(
  'end root',
  ({ rootRuns }) => rootRuns,
  async (model, real) => {
    real.rootTurn.end()
    await until(() => real.process.home.store.get(real.root)?.registers.openRun === undefined)
    model.rootRuns = false
  },
)

const goOnRoot = command('begin root', ({ rootRuns }) => !rootRuns, beginRoot)

const stranger = (n: number): Command =>
  onChild(
    'stranger',
    n,
    () => true,
    async (child, real) => {
      const { home } = real.process
      const run = await home.start({})
      const { turn } = await turnOf(home, run.sessionId, 1)
      const { agents } = turn.delegation
      const to = real.ids[child.index] as SessionId
      expect(() => send(agents, to, 'x')).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }))
      expect(() => agents.interrupt(to)).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }))
      run.cancel()
      await run.result
    },
  )

const crash = command(
  'crash',
  () => true,
  async (model, real) => {
    real.process.die()
    real.processes += 1
    real.process = open(real.place, `p${real.processes}`)
    const { store } = real.process.home
    await recoverLost({ store, now: Date.now, log: silentLogger })
    model.rootRuns = false
    for (const child of model.children) {
      if (child.running) ended(child, 'interrupted')
      child.here = false
      real.runsHere[child.index] = 0
    }
  },
)

const at = fc.nat({ max: MOST_CHILDREN - 1 })
const commands = [
  fc.constant(startChild),
  at.map(sendTo),
  at.map(sendTo),
  at.map(report),
  at.map(settle),
  at.map(interrupt),
  at.map(close),
  at.map(stranger),
  fc.constant(read),
  fc.constant(endRoot),
  fc.constant(goOnRoot),
  fc.constant(crash),
]

test('B11.1, B11.2, B11.3, B14: whatever is done to kept agents, and whenever their process dies', async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 40, size: 'max' }), async (each) => {
      using place = storeHouse()
      const process = open(place, 'p0')
      const run = await process.home.start({ keep: true })
      const rootTurn = await process.home.puppet.turnOf(run.sessionId)
      const real: Real = {
        place,
        process,
        processes: 0,
        root: run.sessionId,
        rootTurn,
        ids: [],
        runsHere: [],
      }
      try {
        await fc.asyncModelRun(() => ({ model: { children: [], rootRuns: true, sent: 0 }, real }), each)
      } finally {
        await real.process.home.runtime[Symbol.asyncDispose]()
      }
    }),
    { numRuns: 40, endOnFailure: true },
  )
}, 120_000)
