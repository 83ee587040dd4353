import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig } from '../../../src/config/layers.ts'
import { beyondSystem } from '../../../src/config/merge.ts'
import { errorOf, makeHouse, write } from './house.ts'

const trusted = (): boolean => true
const server = (name: string, command: string) => ({ name, command, args: [], env: [] })
const states = (loaded: { layers: readonly { state: string }[] }): readonly string[] =>
  loaded.layers.map(({ state }) => state)

test('without any file the defaults hold', () => {
  using house = makeHouse()
  const loaded = house.load({})
  expect(loaded.config).toEqual({
    permissionTimeoutMs: 0,
    limits: { startupMs: 60_000, idleMs: 600_000, totalMs: 0 },
    concurrency: { total: 8, queue: 64 },
    subagent: { maxDepth: 1 },
    retentionDays: 90,
    mcpServers: [],
    providers: {},
    tools: {},
  })
  expect(loaded.layers).toEqual([
    { layer: 'user', file: house.user, state: 'absent' },
    { layer: 'project', file: house.project, state: 'absent' },
    { layer: 'system', file: house.system, state: 'absent' },
  ])
  expect(loaded.origins['limits.idleMs']).toBe('default')
  expect(loaded.project).toBeUndefined()
})

test("a key comes from the highest layer that says it, and its origin is that layer's name", () => {
  using house = makeHouse()
  const loaded = house.load({
    user: { model: 'a', defaultProvider: 'codex', limits: { idleMs: 5_000 } },
    project: { model: 'b' },
  })
  expect(loaded.config).toMatchObject({
    model: 'b',
    defaultProvider: 'codex',
    limits: { idleMs: 5_000, startupMs: 60_000 },
  })
  expect(loaded.origins).toMatchObject({
    model: 'project',
    defaultProvider: 'user',
    'limits.idleMs': 'user',
    'limits.startupMs': 'default',
  })
  expect(states(loaded)).toEqual(['used', 'used', 'absent'])
})

test('variables are merged by name and MCP servers by theirs', () => {
  using house = makeHouse()
  const { config } = house.load(
    {
      user: {
        providers: { codex: { env: { A: '1', B: true } } },
        mcpServers: [server('x', '1'), server('y', '1')],
      },
      project: {
        providers: { codex: { env: { A: '2' } } },
        mcpServers: [server('y', '2'), server('z', '2')],
      },
    },
    { trusted },
  )
  expect(config.providers).toEqual({ codex: { env: { A: '2', B: true } } })
  expect(config.mcpServers).toEqual([server('x', '1'), server('y', '2'), server('z', '2')])
})

test("a higher layer's command stands instead of a lower layer's module", () => {
  using house = makeHouse()
  const { config } = house.load(
    { user: { providers: { mine: { module: 'm' } } }, project: { providers: { mine: { command: ['c'] } } } },
    { trusted },
  )
  expect(config.providers).toEqual({ mine: { command: ['c'] } })
})

test('a program or module with a relative path stands beside the file that names it', () => {
  using house = makeHouse()
  const { config } = house.load({
    user: {
      providers: { a: { command: ['./agent.sh', './x'] }, b: { module: '../b.mjs' }, c: { module: 'pkg' } },
    },
  })
  const dir = join(house.home, '.config', 'subgate')
  expect(config.providers).toEqual({
    a: { command: [join(dir, 'agent.sh'), './x'] },
    b: { module: join(house.home, '.config', 'b.mjs') },
    c: { module: 'pkg' },
  })
})

test('XDG_CONFIG_HOME moves the file of the user', () => {
  using house = makeHouse()
  write(join(house.root, 'xdg', 'subgate', 'config.json'), '{"model": "moved"}')
  const loaded = house.load(
    { user: { model: 'left' } },
    { env: { XDG_CONFIG_HOME: join(house.root, 'xdg') } },
  )
  expect(loaded.config.model).toBe('moved')
})

test('the nearest project file upwards counts, alone', () => {
  using house = makeHouse()
  write(join(house.home, 'work', '.subgate', 'config.json'), '{"model": "far", "defaultProvider": "codex"}')
  expect(house.load({}).config.model).toBe('far')
  const { config } = house.load({ project: { model: 'near' } }, { cwd: join(house.cwd, 'src', 'deep') })
  expect(config.model).toBe('near')
  expect(config.defaultProvider).toBeUndefined()
})

test('the search stops at the home directory, also where that is reached by another name', () => {
  using house = makeHouse()
  write(join(house.home, '.subgate', 'config.json'), '{"model": "home"}')
  write(join(house.root, '.subgate', 'config.json'), '{"model": "above"}')
  const link = join(house.root, 'link')
  symlinkSync(house.home, link)
  expect(house.load({}).config.model).toBeUndefined()
  expect(house.load({}, { home: link }).config.model).toBeUndefined()
  expect(house.load({}, { cwd: house.home }).config.model).toBeUndefined()
})

test('outside the home directory the search goes up to the root', () => {
  using house = makeHouse()
  write(join(house.root, 'srv', '.subgate', 'config.json'), '{"model": "srv"}')
  mkdirSync(join(house.root, 'srv', 'a', 'b'), { recursive: true })
  expect(house.load({}, { cwd: join(house.root, 'srv', 'a', 'b') }).config.model).toBe('srv')
})

test("the user's own directory is no project, also through a link", () => {
  using house = makeHouse()
  house.load({ user: { model: 'mine' } })
  symlinkSync(join(house.home, '.config', 'subgate'), join(house.cwd, '.subgate'))
  const loaded = loadConfig({ cwd: house.cwd, home: house.home, env: {}, systemFile: house.system })
  expect(loaded.project).toBeUndefined()
  expect(states(loaded)).toEqual(['used', 'absent', 'absent'])
})

test.for([
  ['permission', { permission: 'ask' }, { permission: 'allow' }, { permission: 'ask' }, 'system'],
  ['permission', { permission: 'ask' }, { permission: 'deny' }, { permission: 'deny' }, 'user'],
  [
    'sandbox',
    { sandbox: 'workspace-write' },
    { sandbox: 'danger-full-access' },
    { sandbox: 'workspace-write' },
    'system',
  ],
  ['sandbox', { sandbox: 'workspace-write' }, { sandbox: 'read-only' }, { sandbox: 'read-only' }, 'user'],
  [
    'limits.totalMs',
    { limits: { totalMs: 1_000 } },
    { limits: { totalMs: 0 } },
    { limits: { totalMs: 1_000 } },
    'system',
  ],
  [
    'limits.totalMs',
    { limits: { totalMs: 1_000 } },
    { limits: { totalMs: 500 } },
    { limits: { totalMs: 500 } },
    'user',
  ],
  ['limits.startupMs', { limits: { startupMs: 90_000 } }, {}, { limits: { startupMs: 90_000 } }, 'system'],
  [
    'subagent.maxDepth',
    { subagent: { maxDepth: 2 } },
    { subagent: { maxDepth: 9 } },
    { subagent: { maxDepth: 2 } },
    'system',
  ],
  [
    'concurrency.total',
    { concurrency: { total: 2 } },
    { concurrency: { total: 3 } },
    { concurrency: { total: 2 } },
    'system',
  ],
  [
    'permissionTimeoutMs',
    { permissionTimeoutMs: 9 },
    { permissionTimeoutMs: 0 },
    { permissionTimeoutMs: 9 },
    'system',
  ],
  ['model', { model: 'fixed' }, { model: 'other' }, { model: 'fixed' }, 'system'],
] as const)('the system layer bounds %s: %j over %j', ([key, system, user, expected, origin]) => {
  using house = makeHouse()
  const loaded = house.load({ system, user })
  expect(loaded.config).toMatchObject(expected)
  expect(loaded.origins[key]).toBe(origin)
  const narrowed = Object.keys(user).length > 0 && origin === 'system'
  expect(states(loaded)[0]).toBe(narrowed ? 'narrowed' : 'used')
})

test('an untrusted project is measured against what the user and the system leave standing', () => {
  using house = makeHouse()
  const user = { tools: { t: { provider: 'codex', maxDepth: 'provider-managed' } } }
  const project = { tools: { t: { provider: 'codex', maxDepth: 2 } } }
  const loaded = house.load({ user, project, system: { subagent: { maxDepth: 2 } } })
  expect(loaded.config.tools).toEqual({ t: { provider: 'codex', maxDepth: 2 } })
  const bounded = house.load({
    user: { ...user, subagent: { maxDepth: 1 } },
    project,
    system: { subagent: { maxDepth: 2 } },
  })
  expect(bounded.config.tools).toEqual({ t: { provider: 'codex' } })
  expect(bounded.withheld).toEqual([
    { file: house.project, key: 'tools.t.maxDepth', reason: 'it is wider than 1' },
  ])
})

test("a trusted project can't loosen what the system layer says", () => {
  using house = makeHouse()
  const loaded = house.load({ system: { permission: 'ask' }, project: { permission: 'allow' } }, { trusted })
  expect(loaded.config.permission).toBe('ask')
  expect(states(loaded)).toEqual(['absent', 'narrowed', 'used'])
})

test('what would go round the system layer is left out', () => {
  using house = makeHouse()
  const user = {
    subagent: { maxDepth: 1 },
    providers: { codex: { permission: 'allow', asks: true, sandbox: 'provider-managed', terminal: true } },
    tools: { t: { provider: 'codex', maxDepth: 'provider-managed' }, u: { provider: 'codex', maxDepth: 3 } },
  }
  const system = { permission: 'ask', sandbox: 'read-only', subagent: { maxDepth: 3 } }
  const loaded = house.load({ system, user })
  expect(loaded.config.providers).toEqual({ codex: { terminal: true } })
  expect(loaded.config.tools).toEqual({ t: { provider: 'codex' }, u: { provider: 'codex', maxDepth: 3 } })
  expect(states(loaded)[0]).toBe('narrowed')
  const own = { providers: { codex: { asks: true, sandbox: 'provider-managed', permission: 'allow' } } }
  expect(house.load({ system: { ...system, ...own }, user }).config.providers['codex']).toEqual({
    asks: true,
    sandbox: 'provider-managed',
    permission: 'allow',
    terminal: true,
  })
})

test('a system value that bounds nothing leaves statements about agents alone', () => {
  using house = makeHouse()
  const user = { providers: { codex: { asks: true, sandbox: 'provider-managed' } } }
  const loaded = house.load({ system: { permission: 'allow', sandbox: 'danger-full-access' }, user })
  expect(loaded.config.providers).toEqual(user.providers)
})

test('the keys of a request that go beyond the system layer are named', () => {
  const system = { permission: 'ask', limits: { totalMs: 1_000 }, model: 'm' } as const
  expect(
    beyondSystem(system, { permission: 'allow', 'limits.totalMs': 0, model: 'x', sandbox: 'read-only' }),
  ).toEqual(['permission', 'limits.totalMs'])
  expect(beyondSystem(system, { permission: 'deny', 'limits.totalMs': 1_000 })).toEqual([])
})

test('a provider that says no program is an error, unless it is a known agent', () => {
  using house = makeHouse()
  expect(house.load({ user: { providers: { codex: { terminal: true } } } }).config.providers).toEqual({
    codex: { terminal: true },
  })
  const error = errorOf(() => house.load({ user: { providers: { codx: { terminal: true } } } }))
  expect(error.toJSON()).toMatchObject({
    code: 'INVALID_CONFIG',
    data: { file: house.user, key: 'providers.codx', suggestion: 'codex' },
    message:
      `Invalid configuration in ${house.user}: "providers.codx" says no program. ` +
      'Give it a "command" or a "module". Or did you mean the agent "codex"?',
  })
  expect(errorOf(() => house.load({ user: { providers: { empty: {} } } })).data).toMatchObject({
    key: 'providers.empty',
  })
  expect(errorOf(() => house.load({ user: { providers: { constructor: {} } } })).data).toMatchObject({
    key: 'providers.constructor',
  })
})

test('a tool without a provider is an error', () => {
  using house = makeHouse()
  expect(errorOf(() => house.load({ user: { tools: { t: { maxDepth: 1 } } } })).data).toMatchObject({
    file: house.user,
    key: 'tools.t.provider',
  })
})

test("a file that can't be read is an error that says so", () => {
  using house = makeHouse()
  mkdirSync(house.user, { recursive: true })
  expect(errorOf(() => loadConfig({ ...house, env: {}, systemFile: house.system })).message).toBe(
    `Invalid configuration in ${house.user}: it can't be read (EISDIR). Make it a readable file, or remove it.`,
  )
})
