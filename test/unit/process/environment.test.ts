/** Which variables reach a child (C32, law 14). */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { childEnvironment } from '../../../src/process/environment.ts'

const none = { inherited: {}, agentNames: [], given: {}, extra: {} }

const planted = {
  PATH: '/usr/bin',
  HOME: '/home/u',
  LANG: 'C.UTF-8',
  LC_TIME: 'de_DE',
  HTTPS_PROXY: 'http://proxy:3128',
  ANTHROPIC_API_KEY: 'sk-ant-planted',
  OPENAI_API_KEY: 'sk-oai-planted',
  AWS_SECRET_ACCESS_KEY: 'aws-planted',
  SSH_AUTH_SOCK: '/run/ssh-planted',
  MY_TOKEN: 'my-planted',
  CLAUDECODE: '1',
  CLAUDE_CODE_SESSION_ID: 'session-planted',
  CLAUDE_CODE_CHILD_SESSION: '1',
  CLAUDE_CONFIG_DIR: '/home/u/.claude',
  NODE_OPTIONS: '--require /planted.js',
  CODEX_SANDBOX_NETWORK_DISABLED: '1',
  SUBGATE_LINEAGE: 'outer-token',
  UNSET: undefined,
}

test("C32: a child gets the base, its agent's own names, what was given for it, and the gateway's own", () => {
  const { env } = childEnvironment({
    inherited: planted,
    agentNames: ['CLAUDE_CONFIG_DIR', 'CLAUDE_CODE_*'],
    given: { DEMO_KEY: 'sk-TEST-123', ANTHROPIC_API_KEY: true, NOT_SET: true },
    extra: { SUBGATE_LINEAGE: 'inner-token' },
  })
  expect(env).toEqual({
    PATH: '/usr/bin',
    HOME: '/home/u',
    LANG: 'C.UTF-8',
    LC_TIME: 'de_DE',
    HTTPS_PROXY: 'http://proxy:3128',
    CLAUDE_CONFIG_DIR: '/home/u/.claude',
    DEMO_KEY: 'sk-TEST-123',
    ANTHROPIC_API_KEY: 'sk-ant-planted',
    SUBGATE_LINEAGE: 'inner-token',
  })
})

test('C32: what was withheld is named in order, without session markers and without values', () => {
  const { withheld } = childEnvironment({ ...none, inherited: planted, given: { MY_TOKEN: true } })
  expect(withheld).toEqual([
    'ANTHROPIC_API_KEY',
    'AWS_SECRET_ACCESS_KEY',
    'CLAUDE_CONFIG_DIR',
    'OPENAI_API_KEY',
    'SSH_AUTH_SOCK',
  ])
})

test("the gateway's own variables win over given and inherited ones", () => {
  const { env } = childEnvironment({
    inherited: { PATH: '/inherited' },
    agentNames: [],
    given: { PATH: '/given', LANG: 'given' },
    extra: { PATH: '/own' },
  })
  expect(env).toEqual({ PATH: '/own', LANG: 'given' })
})

test.each([
  'CLAUDECODE',
  'CLAUDE_CODE_ENTRYPOINT',
  'CODEX_THREAD_ID',
  'CODEX_SANDBOX',
  'NODE_OPTIONS',
  'SUBGATE_RUN',
])("no agent's own names let the session marker %s through, but a person who names it does", (name) => {
  const inherited = { [name]: 'outer' }
  expect(childEnvironment({ ...none, inherited, agentNames: ['*', name] }).env).toEqual({})
  expect(childEnvironment({ ...none, inherited, given: { [name]: true } }).env).toEqual({ [name]: 'outer' })
})

test('law 14: no value of a variable that nobody listed ever reaches the child', () => {
  const listed = fc.constantFrom('PATH', 'HOME', 'LC_ALL', 'XDG_DATA_HOME', 'GOPATH')
  const secretName = fc.string({ minLength: 1 }).map((name) => `S_${name}`)
  const names = fc.uniqueArray(secretName, { minLength: 1 })
  fc.assert(
    fc.property(names, fc.uniqueArray(listed), fc.integer({ min: 0 }), (secrets, ordinary, given) => {
      const inherited = Object.fromEntries([
        ...secrets.map((name, index) => [name, `planted-${index}`]),
        ...ordinary.map((name) => [name, `plain-${name}`]),
      ]) as Record<string, string>
      const named = secrets[given % secrets.length] ?? ''
      const { env, withheld } = childEnvironment({
        inherited,
        agentNames: ['DEMO_*', 'S'],
        given: { [named]: true },
        extra: {},
      })
      const leaked = Object.entries(env).filter(
        ([name, value]) => value.startsWith('planted-') && name !== named,
      )
      expect(leaked).toEqual([])
      expect(env[named]).toBe(inherited[named])
      expect(withheld).toEqual(secrets.filter((name) => name !== named).toSorted())
      expect(withheld.join('\n')).not.toMatch(/planted-\d/)
    }),
  )
})

test('a variable named like a property of every object is one like any other', () => {
  const inherited = JSON.parse('{"__proto__": "a", "constructor": "b"}') as Record<string, string>
  const given = JSON.parse('{"toString": true, "constructor": true}') as Record<string, true>
  const { env, withheld } = childEnvironment({
    ...none,
    inherited,
    given,
  })
  expect(Object.entries(env)).toEqual([['constructor', 'b']])
  expect(withheld).toEqual(['__proto__'])
})
