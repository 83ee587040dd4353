import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { CONFIG_KEYS } from '../../../src/config/keys.ts'
import type { LoadedConfig } from '../../../src/config/config.ts'
import { withheldLine } from '../../../src/config/show.ts'
import { widthOf } from '../../../src/config/width.ts'
import { makeHouse } from './house.ts'

const server = { name: 'srv', type: 'http', url: 'https://evil.example', headers: [] }

test.for([
  ['providers.codex.command', { providers: { codex: { command: ['evil'] } } }, 'it starts a program'],
  ['providers.codex.module', { providers: { codex: { module: 'evil' } } }, 'it loads a module'],
  [
    'providers.codex.env.KEY',
    { providers: { codex: { env: { KEY: true } } } },
    'it names a variable of the environment',
  ],
  ['mcpServers.srv', { mcpServers: [server] }, 'it adds an MCP server'],
  ['permission', { permission: 'allow-reads' }, 'it is wider than "ask"'],
  ['sandbox', { sandbox: 'danger-full-access' }, 'it is wider than "workspace-write"'],
  ['limits.idleMs', { limits: { idleMs: 600_001 } }, 'it is wider than 600000'],
  ['limits.startupMs', { limits: { startupMs: 0 } }, 'it is wider than 60000'],
  ['subagent.maxDepth', { subagent: { maxDepth: 2 } }, 'it is wider than 1'],
  ['concurrency.total', { concurrency: { total: 9 } }, 'it is wider than 8'],
  ['providers.codex.permission', { providers: { codex: { permission: 'allow' } } }, 'it is wider than "ask"'],
  ['providers.codex.asks', { providers: { codex: { asks: true } } }, 'it vouches for an agent'],
  [
    'providers.codex.sandbox',
    { providers: { codex: { sandbox: 'provider-managed' } } },
    'it lifts the sandbox',
  ],
  ['providers.codex.fs.write', { providers: { codex: { fs: { write: true } } } }, 'it is wider than false'],
  ['providers.codex.terminal', { providers: { codex: { terminal: true } } }, 'it is wider than false'],
] as const)('an untrusted project is not heard on %s', ([key, project, reason]) => {
  using house = makeHouse()
  const loaded = house.load({ project })
  expect(loaded.withheld).toEqual([{ file: house.project, key, reason }])
  expect(loaded.layers[1]?.state).toBe('narrowed')
  expect(loaded.config).toEqual(house.load({}).config)
})

test('an untrusted project sets no prices', () => {
  using house = makeHouse()
  const user = { prices: { 'openai/gpt-5.4': { input: 2, output: 8, cachedInput: 0.5 } } }
  const project = { prices: { 'openai/gpt-5.4': { input: 0, output: 0 } } }
  const loaded = house.load({ user, project })
  expect(loaded.withheld).toEqual(
    ['input', 'output'].map((field) => ({
      file: house.project,
      key: `prices.openai/gpt-5.4.${field}`,
      reason: 'it changes what a run is said to cost',
    })),
  )
  expect(loaded.config.prices).toEqual(user.prices)
  expect(house.load({ user, project }, { trusted: () => true }).config.prices).toEqual({
    'openai/gpt-5.4': { input: 0, output: 0, cachedInput: 0.5 },
  })
})

test('an untrusted project may choose and narrow', () => {
  using house = makeHouse()
  const project = {
    defaultProvider: 'codex',
    model: 'm',
    permission: 'deny',
    sandbox: 'read-only',
    permissionTimeoutMs: 250,
    limits: { idleMs: 1_000, totalMs: 2_000 },
    providers: { codex: { permission: 'ask', fs: { read: false }, concurrency: 1 } },
    tools: { t: { provider: 'codex', maxDepth: 1, includeRuntimeContext: false } },
  }
  const loaded = house.load({ project })
  expect(loaded.withheld).toEqual([])
  expect(loaded.project).toEqual({ file: house.project, trusted: false })
  expect(loaded.config).toMatchObject(project)
})

test("an agent's permission is measured against the user's own for that agent, then the general one", () => {
  using house = makeHouse()
  const project = { providers: { codex: { permission: 'allow-reads' } } }
  expect(house.load({ project, user: { permission: 'allow' } }).withheld).toEqual([])
  expect(
    house.load({ project, user: { permission: 'allow', providers: { codex: { permission: 'ask' } } } })
      .withheld,
  ).toMatchObject([{ key: 'providers.codex.permission', reason: 'it is wider than "ask"' }])
})

test('with trust all of it counts', () => {
  using house = makeHouse()
  const project = {
    permission: 'allow',
    limits: { totalMs: 0, idleMs: 0 },
    mcpServers: [server],
    providers: { evil: { command: ['evil'], env: { KEY: 'v' } } },
  }
  const asked: string[] = []
  const loaded = house.load(
    { project },
    {
      trusted: (file, content) => {
        asked.push(file, content)
        return true
      },
    },
  )
  expect(asked).toEqual([house.project, JSON.stringify(project)])
  expect(loaded.withheld).toEqual([])
  expect(loaded.project).toEqual({ file: house.project, trusted: true })
  expect(loaded.config).toMatchObject(project)
})

test('of a provider whose program is left out nothing stays, and that is no error', () => {
  using house = makeHouse()
  const loaded = house.load({
    user: { providers: { evil: { permission: 'deny' } } },
    project: { providers: { evil: { command: ['x'], terminal: false, permission: 'deny' } } },
  })
  expect(loaded.config.providers).toEqual({})
  expect(loaded.withheld.map(({ key }) => key)).toEqual([
    'providers.evil.command',
    'providers.evil.permission',
    'providers.evil.terminal',
  ])
})

test('the line about a left-out key is safe for a terminal and says what to do', () => {
  const line = withheldLine({
    file: '/p/.subgate/config.json',
    key: 'mcpServers.\u001b[2J',
    reason: 'it adds an MCP server',
  })
  expect(line).toBe(
    "mcpServers.\\u{1b}[2J in /p/.subgate/config.json doesn't count: it adds an MCP server. " +
      'Trust the project with: subgate trust',
  )
})

test('every key says why it needs trust, or how its values are ordered', () => {
  const unclear = CONFIG_KEYS.filter(
    (row) =>
      (row.project === 'trust' && row.because === undefined) ||
      (row.project === 'narrow' && row.width === undefined) ||
      (row.project === 'choose' && row.width !== undefined),
  )
  expect(unclear).toEqual([])
})

const PERMISSION = fc.constantFrom('deny', 'ask', 'allow-reads', 'allow')
const SANDBOX = fc.constantFrom('read-only', 'workspace-write', 'danger-full-access')
const MS = fc.constantFrom(0, 1, 500, 60_000, 600_000, 900_000)
const SMALL = fc.integer({ min: 1, max: 12 })
const loose = <T>(shape: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(shape, { requiredKeys: [] })
const flag = fc.boolean()

/** Configurations whose dangerous values all hold `mark`. */
const configs = (mark: string) => {
  const launch = fc.constantFrom({}, {}, { command: [mark, mark] }, { module: mark })
  const rest = loose({
    env: fc.constant({ [`${mark}_VAR`]: mark, [`${mark}_ON`]: true }),
    permission: PERMISSION,
    asks: flag,
    sandbox: fc.constant('provider-managed'),
    fs: loose({ read: flag, write: flag }),
    terminal: flag,
    concurrency: SMALL,
    warm: flag,
    graces: loose({ eofMs: MS, termMs: MS, cancelMs: MS }),
  })
  const provider = fc.tuple(launch, rest).map(([one, two]) => Object.assign({}, one, two))
  return loose({
    defaultProvider: fc.constantFrom('codex', 'other'),
    model: fc.constantFrom('m', 'n'),
    sandbox: SANDBOX,
    permission: PERMISSION,
    permissionTimeoutMs: MS,
    limits: loose({ startupMs: MS, idleMs: MS, totalMs: MS }),
    concurrency: loose({ total: SMALL, queue: SMALL }),
    subagent: loose({ maxDepth: SMALL }),
    mcpServers: fc.constantFrom(
      [],
      [{ name: 'web', type: 'http', url: `https://${mark}.example`, headers: [] }],
      [{ name: 'local', command: mark, args: [mark], env: [{ name: mark, value: mark }] }],
    ),
    providers: loose({ codex: provider, other: provider }),
    tools: loose({
      t: fc.record(
        {
          provider: fc.constantFrom('codex', 'other'),
          maxDepth: fc.oneof(SMALL, fc.constant('provider-managed')),
          includeRuntimeContext: flag,
        },
        { requiredKeys: ['provider'] },
      ),
    }),
  })
}

/** The widths that count in the end: a provider's permission falls back on the general one, a tool's depth likewise. */
const widths = ({ config }: LoadedConfig): Record<string, number> => {
  const { limits, concurrency, subagent, providers, tools } = config
  const permission = config.permission ?? 'ask'
  return {
    permission: widthOf('permission', permission),
    sandbox: widthOf('sandbox', config.sandbox ?? 'workspace-write'),
    permissionTimeoutMs: widthOf('limit', config.permissionTimeoutMs),
    startupMs: widthOf('limit', limits.startupMs),
    idleMs: widthOf('limit', limits.idleMs),
    totalMs: widthOf('limit', limits.totalMs),
    total: concurrency.total,
    queue: concurrency.queue,
    maxDepth: subagent.maxDepth,
    toolDepth: widthOf('depth', tools['t']?.maxDepth ?? subagent.maxDepth),
    ...Object.fromEntries(
      ['codex', 'other'].flatMap((name) => {
        const provider = providers[name] ?? {}
        return [
          [`${name}.permission`, widthOf('permission', provider.permission ?? permission)],
          [`${name}.managed`, provider.sandbox === undefined ? 0 : 1],
          [`${name}.asks`, provider.asks === true ? 1 : 0],
          [`${name}.read`, widthOf('flag', provider.fs?.read ?? false)],
          [`${name}.write`, widthOf('flag', provider.fs?.write ?? false)],
          [`${name}.terminal`, widthOf('flag', provider.terminal ?? false)],
          [`${name}.warm`, widthOf('flag', provider.warm ?? false)],
          [`${name}.concurrency`, widthOf('count', provider.concurrency)],
          [`${name}.cancelMs`, provider.graces?.cancelMs ?? -1],
        ]
      }),
    ),
  }
}

test('a project without trust never widens anything, and no command, module, variable or URL of it gets in', () => {
  using house = makeHouse()
  const knownAgents = ['codex', 'other']
  fc.assert(
    fc.property(configs('USERS'), configs('EVIL'), fc.option(configs('SYSTEM')), (user, project, system) => {
      const others = { user, ...(system !== null && { system }) }
      const without = house.load(others, { knownAgents })
      const loaded = house.load({ ...others, project }, { knownAgents })
      const [before, after] = [widths(without), widths(loaded)]
      const wider = Object.keys(after).filter((key) => (after[key] ?? 0) > (before[key] ?? 0))
      expect(wider).toEqual([])
      expect(JSON.stringify(loaded.config)).not.toContain('EVIL')
      const reasons = loaded.withheld.map(({ file, reason }) => file + reason)
      expect(JSON.stringify([loaded.layers, loaded.system, reasons])).not.toContain('EVIL')
    }),
    { numRuns: 300 },
  )
})

test('no lower layer is ever wider than the system layer, trusted or not', () => {
  using house = makeHouse()
  const knownAgents = ['codex', 'other']
  fc.assert(
    fc.property(configs('USERS'), configs('PROJECT'), configs('SYSTEM'), (user, project, system) => {
      const { config } = house.load({ user, project, system }, { knownAgents, trusted: () => true })
      const alone = house.load({ system }, { knownAgents }).config
      if (system.permission !== undefined)
        expect(widthOf('permission', config.permission)).toBeLessThanOrEqual(
          widthOf('permission', system.permission),
        )
      if (system.sandbox !== undefined)
        expect(widthOf('sandbox', config.sandbox)).toBeLessThanOrEqual(widthOf('sandbox', system.sandbox))
      for (const key of ['startupMs', 'idleMs', 'totalMs'] as const)
        if (system.limits?.[key] !== undefined)
          expect(widthOf('limit', config.limits[key])).toBeLessThanOrEqual(
            widthOf('limit', system.limits[key]),
          )
      if (system.subagent?.maxDepth !== undefined)
        expect(config.subagent.maxDepth).toBeLessThanOrEqual(system.subagent.maxDepth)
      for (const name of knownAgents) {
        const bound = alone.providers[name]?.permission ?? system.permission
        if (bound !== undefined)
          expect(widthOf('permission', config.providers[name]?.permission ?? bound)).toBeLessThanOrEqual(
            widthOf('permission', bound),
          )
      }
    }),
    { numRuns: 200 },
  )
})
