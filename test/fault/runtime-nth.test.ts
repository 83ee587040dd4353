/** Every effect of a run fails once, in turn: whichever it is, nothing may be left behind. */
import { expect, test } from 'vitest'
import { SubagentError } from '../../src/contract/errors.ts'
import type { SubagentResult, TurnOutcome } from '../../src/contract/result.ts'
import { memoryStore } from '../../src/sessions/memory-store.ts'
import type { Store } from '../../src/sessions/store.ts'
import { checkIdle, checkLog, house, text } from '../fixtures/house.ts'
import type { House } from '../fixtures/house.ts'
import { puppet } from '../fixtures/puppet.ts'
import type { PuppetTurn } from '../fixtures/puppet.ts'

/** Fails the n-th effect that passes it. */
class FailNth {
  readonly #n: number
  count = 0
  failed: string | undefined

  constructor(n: number) {
    this.#n = n
  }

  pass(what: string): void {
    this.count += 1
    if (this.count !== this.#n) return
    this.failed = what
    throw new Error(`effect ${this.#n} failed: ${what}`)
  }
}

const failing = (fault: FailNth): Store => {
  const store = memoryStore()
  return {
    ...store,
    publish: (header, ...rest) => {
      fault.pass('publish')
      store.publish(header, ...rest)
    },
    append: (id, given, ...rest) => {
      const last = 'seq' in given ? given : given.at(-1)
      fault.pass(`append ${last?.event.type}`)
      store.append(id, given, ...rest)
    },
  }
}

/** A turn that uses everything: text, a permission, a child, text again; and what comes too late. */
const play =
  (fault: FailNth) =>
  async (self: PuppetTurn): Promise<TurnOutcome> => {
    fault.pass('prompt')
    self.say('before ')
    await self.ask('Write')
    if (self.turn.request.depth < 2 && !self.turn.signal.aborted) {
      const child = { provider: 'puppet', prompt: text('go') }
      const run = await self.turn.delegation.start(child).catch((error: unknown) => {
        if (!SubagentError.is(error)) throw error
      })
      await run?.result
    }
    self.say('after')
    setImmediate(() => self.say('too late'))
    return { ended: 'completed' }
  }

const scenario = async (home: House): Promise<readonly (SubagentResult | SubagentError)[]> => {
  const outcome = async (request: object): Promise<SubagentResult | SubagentError> => {
    try {
      const run = await home.start(request)
      return await run.result
    } catch (error) {
      if (SubagentError.is(error)) return error
      throw error
    }
  }
  const first = await outcome({ keep: true })
  const again = { session: { from: 'resume', sessionId: home.ids[0] ?? 'none' } }
  const second = home.ids[0] === undefined ? first : await outcome(again)
  if (home.ids[0] !== undefined) await home.runtime.close(home.ids[0])
  return [first, second]
}

test('laws 3 to 6: whichever effect fails, no run, slot or agent is left, and every error is typed', async () => {
  const seen = new Set<string>()
  for (let n = 1; ; n += 1) {
    const fault = new FailNth(n)
    const pass =
      (what: string): (() => void) =>
      () =>
        fault.pass(what)
    const home = house({
      store: failing(fault),
      puppet: puppet({ open: pass('open'), play: play(fault), dispose: pass('dispose') }),
    })
    home.runtime.lifecycle.on(pass('listener'))
    const outcomes = await scenario(home)
    await new Promise((resolve) => setImmediate(resolve))
    await home.runtime[Symbol.asyncDispose]()
    checkIdle(home)
    for (const outcome of outcomes) {
      if (SubagentError.is(outcome)) expect(outcome.phase).not.toBe('prompt')
      else checkLog(home.entries(outcome.sessionId), [outcome])
    }
    if (fault.failed === undefined) {
      expect(outcomes.map((each) => ('status' in each ? each.status : each.code))).toEqual([
        'completed',
        'completed',
      ])
      break
    }
    seen.add(fault.failed)
  }
  expect([...seen].toSorted()).toEqual(
    [
      'append permission/requested',
      'append permission/resolved',
      'append run/settled',
      'append run/started',
      'append session/late_update',
      'append session/update',
      'dispose',
      'listener',
      'open',
      'prompt',
      'publish',
    ].filter((what) => what !== 'append notice'),
  )
})
