/** `createSubgate`: the gateway in three lines of code. */
import { expect, test } from 'vitest'
import { memoryStore, SubagentError } from '../../../src/index.ts'
import type { SubagentProvider } from '../../../src/index.ts'
import { playing, scriptedProvider } from '../../../src/testing/index.ts'
import { openSubgate } from './open-subgate.ts'

const scripted = () => scriptedProvider({ capabilities: 'all' })

test('runs a prompt to its end', async () => {
  await using subgate = await openSubgate({ providers: [{ provider: scripted() }] })
  const { text, status } = await subgate.run('scripted', 'Hello?')
  expect([text, status]).toEqual(['Hello?', 'completed'])
})

test('passes every other field of a request on', async () => {
  await using subgate = await openSubgate({ providers: [{ provider: scripted() }] })
  const prompt = playing([{ report: 'model' }])
  const result = await subgate.run('scripted', prompt, { model: 'm-7', label: 'the first' })
  expect(result.text).toBe('{"model":"m-7"}')
})

test('every option of a start reaches it, and is no field of the request', async () => {
  const store = memoryStore()
  const inner = scripted()
  const seen: unknown[] = []
  const provider: SubagentProvider = {
    name: 'curious',
    capabilities: inner.capabilities,
    negotiated: [],
    inheritsParentContext: false,
    open: (request, setup) => {
      seen.push(setup.choices)
      return inner.open(request, setup)
    },
  }
  await using subgate = await openSubgate({ store, providers: [{ provider }] })
  const { sessionId, status } = await subgate.run('curious', 'Hello?', {
    choices: [{ modeId: 'plan' }],
    chat: { id: 'chat-7' },
    toolCallId: 'call-7',
  })
  expect([status, seen]).toEqual(['completed', [[{ modeId: 'plan' }]]])
  expect(store.get(sessionId)?.header.chat).toEqual({ id: 'chat-7' })
})

test('a refused start rejects with a typed error', async () => {
  await using subgate = await openSubgate({ providers: [{ provider: scripted() }] })
  const error: unknown = await subgate.run('scriptd', 'Hello?').catch((reason: unknown) => reason)
  expect(SubagentError.is(error) && error.toJSON()).toMatchObject({
    code: 'PROVIDER_NOT_FOUND',
    phase: 'resolve',
    data: { provider: 'scriptd', known: ['scripted', 'spawn', 'fork'] },
  })
})

test('what is no provider is refused at once, with what it lacks', async () => {
  const definition = { name: 'finder', run: () => 'found' }
  await expect(openSubgate({ providers: [{ provider: definition as never }] })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    message:
      'A provider "finder" was given, but it has "run", but no "open" function. Make it with defineProvider.',
  })
})

test('a start gives the run: its events, its questions, its result', async () => {
  await using subgate = await openSubgate({ providers: [{ provider: scripted() }] })
  const prompt = playing([{ ask: 'Write file', granted: [{ say: 'written' }] }])
  const run = await subgate.start('scripted', prompt, { permission: 'ask', answers: true })
  const types: string[] = []
  for await (const { event } of run.events()) {
    types.push(event.type)
    if (event.type === 'permission/requested') run.respond(event.id, { outcome: 'selected', optionId: 'yes' })
  }
  expect(await run.result).toMatchObject({ status: 'completed', text: 'written', denied: [] })
  expect(types).toEqual([
    'run/started',
    'session/update',
    'permission/requested',
    'permission/resolved',
    'session/update',
    'session/update',
    'run/settled',
  ])
})

test('a signal cancels the run', async () => {
  await using subgate = await openSubgate({ providers: [{ provider: scripted() }] })
  const abort = new AbortController()
  const prompt = playing([{ say: 'so far' }, { hang: true }])
  const run = await subgate.start('scripted', prompt, { signal: abort.signal })
  abort.abort()
  expect(await run.result).toMatchObject({ status: 'cancelled', text: 'so far' })
})

test('a kept session takes a follow-up until it is closed', async () => {
  const provider = scripted()
  await using subgate = await openSubgate({ providers: [{ provider }] })
  const { sessionId } = await subgate.run('scripted', playing([{ remember: 'marmalade' }]), { keep: true })
  const again = await subgate.run('scripted', playing([{ report: 'memory' }]), {
    session: { from: 'resume', sessionId },
  })
  expect([again.text, provider.live]).toEqual(['{"memory":["marmalade"]}', 1])
  await subgate.close(sessionId)
  expect(provider.live).toBe(0)
})

test('disposing ends what still runs', async () => {
  const provider = scripted()
  const subgate = await openSubgate({ providers: [{ provider }] })
  const run = await subgate.start('scripted', playing([{ hang: true }]))
  await subgate[Symbol.asyncDispose]()
  expect(await run.result).toMatchObject({ status: 'cancelled' })
  expect(provider.live).toBe(0)
})

test('a provider that is removed takes no new starts', async () => {
  await using subgate = await openSubgate()
  const added = subgate.providers.add(scripted())
  expect(subgate.providers.names()).toEqual(['scripted', 'spawn', 'fork'])
  added[Symbol.dispose]()
  await expect(subgate.run('scripted', 'Hello?')).rejects.toMatchObject({ code: 'PROVIDER_NOT_FOUND' })
})

test('a watcher sees the whole tree', async () => {
  await using subgate = await openSubgate({ providers: [{ provider: scripted() }] })
  const stop = new AbortController()
  const seen: string[] = []
  const watching = (async () => {
    for await (const { run, event } of subgate.watch({ signal: stop.signal })) {
      if (event.event.type !== 'run/settled') continue
      seen.push(`${run.depth}`)
      if (run.depth === 0) return
    }
  })()
  const below = { provider: 'scripted', prompt: playing([{ say: 'below' }]) }
  await subgate.run('scripted', playing([{ delegate: below }]))
  await watching
  stop.abort()
  expect(seen).toEqual(['1', '0'])
})
