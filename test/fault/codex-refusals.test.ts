/** What Codex can't be told, or can't hold together, is refused on every route before anything happens (laws 1, 2). */
import { expect, test } from 'vitest'
import type { SubagentStartRequest } from '../../src/contract/request.ts'
import { codex } from '../fixtures/codex/house.ts'
import type { CodexHouse } from '../fixtures/codex/house.ts'
import { rejection, text } from '../fixtures/house.ts'

type Control = Partial<SubagentStartRequest>

const starts = (house: CodexHouse): number =>
  house.log().filter(({ started }) => started !== undefined).length

const CONFLICT = { code: 'UNSUPPORTED_CAPABILITY', phase: 'resolve', data: { missing: ['permissions'] } }
const TABLE: readonly (readonly [string, Control, object])[] = [
  ['ask and a sandbox', { sandbox: 'workspace-write', permission: 'ask' }, CONFLICT],
  ['allow-reads and a sandbox', { sandbox: 'read-only', permission: 'allow-reads' }, CONFLICT],
  [
    'an MCP server over SSE',
    { mcpServers: [{ type: 'sse', name: 'old', url: 'http://127.0.0.1:9/', headers: [] }] },
    { code: 'UNSUPPORTED_CAPABILITY', phase: 'resolve', data: { missing: ['mcpServers'] } },
  ],
  [
    'binary content',
    { prompt: [{ type: 'resource', resource: { uri: 'memo:1', blob: 'AA==' } }] },
    { code: 'INVALID_REQUEST', phase: 'resolve', data: { field: 'prompt' } },
  ],
]

test.each(TABLE)(
  '%s: refused by a dry run, a start, a resume and a copy, and nothing is told to it',
  async (_, control, refusal) => {
    const house = codex()
    const request = { provider: 'codex', prompt: text('Go'), ...control }
    expect(await rejection(house.runtime.check(request))).toMatchObject(refusal)
    expect(await rejection(house.start('Go', control))).toMatchObject(refusal)
    expect(starts(house)).toBe(0)
    const { result } = await house.run('One')
    const told = house.log().length
    for (const from of ['resume', 'fork'] as const) {
      const session = { from, sessionId: result.sessionId }
      expect(await rejection(house.start('Go', { ...control, session }))).toMatchObject(refusal)
    }
    expect(house.log()).toHaveLength(told)
  },
)

test('a question that a kept session is to be asked under its sandbox is refused before its run is published', async () => {
  const house = codex()
  const first = await house.start('One', { sandbox: 'read-only', keep: true })
  await first.result
  const entries = house.entries(first.sessionId).length
  const session = { from: 'resume', sessionId: first.sessionId } as const
  expect(await rejection(house.start('Go', { session, permission: 'ask' }))).toMatchObject(CONFLICT)
  expect(house.entries(first.sessionId)).toHaveLength(entries)
  expect(house.calls('turn/start')).toHaveLength(1)
})

test("the agent's configured policy counts like a caller's", async () => {
  const house = codex({}, { permission: 'ask', provider: { permission: 'ask' } })
  expect(await rejection(house.start('Go', { sandbox: 'read-only' }))).toMatchObject(CONFLICT)
  expect(starts(house)).toBe(0)
})
