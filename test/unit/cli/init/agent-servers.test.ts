/** Subgate's entry among an editor's agents: added, brought up to date, or left to whom it belongs. */
import { describe, expect, test } from 'vitest'
import { agentServers } from '../../../../src/cli/init/agent-servers.ts'
import { LUA_MODULE } from '../../../../src/cli/init/lua-module.ts'
import type { Wish } from '../../../../src/cli/init/plan.ts'

const ZED = agentServers({ fixed: { type: 'custom' }, path: false })
const JETBRAINS = agentServers({ fixed: {}, path: true })
const WISH: Wish = { name: 'Subgate', launch: ['/opt/node', '/opt/subgate/bin/subgate.js'], path: '/a:/b' }

const settings = (entry: object, name = 'Subgate'): string =>
  `${JSON.stringify({ agent_servers: { [name]: entry } }, undefined, 2)}\n`

/** The entry after the plan was carried out. */
const entryAfter = (before: string | undefined, wish: Wish = WISH): object => {
  const plan = ZED.plan(before, wish)
  if (plan.kind !== 'write') throw new Error(plan.kind)
  return (JSON.parse(plan.text) as { agent_servers: Record<string, object> }).agent_servers[wish.name] ?? {}
}

test('the entry names both programs by absolute paths, and is the same as the one that is printed', () => {
  const text =
    '{\n  "agent_servers": {\n    "Subgate": {\n      "type": "custom",\n      "command": "/opt/node",\n' +
    '      "args": ["/opt/subgate/bin/subgate.js", "acp", "--provider", "codex"],\n      "env": {}\n    }\n  }\n}\n'
  const wish = { ...WISH, provider: 'codex' }
  expect(ZED.entry(wish)).toBe(text)
  expect(ZED.plan(undefined, wish)).toEqual({ kind: 'write', text })
  expect(ZED.plan(text, wish)).toEqual({ kind: 'same' })
})

describe('an editor that gives its agents a short PATH', () => {
  const plain = { command: '/opt/node', args: ['/opt/subgate/bin/subgate.js', 'acp'] }

  test('gets the one of the shell, and no type where it needs none', () => {
    expect(JSON.parse(JETBRAINS.entry(WISH))).toEqual({
      agent_servers: { Subgate: { ...plain, env: { PATH: '/a:/b' } } },
    })
  })

  test('gets it in an entry that lacks it, beside what is there', () => {
    const plan = JETBRAINS.plan(settings({ ...plain, env: { A: 'b' } }), WISH)
    expect(plan).toEqual({
      kind: 'write',
      text: settings({ ...plain, env: { A: 'b', PATH: '/a:/b' } }),
    })
  })

  test('keeps the one that its owner wrote', () => {
    expect(JETBRAINS.plan(settings({ ...plain, env: { PATH: '/mine' } }), WISH)).toEqual({ kind: 'same' })
  })
})

describe('an entry that is ours', () => {
  test.each([
    ['of another installation', '/usr/bin/node', ['/usr/lib/node_modules/subgate/bin/subgate.js', 'acp']],
    ['by its name on PATH', 'subgate', ['acp']],
    ['by npx', 'npx', ['-y', 'subgate@0.1.0', 'acp']],
  ])('%s starts this one from now on', (_name, command, args) => {
    expect(entryAfter(settings({ type: 'custom', command, args, env: {} }))).toEqual({
      type: 'custom',
      command: '/opt/node',
      args: ['/opt/subgate/bin/subgate.js', 'acp'],
      env: {},
    })
  })

  test('keeps what its owner gave it: options, variables, and the keys of the editor', () => {
    const entry = {
      command: 'subgate',
      args: ['acp', '--sandbox', 'read-only', '-p', 'codex'],
      env: { A: 'b' },
      default_mode: 'auto',
    }
    expect(entryAfter(settings(entry))).toEqual({
      ...entry,
      type: 'custom',
      command: '/opt/node',
      args: ['/opt/subgate/bin/subgate.js', 'acp', '--sandbox', 'read-only', '-p', 'codex'],
    })
  })

  test.each([
    [
      ['-p', 'codex', '--verbose'],
      ['--provider', 'gemini', '--verbose'],
    ],
    [
      ['--verbose', '--provider=codex'],
      ['--verbose', '--provider', 'gemini'],
    ],
    [[], ['--provider', 'gemini']],
  ])('another provider takes the place of the one in %j', (before, after) => {
    const entry = { type: 'custom', command: 'subgate', args: ['acp', ...before] }
    expect(entryAfter(settings(entry), { ...WISH, provider: 'gemini' })).toMatchObject({
      args: ['/opt/subgate/bin/subgate.js', 'acp', ...after],
    })
  })

  test('a byte order mark stays', () => {
    const plan = ZED.plan(`\u{FEFF}${settings({ command: 'subgate', args: ['acp'] })}`, WISH)
    expect(plan).toMatchObject({ kind: 'write', text: expect.stringMatching(/^\u{FEFF}\{/u) as string })
  })
})

describe("an entry of our name that is somebody else's", () => {
  test.each([
    [{ command: '/home/me/wrapper.sh', args: ['acp'] }, '/home/me/wrapper.sh acp'],
    [{ type: 'registry' }, '{"type":"registry"}'],
    [{ command: 'subgate', args: ['serve'] }, 'subgate serve'],
    [{ command: 'not-subgate', args: ['acp'] }, 'not-subgate acp'],
  ])('%j is told apart, and would be replaced whole', (entry, what) => {
    const plan = ZED.plan(settings(entry), WISH)
    expect(plan).toMatchObject({ kind: 'foreign', what })
    expect(plan.kind === 'foreign' && JSON.parse(plan.text)).toEqual(JSON.parse(ZED.entry(WISH)))
  })

  test('another name leaves it alone', () => {
    const wish = { ...WISH, name: 'Subgate 2' }
    const plan = ZED.plan(settings({ command: 'x' }), wish)
    expect(plan.kind === 'write' && JSON.parse(plan.text)).toEqual({
      agent_servers: {
        Subgate: { command: 'x' },
        'Subgate 2': {
          type: 'custom',
          command: '/opt/node',
          args: ['/opt/subgate/bin/subgate.js', 'acp'],
          env: {},
        },
      },
    })
  })
})

describe('the Lua module of Neovim', () => {
  const written = LUA_MODULE.entry({ ...WISH, provider: 'codex' })

  test('holds the command for both plugins, with quotes and backslashes as Lua reads them', () => {
    expect(written).toContain('M.command = "/opt/node"\n')
    expect(written).toContain('M.args = { "/opt/subgate/bin/subgate.js", "acp", "--provider", "codex" }\n')
    expect(LUA_MODULE.entry({ ...WISH, launch: ['/a "b"\\c'] })).toContain(
      String.raw`M.command = "/a \"b\"\\c"`,
    )
  })

  test('is written anew where it is ours, with the provider that it had', () => {
    expect(LUA_MODULE.plan(written, WISH)).toEqual({ kind: 'same' })
    const moved = { ...WISH, launch: ['/new/node'] } as const
    expect(LUA_MODULE.plan(written, moved)).toEqual({
      kind: 'write',
      text: LUA_MODULE.entry({ ...moved, provider: 'codex' }),
    })
  })

  test('never takes the place of a module of somebody else', () => {
    expect(LUA_MODULE.plan('return {}\n', WISH)).toMatchObject({
      kind: 'foreign',
      what: 'a module that subgate init did not write',
      text: LUA_MODULE.entry(WISH),
    })
  })
})
