/** The providers of a runtime by name, and starts that are told apart by their key. */
import { expect, test } from 'vitest'
import { SubagentError } from '../../../src/contract/errors.ts'
import { silentLogger } from '../../../src/contract/logger.ts'
import { ProviderRegistry } from '../../../src/runtime/registry.ts'
import { codeOf, house, rejection, text } from '../../fixtures/house.ts'
import { puppet } from '../../fixtures/puppet.ts'

const registry = (): ProviderRegistry => new ProviderRegistry(silentLogger)

test('B1.1: a duplicate name or alias is refused, and the first stays untouched', () => {
  const providers = registry()
  const first = puppet({ name: 'a' })
  providers.add(first, { concurrency: 2 }, ['b'])
  for (const name of ['a', 'b']) {
    expect(() => providers.add(puppet({ name }))).toThrow(`"${name}" is registered already`)
  }
  expect(() => providers.add(puppet({ name: 'c' }), {}, ['b'])).toThrow('"b" is registered already')
  expect(providers.get('b')).toEqual({ provider: first, settings: { concurrency: 2 } })
  expect(providers.names()).toEqual(['a'])
})

test.each<[unknown, string]>([
  [undefined, 'A provider was given, but it is no object. Make it with defineProvider.'],
  [{ open: () => {} }, 'A provider was given, but it has no name. Make it with defineProvider.'],
  [{ name: '', open: () => {} }, 'A provider "" was given, but it has no name. Make it with defineProvider.'],
  [{ name: 'a' }, 'A provider "a" was given, but it has no "open" function. Make it with defineProvider.'],
  [
    { name: 'a', run: () => 'hello' },
    'A provider "a" was given, but it has "run", but no "open" function. Make it with defineProvider.',
  ],
  [
    { name: 'a', open: () => {} },
    'A provider "a" was given, but it has no "capabilities". Make it with defineProvider.',
  ],
  [
    { name: 'a', open: () => {}, capabilities: {} },
    'A provider "a" was given, but it has no list "negotiated". Make it with defineProvider.',
  ],
  [
    { ...puppet({ name: 'a' }), check: 'yes', open: () => {} },
    'A provider "a" was given, but it has a "check" that is no function. Make it with defineProvider.',
  ],
])('what is no provider is refused when it is added: %j', (value, message) => {
  const providers = registry()
  expect(() => providers.add(value as never)).toThrow(
    expect.objectContaining({ code: 'INVALID_REQUEST', data: { field: 'provider' }, message }),
  )
  expect(providers.names()).toEqual([])
})

test('B1.1: an unknown name tells the known ones and the nearest', async () => {
  await using home = house({ providers: [{ provider: puppet({ name: 'codex' }), aliases: ['cdx'] }] })
  const error = await rejection(home.start({ provider: 'codx' }))
  expect([error.code, error.phase, error.data]).toEqual([
    'PROVIDER_NOT_FOUND',
    'resolve',
    { provider: 'codx', known: ['puppet', 'codex'] },
  ])
  expect(error.message).toContain('Did you mean "codex"?')
})

test("a provider that can't be had rejects a start on it with its own error, by each of its names, and is in no list", async () => {
  await using home = house()
  const { providers } = home.runtime
  const fault = new SubagentError('INVALID_CONFIG', 'resolve', 'The module throws.', {
    key: 'providers.m.module',
  })
  providers.fail('m', fault, ['n'])
  for (const provider of ['m', 'n']) {
    expect(providers.find(provider)).toBeUndefined()
    expect(providers.fault(provider)).toBe(fault)
    expect(await rejection(home.start({ provider }))).toBe(fault)
  }
  expect(providers.names()).toEqual(['puppet'])
  expect(() => providers.add(puppet({ name: 'm' }))).toThrow('"m" is registered already')
  expect(() => providers.fail('puppet', fault)).toThrow('"puppet" is registered already')
  expect(providers.fault('puppet')).toBeUndefined()
  expect((await home.start()).provider).toBe('puppet')
})

test('B1.2: removing a provider blocks new starts and leaves a run that was handed out alone', async () => {
  await using home = house()
  const other = puppet({ name: 'other' })
  const registration = home.runtime.providers.add(other)
  const run = await home.start({ provider: 'other' })
  registration[Symbol.dispose]()
  registration[Symbol.dispose]()
  expect(await codeOf(home.start({ provider: 'other' }))).toBe('PROVIDER_NOT_FOUND')
  const turn = await other.turnOf(run.sessionId)
  turn.say('still here')
  turn.end()
  expect((await run.result).text).toBe('still here')
})

test('B1.2: a listener that throws at an addition rolls it back', () => {
  const providers = registry()
  const listener = providers.onAdded(() => {
    throw new Error('no')
  })
  expect(() => providers.add(puppet({ name: 'a' }), {}, ['b'])).toThrow('no')
  expect([providers.find('a'), providers.find('b')]).toEqual([undefined, undefined])
  listener[Symbol.dispose]()
  providers.add(puppet({ name: 'b' }))
})

test('B1.2: a listener that fails later is logged, and neither undoes the addition nor ends the process', async () => {
  const warned: unknown[] = []
  const providers = new ProviderRegistry({ ...silentLogger, warn: (fields) => void warned.push(fields) })
  const error = new Error('later')
  providers.onAdded(() => Promise.reject(error))
  providers.add(puppet({ name: 'a' }))
  await new Promise((resolve) => setImmediate(resolve))
  expect(warned).toEqual([{ error, provider: 'a' }])
  expect(providers.names()).toEqual(['a'])
})

test('the same key gives the same run, another request under it is refused, a rejected start frees it', async () => {
  await using home = house()
  const key = { idempotencyKey: 'k' }
  expect(await codeOf(home.start({ ...key, cwd: '/no/such/dir' }))).toBe('INVALID_REQUEST')
  const [one, two] = await Promise.all([home.start(key), home.start(key)])
  expect(one).toBe(two)
  expect(home.puppet.requests).toHaveLength(1)
  const other = await rejection(home.start({ ...key, prompt: text('else') }))
  expect([other.code, other.data]).toEqual(['INVALID_REQUEST', { field: 'idempotencyKey' }])
})

test.each([
  {},
  { name: 'x' },
  { name: 'x', capabilities: {}, negotiated: [] },
  { name: '', open() {} },
  undefined,
])('what is no provider is INVALID_REQUEST when it is added: %j', (value) => {
  const providers = registry()
  expect(() => providers.add(value as never)).toThrow(/defineProvider/u)
  expect(providers.names()).toEqual([])
})
