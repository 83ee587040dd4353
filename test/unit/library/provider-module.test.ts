/** `providers.X.module`: a provider that configuration loads. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { Gateway } from '../../../src/gateway.ts'
import { createSubgate } from '../../../src/index.ts'
import type { Subgate } from '../../../src/index.ts'
import { defineProvider } from '../../../src/provider.ts'

const SOURCE = pathToFileURL(join(import.meta.dirname, '../../../src/provider.ts')).href

/** A home whose user configuration names a module with this text. */
const withModule = (text: string, module = './mine.mjs', more: object = {}): Promise<Subgate> => {
  const home = join(String(process.env['SUBGATE_TEST_HOME']), `module-${crypto.randomUUID()}`)
  const folder = join(home, 'config', 'subgate')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'mine.mjs'), text)
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ providers: { mine: { module, ...more } } }))
  const env = {
    PATH: '/nonexistent',
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_STATE_HOME: join(home, 'state'),
  }
  return createSubgate({ home, cwd: home, env })
}

const definition = (name: string, how = 'export const provider =') =>
  `import { defineProvider } from '${SOURCE}'\n${how} defineProvider({ name: '${name}', run: ({ text }) => text.toUpperCase() })`

test('a module that exports a provider is one, by its path beside the configuration', async () => {
  await using subgate = await withModule(definition('mine'))
  expect(await subgate.run('mine', 'hello')).toMatchObject({ status: 'completed', text: 'HELLO' })
})

test('a default export will do', async () => {
  await using subgate = await withModule(definition('mine', 'export default'))
  expect((await subgate.run('mine', 'hello')).text).toBe('HELLO')
})

/** What a start on the module's provider is rejected with; another provider must go on beside it. */
const refusal = async (...given: Parameters<typeof withModule>): Promise<unknown> => {
  await using subgate = await withModule(...given)
  subgate.providers.add(defineProvider({ name: 'other', run: ({ text }) => text }))
  expect(await subgate.run('other', 'fine')).toMatchObject({ status: 'completed', text: 'fine' })
  expect(subgate.providers.names()).not.toContain('mine')
  return await subgate.run('mine', 'hello').then(
    () => undefined,
    (reason: unknown) => reason,
  )
}

test('a key that only a process could honour is INVALID_CONFIG beside a module', async () => {
  const error = await refusal(definition('mine'), './mine.mjs', { env: { KEY: 'x' } })
  expect(error).toMatchObject({ code: 'INVALID_CONFIG', data: { key: 'providers.mine.env' } })
})

test.each([
  ['whose provider has another name', definition('yours'), './mine.mjs', 'whose provider is named "yours"'],
  ['that exports none', 'export const other = 1', './mine.mjs', 'which exports no `provider`'],
  [
    'whose provider has no capabilities',
    "export const provider = { name: 'mine', open: () => {} }",
    './mine.mjs',
    'whose `provider` is none. Make it with defineProvider.',
  ],
  ['that throws', "throw new Error('no luck')", './mine.mjs', "which can't be loaded: no luck"],
  ['that is not there', '', './missing.mjs', "which can't be loaded"],
  ['that is no installed package', '', 'subgate-no-such-package', "which can't be loaded"],
])(
  'a module %s fails a start on it alone: INVALID_CONFIG that names file and key',
  async (_, text, module, why) => {
    const error = await refusal(text, module)
    expect(error).toMatchObject({
      code: 'INVALID_CONFIG',
      data: { key: 'providers.mine.module', file: expect.stringMatching(/subgate\/config\.json$/u) },
    })
    expect(String(error)).toContain(why)
  },
)

test('variables for an agent are refused by name where the provider starts no process', async () => {
  const provider = defineProvider({ name: 'plain', run: ({ text }) => text })
  const home = String(process.env['SUBGATE_TEST_HOME'])
  await using gateway = await Gateway.create({
    home,
    cwd: home,
    env: {},
    providers: [{ provider }],
    agentEnv: { KEY: 'x' },
  })
  const prompt = [{ type: 'text' as const, text: 'x' }]
  await expect(gateway.rootRequest({ provider: 'plain', prompt })).rejects.toThrow(
    '--env was given (KEY), but plain starts no process that could get it. Leave it out.',
  )
})
