/** Conversations with Claude Code over several runs, and what of them belongs to whom (C23, B9), with a fake one. */
import { expect, test } from 'vitest'
import { answers, claude } from '../fixtures/claude/house.ts'
import type { FakeScript, FakeStep } from '../fixtures/claude/house.ts'
import { until } from '../fixtures/house.ts'

const go = (...steps: readonly FakeStep[]): FakeScript => ({ turns: { Go: [...steps, { say: 'OK' }] } })

test('C23: what a sub-agent says and calls belongs to its tool call, and not to the answer', async () => {
  const use = (id: string, name: string, parent: string | null): FakeStep => ({
    line: {
      type: 'assistant',
      parent_tool_use_id: parent,
      message: { id: `m-${id}`, content: [{ type: 'tool_use', id, name, input: {} }] },
    },
  })
  const house = claude({
    turns: {
      Go: [
        { say: 'A', id: 'm1' },
        use('t1', 'Agent', null),
        { say: 'B', id: 'm2', below: 't1' },
        use('t2', 'Bash', 't1'),
        { say: 'C', id: 'm3' },
      ],
    },
  })
  const { result, events } = await house.run('Go')
  expect(result.text).toBe('C')
  const updates = events.flatMap((event) => (event.type === 'session/update' ? [event.update] : []))
  expect(updates).toMatchObject([
    { sessionUpdate: 'agent_message_chunk', content: { text: 'A' } },
    { sessionUpdate: 'tool_call', toolCallId: 't1' },
    { sessionUpdate: 'tool_call_update', toolCallId: 't1', content: [{ content: { text: 'B' } }] },
    { sessionUpdate: 'tool_call', toolCallId: 't2', _meta: { subgate: { parentToolCallId: 't1' } } },
    { sessionUpdate: 'agent_message_chunk', content: { text: 'C' } },
  ])
})

test('a follow-up that asks the same goes to the same process, and another schema or limit to a fresh one', async () => {
  const house = claude()
  const { result } = await house.run('One', { keep: true, limits: { maxTurns: 3 } })
  const session = { from: 'resume', sessionId: result.sessionId } as const
  const again = await house.run('Two', { session, limits: { maxTurns: 3 } })
  expect(again.result.status).toBe('completed')
  expect(house.starts()).toHaveLength(1)
  await house.run('Three', { session, limits: { maxTurns: 4 } })
  const [first, second] = house.starts()
  expect(second?.join(' ')).toContain('--max-turns 4')
  const id = first?.[first.indexOf('--session-id') + 1]
  expect(second?.join(' ')).toContain(`--resume ${id}`)
  expect(house.supervisor.live()).toHaveLength(1)
})

test.each([
  ['whose idle limit is over', { idleMs: 50 }],
  ['that nothing is kept of', { warm: false }],
])('a kept session %s goes on in a fresh process', async (_, options) => {
  const house = claude({}, options)
  const { result } = await house.run('One', { keep: true })
  await until(() => house.supervisor.live().length === 0)
  const session = { from: 'resume', sessionId: result.sessionId } as const
  const again = await house.run('Two', { session, keep: true })
  expect(again.result.status).toBe('completed')
  const [first, second] = house.starts()
  expect(second?.join(' ')).toContain(`--resume ${first?.[first.indexOf('--session-id') + 1]}`)
  await house.runtime.close(result.sessionId)
  expect(house.supervisor.live()).toEqual([])
})

test('between its turns the process of a kept session is shown as one that waits', async () => {
  const house = claude(go({ hang: true }))
  const { result } = await house.run('One', { keep: true })
  const { sessionId } = result
  expect(house.supervisor.live()).toMatchObject([{ sessionId, idle: true }])
  const run = await house.start('Go', { session: { from: 'resume', sessionId } })
  await until(() => house.log().filter(({ got }) => got === 'user').length === 2)
  expect(house.supervisor.live()).toHaveLength(1)
  expect(house.supervisor.live()[0]).not.toHaveProperty('idle')
  run.cancel()
  await run.result
})

test('a budget is for one run: of a kept session each run with one gets a process', async () => {
  const house = claude()
  const { result } = await house.run('One', { keep: true, limits: { maxCostUsd: 1 } })
  const session = { from: 'resume', sessionId: result.sessionId } as const
  await house.run('Two', { session, limits: { maxCostUsd: 1 } })
  expect(house.starts()).toHaveLength(2)
})

test('a conversation that is gone is NOT_RESUMABLE, before anything is published', async () => {
  const words = 'No conversation found with session ID: 1'
  const house = claude()
  const { result } = await house.run('One')
  const gone = claude({ dieAtStart: { code: 1, words } })
  await expect(gone.start('Go')).rejects.toMatchObject({ code: 'AGENT_EXITED' })
  const session = { from: 'resume', sessionId: result.sessionId } as const
  await until(() => house.supervisor.live().length === 0)
  house.forget(words)
  await expect(house.start('Two', { session })).rejects.toMatchObject({
    code: 'NOT_RESUMABLE',
    phase: 'session',
  })
})

test('a tool that is called while no run goes on is refused', async () => {
  const late: FakeScript = { turns: { Go: [{ say: 'OK' }, { result: {} }, { hook: { tool: 'Read' } }] } }
  const house = claude(late)
  await house.run('Go', { keep: true })
  await until(() => answers(house).length === 1)
  expect(answers(house)).toEqual(['deny'])
})

test('a request of another kind is told that nobody serves it', async () => {
  const house = claude(go({ request: { subtype: 'future_thing' } }))
  expect((await house.run('Go')).result.status).toBe('completed')
  expect(answers(house)).toEqual(['Not served here: future_thing'])
})

test.each([
  [{ maxDepth: 0 }, true],
  [{}, false],
])('asked for %j, its own agents are switched off: %j', async (request, off) => {
  const house = claude()
  await house.run('Go', request)
  const args = house.starts()[0] ?? []
  expect(args[args.indexOf('--disallowedTools') + 1]?.split(',').includes('Agent')).toBe(off)
  expect(args.includes('--disable-slash-commands')).toBe(off)
})
