/** The gateway's presets: trust by `subgate trust`'s store, configured defaults, code, and what each needs. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Gateway } from '../../../src/gateway.ts'
import type { GatewayOptions } from '../../../src/gateway.ts'
import { playing } from '../../../src/testing/index.ts'
import { makeHouse, preset } from './house.ts'
import type { House } from './house.ts'

const open = ({ root, home, cwd }: House, options: GatewayOptions = {}): Promise<Gateway> =>
  Gateway.create({
    cwd,
    home,
    env: {
      PATH: '',
      XDG_CONFIG_HOME: join(root, 'config'),
      XDG_DATA_HOME: join(root, 'data'),
      XDG_STATE_HOME: join(root, 'state'),
    },
    ...options,
  })

test('what a preset needs is the capability rows that the gate would ask for', async () => {
  using house = makeHouse()
  house.write('.subgate/agents/a.md', preset('tools: Read\nmodel: m\npermissionMode: plan', 'Hi'))
  house.write('.subgate/agents/b.md', preset('model: inherit'))
  await using gateway = await open(house, { presets: [{ name: 'c', tools: { allow: [] } }] })
  const listed = await gateway.presets.list(house.cwd)
  expect(listed.map(({ name, needs }) => [name, needs])).toEqual([
    ['a', ['persona', 'toolFilter', 'sandbox', 'model']],
    ['b', []],
    ['c', ['toolFilter']],
  ])
})

test('a source of code stands in place of all files', async () => {
  using house = makeHouse()
  house.write('.subgate/agents/a.md', preset('model: m'))
  const presets = { find: async () => ({ name: 'own', model: 'x' }), names: async () => ['own'] }
  await using gateway = await open(house, { presets })
  expect(await gateway.presets.list(house.cwd)).toEqual([
    {
      name: 'own',
      level: 'code',
      preset: { name: 'own', model: 'x' },
      withheld: [],
      overridden: false,
      needs: ['model'],
    },
  ])
})

test('trust counts as long as no preset of the project has changed', async () => {
  using house = makeHouse()
  const file = house.write('.claude/agents/w.md', preset('permissionMode: bypassPermissions'))
  await using gateway = await open(house)
  const line = `permissionMode in ${file} doesn't count: it is wider than "workspace-write". Trust the project with: subgate trust`
  expect(await gateway.presets.warnings('w', house.cwd)).toEqual([line])
  const [trusted = ''] = await gateway.presets.projects(house.cwd)
  expect(trusted).toBe(join(house.project, '.subgate', 'config.json'))
  gateway.trust.trust(trusted, undefined)
  expect(await gateway.presets.warnings('w', house.cwd)).toEqual([])
  expect((await gateway.presets.find('w', house.cwd))?.sandbox).toBe('danger-full-access')
  house.write('.claude/agents/other.md', preset(''))
  expect(await gateway.presets.warnings('w', house.cwd)).toEqual([line])
})

test("a preset's model goes before the configured one and gives way to the request's", async () => {
  using house = makeHouse()
  house.write('config/config.json', JSON.stringify({ model: 'configured' }))
  house.write('.subgate/agents/own.md', preset('model: preset'))
  house.write('.subgate/agents/none.md', preset('name: none'))
  await using gateway = await open(house)
  const ask = { provider: 'p', prompt: playing([{ say: 'x' }]) }
  expect((await gateway.rootRequest({ ...ask, preset: 'own' })).model).toBeUndefined()
  expect((await gateway.rootRequest({ ...ask, preset: 'none' })).model).toBe('configured')
  expect((await gateway.rootRequest({ ...ask, preset: 'missing' })).model).toBe('configured')
  expect((await gateway.rootRequest({ ...ask, preset: 'own', model: 'asked' })).model).toBe('asked')
  expect((await gateway.rootRequest(ask)).model).toBe('configured')
})
