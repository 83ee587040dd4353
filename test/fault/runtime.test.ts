/** The runtime when things fail: starts that come to nothing, broken logs, agents that don't listen. */
import { expect, test } from 'vitest'
import { SubagentError } from '../../src/contract/errors.ts'
import { memoryStore } from '../../src/sessions/memory-store.ts'
import { checkIdle, codeOf, collect, house, rejection, text, until } from '../fixtures/house.ts'
import { EVERY_ROW, puppet } from '../fixtures/puppet.ts'

test('a log that takes nothing any more ends its run as failed, and no reader waits for ever', async () => {
  let broken = false
  const store = memoryStore()
  await using home = house({
    store: {
      ...store,
      append: (...args) => {
        if (broken) throw new Error('disk full')
        store.append(...args)
      },
    },
  })
  const run = await home.start()
  const reading = collect(run)
  const turn = await home.puppet.turnOf(run.sessionId)
  turn.say('kept')
  broken = true
  turn.say('lost')
  const result = await run.result
  expect([result.status, result.category, result.text]).toEqual(['failed', 'provider', 'kept'])
  expect(result.error?.message).toContain('disk full')
  expect((await reading).map(({ event }) => event.type)).toEqual(['run/started', 'session/update'])
  expect(home.runtime.load).toEqual({ active: 0, queued: 0 })
})

test('law 6: what a provider throws is told as its fault, bounded, and the partial text is kept', async () => {
  await using home = house()
  const run = await home.start()
  const turn = await home.puppet.turnOf(run.sessionId)
  turn.say('part')
  turn.fail(new TypeError(`bad ${'ü'.repeat(5000)}`))
  const result = await run.result
  expect([result.status, result.category, result.text]).toEqual(['failed', 'provider', 'part'])
  expect([result.error?.code, result.error?.phase]).toEqual(['PROVIDER_FAULT', 'prompt'])
  expect(Buffer.byteLength(result.error?.message ?? '')).toBeLessThan(4200)
  expect(result.error?.message).not.toContain('\uFFFD')
})

test('a throw within open rejects the start as a fault of phase session, and an own error passes as it is', async () => {
  await using plain = house({
    puppet: puppet({
      open: () => {
        throw new Error('no')
      },
    }),
  })
  const error = await rejection(plain.start())
  expect([error.code, error.phase]).toEqual(['PROVIDER_FAULT', 'session'])
  checkIdle(plain)
  const own = new SubagentError('AUTH_REQUIRED', 'initialize', 'Sign in.', { methods: [], withheld: [] })
  await using typed = house({
    puppet: puppet({
      open: () => {
        throw own
      },
    }),
  })
  expect(await rejection(typed.start())).toBe(own)
})

test('law 1: a refused request publishes nothing, takes no slot and does not reach open', async () => {
  await using home = house({ puppet: puppet({ capabilities: {} }) })
  const error = await rejection(home.start({ maxDepth: 0, model: 'm' }))
  expect(error.data).toMatchObject({ provider: 'puppet', missing: ['depthLimit', 'model'] })
  expect([home.puppet.requests, home.ids]).toEqual([[], []])
  checkIdle(home)
})

test('law 1: what the handshake lacks is refused after the agent is gone, and nothing was published', async () => {
  await using home = house({
    puppet: puppet({ capabilities: EVERY_ROW, negotiated: ['fork', 'model'], revealed: { model: 'none' } }),
    providers: [{ provider: puppet({ name: 'able' }) }],
  })
  const error = await rejection(home.start({ model: 'm' }))
  expect([error.code, error.phase, error.data]).toEqual([
    'UNSUPPORTED_CAPABILITY',
    'gate',
    { provider: 'puppet', missing: ['model'], fields: ['model'], alternatives: ['able'] },
  ])
  expect([home.puppet.requests.length, home.puppet.live.size, home.ids]).toEqual([1, 0, []])
})

test('law 3: a start that is cancelled while it is set up leaves nothing', async () => {
  const abort = new AbortController()
  await using home = house({
    puppet: puppet({
      open: (_request, { signal }) => {
        queueMicrotask(() => abort.abort())
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        })
      },
    }),
  })
  expect(await codeOf(home.start({}, { signal: abort.signal }))).toBe('CANCELLED')
  expect(home.ids).toEqual([])
  checkIdle(home)
})

test('law 3: a start that is cancelled in the queue, or before it began, opens nothing', async () => {
  await using home = house({ settings: { concurrency: { total: 1, queue: 5 } } })
  const first = await home.start()
  const abort = new AbortController()
  const queued = home.start({}, { signal: abort.signal })
  await until(() => home.runtime.load.queued === 1)
  abort.abort()
  expect(await codeOf(queued)).toBe('CANCELLED')
  first.cancel()
  await first.result
  expect(await codeOf(home.start({}, { signal: abort.signal }))).toBe('CANCELLED')
  expect(home.puppet.requests).toHaveLength(1)
  checkIdle(home)
})

test('the start-up limit ends an agent that is never ready, and what it brings later is disposed', async () => {
  const late = Promise.withResolvers<void>()
  await using home = house({
    settings: { limits: { startupMs: 30, idleMs: 0, totalMs: 0 } },
    puppet: puppet({
      open: async (_request, { signal }) => {
        signal.addEventListener('abort', () => late.resolve(), { once: true })
        await late.promise
      },
    }),
  })
  const error = await rejection(home.start())
  expect([error.code, error.phase, error.data]).toMatchObject([
    'STARTUP_TIMEOUT',
    'initialize',
    { limitMs: 30 },
  ])
  checkIdle(home)
})

test('law 5: a child that is still starting when its parent ends is stopped, and the parent waits for that', async () => {
  const opening = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  let released = false
  const slow = puppet({
    name: 'slow',
    open: async (_request, { signal }) => {
      opening.resolve()
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve, { once: true })
      })
      await gone.promise
      released = true
      throw signal.reason
    },
  })
  await using home = house({ providers: [{ provider: slow }] })
  const run = await home.start()
  const turn = await home.puppet.turnOf(run.sessionId)
  const child = codeOf(turn.turn.delegation.start({ provider: 'slow', prompt: text('go') }))
  await opening.promise
  turn.say('done')
  turn.end()
  setImmediate(() => gone.resolve())
  expect([(await run.result).status, released]).toEqual(['completed', true])
  expect(await child).toBe('CANCELLED')
  expect(home.ids).toHaveLength(1)
  checkIdle(home)
})

test('law 5: a queued child of a cancelled parent never opens, and a settled run delegates no more', async () => {
  await using home = house({ settings: { concurrency: { total: 1, queue: 5 } } })
  const run = await home.start()
  const stranger = home.start()
  const turn = await home.puppet.turnOf(run.sessionId)
  await until(() => home.runtime.load.queued === 1)
  // The parent lends its slot, but the stranger was first.
  const child = codeOf(turn.turn.delegation.start({ provider: 'puppet', prompt: text('go') }))
  await until(() => home.puppet.requests.length === 2)
  run.cancel()
  expect(await child).toBe('CANCELLED')
  expect((await run.result).status).toBe('cancelled')
  expect(await codeOf(turn.turn.delegation.start({ provider: 'puppet', prompt: text('go') }))).toBe(
    'SESSION_NOT_FOUND',
  )
  ;(await stranger).cancel()
  await (
    await stranger
  ).result
  expect(home.puppet.requests).toHaveLength(2)
  checkIdle(home)
})

test('an agent that ignores cancel is ended after its grace', async () => {
  const deaf = puppet({ name: 'deaf', deaf: true })
  await using home = house({ providers: [{ provider: deaf, settings: { cancelMs: 20 } }] })
  const run = await home.start({ provider: 'deaf', keep: true })
  const turn = await deaf.turnOf(run.sessionId)
  turn.say('part')
  run.cancel('signal')
  const result = await run.result
  expect([result.status, result.category, result.text]).toEqual(['cancelled', 'signal', 'part'])
  expect(deaf.live.size).toBe(0)
  turn.say('still here')
  expect(home.entries(run.sessionId).at(-1)?.event.type).toBe('session/late_update')
})

test('a run that is being stopped delegates no more, and waits for no reader', async () => {
  const deaf = puppet({ name: 'deaf', deaf: true })
  await using home = house({ providers: [{ provider: deaf, settings: { cancelMs: 200 } }] })
  const run = await home.start({ provider: 'deaf' })
  const reader = run.events()[Symbol.asyncIterator]()
  await reader.next()
  const { turn } = await deaf.turnOf(run.sessionId)
  const update = { sessionUpdate: 'future_kind' } as const
  expect(turn.emit({ type: 'session/update', update }, 9 * 1024 * 1024)).toBe(false)
  const drained = turn.drained()
  run.cancel()
  await drained
  expect(home.runtime.load.active).toBe(1)
  expect(await codeOf(turn.delegation.start({ provider: 'puppet', prompt: text('go') }))).toBe('CANCELLED')
  expect(home.puppet.requests).toEqual([])
  expect((await run.result).status).toBe('cancelled')
})

test('B10.4: dispose is idempotent, and its failure is a notice, apart from the result', async () => {
  await using home = house({
    puppet: puppet({
      dispose: () => {
        throw new Error('stuck')
      },
    }),
  })
  const run = await home.start()
  const turn = await home.puppet.turnOf(run.sessionId)
  turn.say('answer')
  turn.end()
  await run.result
  await run[Symbol.asyncDispose]()
  await run[Symbol.asyncDispose]()
  expect((await run.result).status).toBe('completed')
  const notices = home.entries(run.sessionId).filter(({ event }) => event.type === 'notice')
  expect(notices.map(({ event }) => event)).toEqual([
    { type: 'notice', severity: 'warning', title: 'The agent could not be ended cleanly.', detail: 'stuck' },
  ])
})

test('B10.1: a listener that throws or rejects starves nobody', async () => {
  await using home = house()
  const heard: string[] = []
  home.runtime.lifecycle.on(() => {
    throw new Error('thrown')
  })
  home.runtime.lifecycle.on(() => Promise.reject(new Error('rejected')))
  home.runtime.lifecycle.on(({ type, provider, depth }) => heard.push(`${type} ${provider} ${depth}`))
  const run = await home.start()
  run.cancel()
  await run.result
  expect(heard).toEqual(['subagent/start puppet 0', 'subagent/end puppet 0'])
})
