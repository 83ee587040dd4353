/** Starting ACP agents that fail, refuse, want a sign-in, or turn out to lack what was asked for. */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import { acp, isAlive, pids, received, temporary } from '../fixtures/acp-house.ts'
import type { AcpHouse } from '../fixtures/acp-house.ts'
import { rejection, until } from '../fixtures/house.ts'

const limits = (startupMs: number) => ({ limits: { startupMs, idleMs: 0, totalMs: 0 } })

/** Nothing is left of a start that was rejected. */
const nothingLeft = (house: AcpHouse): void => {
  expect(house.runtime.load).toEqual({ active: 0, queued: 0 })
  expect(house.supervisor.live()).toEqual([])
  for (const pid of pids(house.log())) expect(isAlive(pid)).toBe(false)
}

test('C01: noise before the handshake settles nothing and shows nowhere', async () => {
  const noise = [
    'Starting demo agent 1.0',
    '',
    '\x1b[2J\x1b[H',
    '1',
    'null',
    '"ready"',
    '[1,2]',
    '{"level":"info","id":0,"msg":"up"}',
  ]
  const house = acp([{ write: `${noise.join('\n')}\n` }, ...acpHandshake(), ...acpTurn(['answer'])])
  const run = await house.start()
  expect(await run.result).toMatchObject({ status: 'completed', text: 'answer' })
})

test('C01: 500 lines and no frame is no ACP agent, told before the limit with the first line', async () => {
  const house = acp(
    [{ repeat: 500, steps: [{ write: 'line {i} '.padEnd(300, 'x') + '\n' }] }, { hang: true }],
    {
      settings: limits(20_000),
    },
  )
  const error = await rejection(house.start())
  expect([error.code, error.phase]).toEqual(['AGENT_NOT_ACP', 'initialize'])
  const { firstLine } = error.data as { firstLine: string }
  expect(firstLine).toMatch(/^line 0 x/u)
  expect(firstLine.length).toBeLessThanOrEqual(200)
  nothingLeft(house)
})

describe('C05: a start-up failure tells what to do:', () => {
  test('(a) no such program', async () => {
    const house = acp([], { command: ['/no/such/bin', '--acp'] })
    const error = await rejection(house.start())
    expect([error.code, error.phase]).toEqual(['AGENT_NOT_FOUND', 'spawn'])
    expect(error.data).toMatchObject({ command: '/no/such/bin --acp', cwd: house.dir, errno: 'ENOENT' })
    nothingLeft(house)
  })

  test('(b) no execute permission', async () => {
    const dir = temporary()
    writeFileSync(join(dir, 'agent'), '#!/bin/sh\n')
    chmodSync(join(dir, 'agent'), 0o644)
    const house = acp([], { command: [join(dir, 'agent')] })
    const error = await rejection(house.start())
    expect([error.code, error.phase]).toEqual(['AGENT_NOT_EXECUTABLE', 'spawn'])
    expect(error.data).toMatchObject({ errno: 'EACCES' })
    nothingLeft(house)
  })

  test('(c) words on stderr and exit 1', async () => {
    const house = acp([{ stderr: 'boom: not logged in\n' }, { exit: 1 }])
    const error = await rejection(house.start())
    expect([error.code, error.phase]).toEqual(['AGENT_EXITED', 'initialize'])
    expect(error.data).toMatchObject({
      cwd: house.dir,
      exitCode: 1,
      stderr: 'boom: not logged in\n',
      reason: 'exited_at_start',
    })
    expect(error.message).toContain('exited with code 1 before it was ready')
    expect(error.message).toContain('boom: not logged in')
    nothingLeft(house)
  })

  test('(c) words on stdout that are no ACP, such as how it is used, and exit 2', async () => {
    const house = acp(
      [{ write: 'usage: fake \u001B[2Jsk-planted-value\nmore\n' }, { stderr: 'bad flag\n' }, { exit: 2 }],
      {
        env: { FAKE_KEY: 'sk-planted-value' },
      },
    )
    const error = await rejection(house.start())
    expect([error.code, error.phase]).toEqual(['AGENT_EXITED', 'initialize'])
    expect(error.message).toBe(
      'fake exited with code 2 before it was ready. It wrote "usage: fake \\\\x1b[2J[FAKE_KEY]", which is no ACP. Its last words: bad flag',
    )
    nothingLeft(house)
  })

  test('what messages call it is its title, and programs its name', async () => {
    const house = acp([{ exit: 3 }], { title: 'my-agent' })
    const error = await rejection(house.start())
    expect(error.message).toBe('my-agent exited with code 3 before it was ready.')
    const refused = await rejection(house.start({ maxDepth: 0 }))
    expect(refused.message).toContain("but my-agent can't honour it")
    expect(refused.data).toMatchObject({ provider: 'fake' })
    nothingLeft(house)
  })

  test('(d) exit 0 at once', async () => {
    const house = acp([{ exit: 0 }])
    const error = await rejection(house.start())
    expect([error.code, error.phase]).toEqual(['AGENT_EXITED', 'initialize'])
    expect(error.data).toMatchObject({ exitCode: 0 })
    nothingLeft(house)
  })

  test('(e) no answer within the start-up limit', async () => {
    const house = acp([{ stderr: 'thinking\n' }, { expect: 'initialize' }, { hang: true }], {
      settings: limits(98_765),
    })
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const rejected = rejection(house.start())
    // It has written by then, and what it has written is read in the round after.
    await until(() => received(house, 'initialize').length === 1)
    const limit = timers.mock.calls.find(([, ms]) => ms === 98_765)?.[0]
    timers.mockRestore()
    await new Promise((resolve) => setTimeout(resolve, 1))
    await new Promise((resolve) => setImmediate(resolve))
    limit?.()
    const error = await rejected
    expect([error.code, error.phase]).toEqual(['STARTUP_TIMEOUT', 'initialize'])
    expect(error.data).toMatchObject({ limitMs: 98_765, cwd: house.dir, stderr: 'thinking\n' })
    expect((error.data as { command: string }).command).toContain('fake-agent-process')
    nothingLeft(house)
  })

  test('(f) another version of the protocol', async () => {
    const house = acp(acpHandshake({ protocolVersion: 99 }))
    const error = await rejection(house.start())
    expect([error.code, error.phase]).toEqual(['PROTOCOL_MISMATCH', 'initialize'])
    expect(error.data).toMatchObject({ asked: 1, answered: 99, cwd: house.dir })
    nothingLeft(house)
  })

  test('an agent that fails after the handshake is told in phase session', async () => {
    const house = acp([...acpHandshake().slice(0, 3), { stderr: 'no disk\n' }, { exit: 2 }])
    const error = await rejection(house.start())
    expect([error.code, error.phase]).toEqual(['AGENT_EXITED', 'session'])
    expect(error.data).toMatchObject({ exitCode: 2 })
    nothingLeft(house)
  })

  test('a session without an id breaks the protocol', async () => {
    const house = acp([...acpHandshake().slice(0, 3), { reply: {} }])
    const error = await rejection(house.start())
    expect([error.code, error.phase, error.data]).toEqual([
      'PROTOCOL_ERROR',
      'session',
      { method: 'session/new' },
    ])
    nothingLeft(house)
  })
})

test('law 1: a negotiated refusal comes after the process is gone, and the next one starts none', async () => {
  const dir = temporary()
  const script = [...acpHandshake(), { hang: true }] as const
  const first = acp(script, { dir })
  const prompt = [{ type: 'image' as const, data: 'AA==', mimeType: 'image/png' }]
  const request = { prompt, session: { from: 'new' as const } }
  const error = await rejection(first.start(request))
  expect([error.code, error.phase]).toEqual(['UNSUPPORTED_CAPABILITY', 'gate'])
  expect(error.data).toEqual({
    provider: 'fake',
    missing: ['images'],
    fields: ['prompt.0'],
    alternatives: [],
  })
  nothingLeft(first)
  expect(pids(first.log())).toHaveLength(1)
  expect(received(first, 'session/new')).toEqual([])
  // Another gateway, over the same state.
  const second = acp(script, { dir })
  expect((await rejection(second.start(request))).data).toEqual(error.data)
  expect(pids(second.log())).toHaveLength(1)
})

test('law 1: model and effort of an agent without options are refused, and remembered too', async () => {
  const house = acp([...acpHandshake(), { hang: true }])
  for (const _ of [1, 2]) {
    const error = await rejection(house.start({ model: 'm', effort: 'high' }))
    expect(error.data).toMatchObject({ missing: ['model', 'effort'], fields: ['model', 'effort'] })
  }
  expect(pids(house.log())).toHaveLength(1)
  nothingLeft(house)
})

test('an MCP server over a transport that the agent lacks is refused by its index', async () => {
  const house = acp(acpHandshake())
  const mcpServers = [{ type: 'sse' as const, name: 's', url: 'http://127.0.0.1:9', headers: [] }]
  const error = await rejection(house.start({ mcpServers }))
  expect([error.code, error.data]).toMatchObject([
    'UNSUPPORTED_CAPABILITY',
    { missing: ['mcpServers'], fields: ['mcpServers.0'] },
  ])
  nothingLeft(house)
})

test('B10.3: -32000 is AUTH_REQUIRED with the methods, what to type and the names that were withheld', async () => {
  const authMethods = [
    { id: 'login', name: 'Log in', type: 'terminal', args: ['login'] },
    { id: 'key', name: 'Key' },
  ]
  const house = acp(
    [
      ...acpHandshake({ authMethods }).slice(0, 3),
      { fail: { code: -32000, message: 'Authentication required' } },
    ],
    { inherited: { PATH: process.env['PATH'], DEMO_API_KEY: 'sk-planted-1', OTHER: 'x' } },
  )
  const error = await rejection(house.start())
  expect([error.code, error.phase, error.category]).toEqual(['AUTH_REQUIRED', 'session', 'auth'])
  const { methods, withheld } = error.data as {
    methods: { id: string; command?: string }[]
    withheld: string[]
  }
  expect(methods.map(({ id }) => id)).toEqual(['login', 'key'])
  expect(methods[0]?.command).toMatch(/ login$/u)
  expect(withheld).toContain('DEMO_API_KEY')
  expect(error.message).toContain('--env DEMO_API_KEY')
  expect(JSON.stringify(error)).not.toContain('sk-planted-1')
  nothingLeft(house)
})

test('an error of the agent carries the names of the variables it did not get', async () => {
  const house = acp([...acpHandshake().slice(0, 3), { fail: { code: -32603, message: 'no key' } }], {
    inherited: { PATH: process.env['PATH'], DEMO_API_KEY: 'sk-planted-2' },
  })
  const error = await rejection(house.start())
  expect([error.code, error.phase]).toEqual(['AGENT_ERROR', 'session'])
  expect(error.data).toEqual({ agentCode: -32603, withheld: ['DEMO_API_KEY'] })
})
