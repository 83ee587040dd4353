/** Random histories of kept agents, with crashes: order, authority, no message lost or doubled, one notice a run. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { silentLogger } from '../../src/contract/logger.ts'
import type { RunId, SessionId } from '../../src/contract/ids.ts'
import type { Letter } from '../../src/contract/letters.ts'
import type { RunStatus } from '../../src/contract/result.ts'
import { recoverLost } from '../../src/runtime/recover.ts'
import { checkLog, house, until } from '../fixtures/house.ts'
import type { House } from '../fixtures/house.ts'
import { prompts, received, send, told, turnOf, waiting } from '../fixtures/kept.ts'
import { mortalStore } from '../fixtures/mortal-store.ts'
import type { PuppetTurn } from '../fixtures/puppet.ts'
import { storeHouse } from '../fixtures/store-file.ts'
import type { StoreHouse } from '../fixtures/store-file.ts'

const MOST_CHILDREN = 3

interface Child {
  readonly index: number
  /** What its runs were asked, in order, and how those that are over ended. */
  readonly prompts: string[]
  readonly endings: RunStatus[]
  running: boolean
  /** Held by the process that lives; else it is stored. */
  here: boolean
  /** Messages that wait. */
  queue: string[]
  /** What it wrote to its parent, and how much of that the parent has read. */
  readonly letters: string[]
  read: number
}

interface Model {
  readonly children: Child[]
  rootRuns: boolean
  sent: number
}

interface Process {
  readonly home: House
  die(): void
}

interface Real {
  readonly place: StoreHouse
  process: Process
  processes: number
  root: SessionId
  rootTurn: PuppetTurn
  readonly ids: SessionId[]
  /** Runs of each child in the process that lives. */
  readonly runsHere: number[]
}

const open = (place: StoreHouse, owner: string): Process => {
  const { store, die } = mortalStore(place.open(owner))
  return {
    home: house({ store }),
    die: () => {
      place.dead.add(owner)
      die()
    },
  }
}

const turnNow = (real: Real, { index }: Child): Promise<PuppetTurn> =>
  turnOf(real.process.home, real.ids[index] as SessionId, real.runsHere[index] as number)

/** The next message is taken, if one waits. */
const goOn = async (child: Child, real: Real): Promise<void> => {
  const next = child.queue.shift()
  child.running = next !== undefined
  if (next === undefined) return
  child.prompts.push(next)
  child.here = true
  real.runsHere[child.index] = (real.runsHere[child.index] as number) + 1
  await turnNow(real, child)
}

const ended = (child: Child, status: RunStatus): void => {
  child.endings.push(status)
  child.letters.push(`settled ${status}`)
  child.running = false
}

const settledIn = (real: Real, { index, endings }: Child): Promise<void> =>
  until(
    () =>
      real.process.home
        .entries(real.ids[index] as SessionId)
        .filter(({ event }) => event.type === 'run/settled').length === endings.length,
  )

const beginRoot = async (model: Model, real: Real): Promise<void> => {
  const { home } = real.process
  const before = home.puppet.turns.filter(({ turn }) => turn.request.sessionId === real.root).length
  await home.start({ keep: true, session: { from: 'resume', sessionId: real.root } })
  real.rootTurn = await turnOf(home, real.root, before + 1)
  model.rootRuns = true
}

/** All that a child ever wrote: what its parent has read, then what waits for it. */
const written = (real: Real, from: SessionId): readonly Letter[] => {
  const { home } = real.process
  const read = home
    .entries(real.root)
    .flatMap(({ event }) => (event.type === 'letter/received' ? [event.letter] : []))
  const all = [...read, ...home.store.letters(real.root)]
  return all.filter((letter) => letter.from === from)
}

const checkChild = (child: Child, real: Real): void => {
  const { home } = real.process
  const id = real.ids[child.index] as SessionId
  const entries = home.entries(id)
  checkLog(entries)
  // No message is lost, doubled, or out of its order.
  expect(prompts(home, id)).toEqual(child.prompts)
  expect(waiting(home, id)).toEqual(child.queue.map((words) => `message ${words}`))
  const settled = entries.flatMap(({ event, runId }) =>
    event.type === 'run/settled' ? [[runId as RunId, event.status] as const] : [],
  )
  expect(settled.map(([, status]) => status)).toEqual(child.endings)
  const letters = written(real, id)
  expect(told(letters)).toEqual(child.letters)
  expect(letters.map((letter) => letter.id)).toEqual(
    letters.map((letter) => letter.id).toSorted((a, b) => a - b),
  )
  // One notice for each run that is over, and no other.
  const notices = letters.flatMap((letter) =>
    letter.kind === 'settled' && letter.runId !== undefined ? [letter.runId] : [],
  )
  expect(notices).toEqual(settled.map(([run]) => run))
}

const check = ({ children }: Model, real: Real): void => {
  for (const child of children) checkChild(child, real)
  const read = children.reduce((sum, child) => sum + child.read, 0)
  expect(received(real.process.home.entries(real.root))).toHaveLength(read)
}

type Command = fc.AsyncCommand<Model, Real>

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

const onChild = (
  name: string,
  n: number,
  may: (child: Child, model: Model) => boolean,
  run: (child: Child, real: Real, model: Model) => Promise<void>,
): Command => {
  const fitting = (model: Model): readonly Child[] => model.children.filter((child) => may(child, model))
  return command(
    `${name} ${n}`,
    (model) => fitting(model).length > 0,
    async (model, real) => {
      const all = fitting(model)
      await run(all[n % all.length] as Child, real, model)
    },
  )
}

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
