/** Sessions of Claude Code that go on: follow-ups, budgets, what is gone, and what comes between two runs. */
import { expect, test } from 'vitest'
import { claude } from '../fixtures/claude/house.ts'
import type { ClaudeHouse, FakeScript, FakeStep } from '../fixtures/claude/house.ts'
import { until } from '../fixtures/house.ts'

const go = (...steps: readonly FakeStep[]): FakeScript => ({ turns: { Go: [...steps, { say: 'OK' }] } })

/** What the program was answered: `pass`, `allow` or `deny`, or the behaviour of its own question. */
const answers = (house: ClaudeHouse): readonly unknown[] =>
  house.log().flatMap(({ answer }) => {
    if (answer === undefined) return []
    const { response, error } = answer as {
      response?: { behavior?: string; hookSpecificOutput?: { permissionDecision: string } }
      error?: string
    }
    return [error ?? response?.behavior ?? response?.hookSpecificOutput?.permissionDecision ?? 'pass']
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
