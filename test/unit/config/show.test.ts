import { expect, test } from 'vitest'
import { maskArgs, maskUrl } from '../../../src/contract/secrets.ts'
import { describeConfig } from '../../../src/config/show.ts'
import { CONFIG_KEYS } from '../../../src/config/keys.ts'
import { makeHouse } from './house.ts'

test('every key is shown with its value and layer, or that it is unset', () => {
  using house = makeHouse()
  const { document, text } = describeConfig(
    house.load({ user: { permission: 'ask' }, project: { model: 'm', permission: 'allow' } }),
  )
  expect(document.layers.map(({ layer, state }) => [layer, state])).toEqual([
    ['user', 'used'],
    ['project', 'narrowed'],
    ['system', 'absent'],
  ])
  expect(document.keys).toContainEqual({ key: 'permission', value: 'ask', layer: 'user' })
  expect(document.keys).toContainEqual({ key: 'model', value: 'm', layer: 'project' })
  expect(document.keys).toContainEqual({ key: 'limits.idleMs', value: 600_000, layer: 'default' })
  expect(document.keys).toContainEqual({ key: 'sandbox', layer: 'unset' })
  expect(document.keys).toContainEqual({ key: 'providers.*.command', layer: 'unset' })
  const shown = text.split('\n')
  const unset = shown.filter((line) => line.endsWith(' unset')).map((line) => line.split(' ')[0])
  expect(unset).toEqual([
    'defaultProvider',
    'sandbox',
    ...CONFIG_KEYS.map(({ key }) => key).filter((key) => key.includes('*')),
  ])
  expect(
    shown.filter((line) => !line.endsWith(' unset')).map((line) => line.replaceAll(/ {2,}/gu, '  ')),
  ).toEqual([
    `user  used  ${house.user}`,
    `project  narrowed  ${house.project}`,
    `system  absent  ${house.system}`,
    '',
    'model  m  project',
    'permission  ask  user',
    'permissionTimeoutMs  0  default',
    'limits.startupMs  60000  default',
    'limits.idleMs  600000  default',
    'limits.totalMs  0  default',
    'concurrency.total  8  default',
    'concurrency.queue  64  default',
    'subagent.maxDepth  1  default',
    'retentionDays  90  default',
    '',
    `permission in ${house.project} doesn't count: it is wider than "ask". Trust the project with: subgate trust`,
    '',
  ])
})

test('law 14: no planted secret is shown, and the names are', () => {
  using house = makeHouse()
  const S = 'sk-planted'
  const user = {
    providers: {
      a: {
        command: ['agent', '--api-key', S, `--token=${S}`, '-e', `API_KEY=${S}`],
        env: { API_KEY: S, PASSED: true },
      },
    },
    mcpServers: [
      {
        type: 'http',
        name: 'web',
        url: `https://ada:${S}@mcp.example/v1?key=${S}#${S}`,
        headers: [{ name: 'Authorization', value: `Bearer ${S}` }],
        _meta: { note: S },
      },
      {
        name: 'local',
        command: 'mcp',
        args: ['--password', S, `postgres://ada:${S}@db/x`],
        env: [{ name: 'DB_PASS', value: S }],
      },
    ],
  }
  const { document, text } = describeConfig(house.load({ user }))
  expect(JSON.stringify(document) + text).not.toContain(S)
  const shown = Object.fromEntries(document.keys.map(({ key, value }) => [key, value]))
  expect(shown['providers.a.env.API_KEY']).toBe('***')
  expect(shown['providers.a.env.PASSED']).toBe(true)
  expect(shown['providers.a.command']).toEqual([
    'agent',
    '--api-key',
    '***',
    '--token=***',
    '-e',
    'API_KEY=***',
  ])
  expect(shown['mcpServers.web']).toEqual({
    type: 'http',
    url: 'https://mcp.example/v1?key=***',
    headers: { Authorization: '***' },
  })
  expect(shown['mcpServers.local']).toEqual({
    command: 'mcp',
    args: ['--password', '***', 'postgres://db/x'],
    env: { DB_PASS: '***' },
  })
})

test('a URL that is none is masked whole', () => {
  expect(maskUrl('ada:pw@host')).toBe('***')
})

test('ordinary arguments are shown as they are', () => {
  const args = ['acp', '--model', 'gpt:5', '--port=3000', '-v', '/bin/x']
  expect(maskArgs(args)).toEqual(args)
})

test('a value with control characters reaches no terminal as such', () => {
  using house = makeHouse()
  expect(describeConfig(house.load({ project: { model: '\u001b[31mred\u202e' } })).text).toContain(
    '\\u{1b}[31mred\\u{202e}',
  )
})
