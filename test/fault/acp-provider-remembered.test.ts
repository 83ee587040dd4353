/** Law 1: what an agent answered refuses the next start without a process, and never what it didn't answer. */
import { describe, expect, test } from 'vitest'
import type { McpServer } from '../../src/contract/content.ts'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import { acp, pids, temporary } from '../fixtures/acp-house.ts'
import { rejection } from '../fixtures/house.ts'

const plain: readonly FakeStep[] = [...acpHandshake(), ...acpTurn(['ok'])]

test("an operator's word that the agent asks counts at once, whatever was remembered before", async () => {
  const dir = temporary()
  const before = acp(plain, { dir })
  await (
    await before.start()
  ).result
  expect((await rejection(before.start({ permission: 'deny' }))).data).toMatchObject({
    missing: ['permissions'],
  })
  const vouched = acp(plain, { dir, asks: true })
  expect(await (await vouched.start({ permission: 'deny' })).result).toMatchObject({ status: 'completed' })
  expect((await rejection(acp(plain, { dir }).start({ permission: 'deny' }))).code).toBe(
    'UNSUPPORTED_CAPABILITY',
  )
})

test('a row that no session has answered yet is not remembered as had', async () => {
  const house = acp(plain)
  await (
    await house.start()
  ).result
  expect(house.provider.capabilities).toMatchObject({ model: 'none', images: 'none' })
  await rejection(house.start({ additionalDirectories: [house.dir] }))
  expect(house.provider.capabilities).toMatchObject({ model: 'none', images: 'none' })
  expect(pids(house.log())).toHaveLength(1)
})

describe('MCP servers over', () => {
  const address = { name: 'm', url: 'http://127.0.0.1:1', headers: [] }
  const servers: readonly [string, McpServer][] = [
    ['http', { type: 'http', ...address }],
    ['sse', { type: 'sse', ...address }],
    ['acp', { type: 'acp', name: 'm', serverId: 'x' }],
  ]

  test.each(servers)('%s: the second refusal starts no process', async (kind, server) => {
    const house = acp(plain)
    for (let times = 0; times < 3; times += 1) {
      const error = await rejection(house.start({ mcpServers: [server] }))
      expect([error.code, error.phase]).toEqual(['UNSUPPORTED_CAPABILITY', 'gate'])
      expect(error.data).toMatchObject({ missing: ['mcpServers'], fields: ['mcpServers.0'] })
    }
    expect(pids(house.log()), kind).toHaveLength(1)
    const stdio = { name: 'm', command: 'true', args: [], env: [] }
    expect((await (await house.start({ mcpServers: [stdio] })).result).status).toBe('completed')
  })

  test('http: the refusal names who can', async () => {
    const house = acp(plain)
    house.runtime.providers.add({
      name: 'other',
      capabilities: { ...house.provider.capabilities, mcpServers: 'native' },
      negotiated: [],
      inheritsParentContext: false,
      open: () => Promise.reject(new Error('never opened')),
    })
    const [[, server] = []] = servers
    const error = await rejection(house.start({ mcpServers: server === undefined ? [] : [server] }))
    expect(error.data).toMatchObject({ alternatives: ['other'] })
  })

  test('sse: an agent that takes it gets it', async () => {
    const house = acp([
      ...acpHandshake({ agentCapabilities: { mcpCapabilities: { sse: true } } }),
      ...acpTurn(['ok']),
    ])
    const sse = { type: 'sse', ...address } as const
    expect((await (await house.start({ mcpServers: [sse] })).result).status).toBe('completed')
  })
})

describe('a program that is called like a gateway and is none', () => {
  test('refuses each control by name, the second time without a process', async () => {
    const house = acp(plain, { gateway: true })
    const controls = { sandbox: 'read-only', permission: 'deny', maxDepth: 0 } as const
    for (let times = 0; times < 2; times += 1) {
      const error = await rejection(house.start({ ...controls, limits: { maxTurns: 1, maxCostUsd: 0.01 } }))
      expect(error.data).toMatchObject({
        missing: ['depthLimit', 'sandbox', 'permissions', 'maxTurns', 'maxCostUsd'],
      })
    }
    expect(pids(house.log())).toHaveLength(1)
  })

  test('runs a task without controls', async () => {
    expect(await (await acp(plain, { gateway: true }).start()).result).toMatchObject({ status: 'completed' })
  })
})
