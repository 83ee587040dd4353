/** How a turn of Claude Code ends, whatever its process does (C20, C21 rows 1–7, laws 4 and 5), with a fake one. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { claude } from '../fixtures/claude/house.ts'
import type { FakeScript, FakeStep } from '../fixtures/claude/house.ts'
import { until } from '../fixtures/house.ts'

const go = (...steps: readonly FakeStep[]): FakeScript => ({ turns: { Go: steps } })

const notices = (events: readonly { readonly type: string }[]): readonly string[] =>
  events.flatMap((event) => ('title' in event && event.type === 'notice' ? [String(event.title)] : []))

const isAlive = (pid: number | undefined): boolean => {
  try {
    return pid !== undefined && !/^\d+ \(.*\) Z/u.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

test('C20: one that prints its result and never exits completes, and its process is gone', async () => {
  const house = claude({ ...go({ say: 'OK' }), stays: true })
  const { result } = await house.run('Go')
  expect(result).toMatchObject({ status: 'completed', text: 'OK' })
  expect(house.supervisor.live()).toEqual([])
})

test('C20: a prompt of 200 KiB that starts with --help arrives whole, and is no option', async () => {
  const house = claude()
  const prompt = `--help ${'x'.repeat(200 * 1024)}`
  const { result } = await house.run(prompt)
  expect(result).toMatchObject({ status: 'completed', text: 'OK' })
  expect(house.log().find(({ got }) => got === 'user')?.length).toBe(prompt.length)
  expect(house.starts()[0]?.join(' ')).not.toContain('--help')
})

test('C20: one that exits before its children takes them along', async () => {
  const house = claude(go({ say: 'OK' }, { tool: 'inherit' }, { result: {} }, { exit: 0 }))
  const { result } = await house.run('Go')
  expect(result).toMatchObject({ status: 'completed', text: 'OK' })
  const tool = house.log().find((entry) => entry.tool !== undefined)?.tool
  expect(tool).toBeTypeOf('number')
  expect(isAlive(tool)).toBe(false)
})

test('C21 row 1: an exit with code 0 and no result is a failure', async () => {
  const { result } = await claude(go({ say: 'half' }, { exit: 0 })).run('Go')
  expect(result).toMatchObject({ status: 'failed', text: 'half', error: { code: 'AGENT_EXITED' } })
  expect(result.error?.message).toContain('exited with code 0 without a result')
})

test('C21 row 2: a result with is_error fails with its words, even where it says success', async () => {
  const { result } = await claude(go({ result: { is_error: true, result: 'It broke.' } })).run('Go')
  expect(result).toMatchObject({ status: 'failed', category: 'model' })
  expect(result.error?.message).toContain('It broke.')
})

test('C21 row 3: its limit of turns is truncation, with what was said', async () => {
  const steps = go({ say: 'so far' }, { result: { subtype: 'error_max_turns', is_error: true } })
  const { result } = await claude(steps).run('Go', { limits: { maxTurns: 2 } })
  expect(result).toMatchObject({ status: 'truncated', category: 'max_turns', text: 'so far' })
})

test('C21 row 4: a result and then an exit with code 1 completes with a warning', async () => {
  const { result, events } = await claude({ ...go({ say: 'OK' }), exitCode: 1 }).run('Go')
  expect(result).toMatchObject({ status: 'completed', text: 'OK' })
  expect(notices(events)).toEqual(['Claude Code gave its result and then exited with code 1.'])
})

test('C21 row 5: silence after the result of a tool is ended by the idle limit', async () => {
  const call = { type: 'tool_use', id: 't1', name: 'Read', input: { file_path: '/a' } }
  const used: FakeStep = { line: { type: 'assistant', message: { id: 'm1', content: [call] } } }
  const done = { type: 'tool_result', tool_use_id: 't1', content: 'x' }
  const answered: FakeStep = { line: { type: 'user', message: { content: [done] } } }
  const { result } = await claude(go(used, answered, { hang: true })).run('Go', { limits: { idleMs: 500 } })
  expect(result).toMatchObject({ status: 'timed_out', category: 'idle' })
})

test('C21 row 6: garbage between its lines ends nothing', async () => {
  const steps = go({ raw: 'garbage\n{"half": \n[]\n\n' }, { say: 'OK' })
  expect((await claude(steps).run('Go')).result).toMatchObject({ status: 'completed', text: 'OK' })
})

test('C21 row 7: of two results the last one counts, with a warning, and their usage is summed up', async () => {
  const agents = (...tasks: readonly string[]): FakeStep => ({
    line: {
      type: 'system',
      subtype: 'background_tasks_changed',
      tasks: tasks.map((id) => ({ task_id: id, task_type: 'local_agent' })),
    },
  })
  const steps = go(
    agents('a1'),
    { say: 'first' },
    { result: {} },
    agents(),
    { say: 'second', id: 'm2' },
    { result: {} },
  )
  for (const keep of [false, true]) {
    const { result, events } = await claude(steps).run('Go', { keep })
    expect(result).toMatchObject({
      status: 'completed',
      text: 'second',
      usage: { inputTokens: 32, outputTokens: 6, costUsd: 0.5 },
    })
    expect(notices(events)).toEqual(['Claude Code gave 2 results; the last one counts.'])
  }
})

test.each([
  [{ error: 'authentication_failed' }, { api_error_status: 401 }, 'AUTH_REQUIRED', '/login', false],
  [{ error: 'unknown' }, { result: 'Not logged in · Please run /login' }, 'AUTH_REQUIRED', '/login', false],
  [{ error: 'rate_limit' }, { api_error_status: 429 }, 'AGENT_BUSY', 'Try again', true],
  [{ error: 'overloaded' }, { api_error_status: 529 }, 'AGENT_BUSY', 'Try again', true],
  [{ error: 'model_not_found' }, { api_error_status: 404 }, 'AGENT_ERROR', '--model', false],
  [{ error: 'billing_error' }, { result: 'Too low.' }, 'AGENT_ERROR', 'Too low.', false],
  [{ error: 'unknown' }, { api_error_status: 400 }, 'AGENT_ERROR', 'will not help', false],
  [{ error: 'unknown' }, { api_error_status: 413 }, 'AGENT_ERROR', 'will not help', false],
  [{ error: 'unknown' }, { api_error_status: 408 }, 'MODEL_ERROR', 'failed', true],
  [{ error: 'server_error' }, { result: 'It broke.' }, 'MODEL_ERROR', 'It broke.', true],
])('the failure %j with %j is %s, and says what to do', async (said, more, code, words, retryable) => {
  const message = { id: 'm1', content: [{ type: 'text', text: 'API Error' }] }
  const steps = go(
    { line: { type: 'assistant', message, parent_tool_use_id: null, ...said } },
    {
      result: { is_error: true, ...more },
    },
  )
  const { result } = await claude(steps).run('Go')
  expect(result.error?.code).toBe(code)
  expect(result.error?.message).toContain(words)
  expect(result.error?.retryable).toBe(retryable)
  expect(result.text).toBe('')
})

test('a used-up limit tells when it begins anew', async () => {
  const resetsAt = Math.floor(Date.now() / 1000) + 3600
  const limit = { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt } }
  const { result } = await claude(
    go({ line: limit }, { result: { is_error: true, api_error_status: 429 } }),
  ).run('Go')
  const { retryAfterMs = 0 } = (result.error?.data ?? {}) as { readonly retryAfterMs?: number }
  expect(retryAfterMs).toBeGreaterThan(3_500_000)
  expect(retryAfterMs).toBeLessThanOrEqual(3_600_000)
})

test.each([
  [
    { is_error: true, result: 'Prompt is too long' },
    { status: 'truncated', category: 'max_tokens' },
  ],
  [{ stop_reason: 'max_tokens' }, { status: 'truncated', category: 'max_tokens' }],
  [{ stop_reason: 'refusal' }, { status: 'refused' }],
  [
    { subtype: 'error_max_budget_usd', is_error: true },
    { status: 'truncated', category: 'budget' },
  ],
])('the result %j ends as %j', async (more, ending) => {
  const { result } = await claude(go({ say: 'so far' }, { result: more })).run('Go')
  expect(result).toMatchObject({ ...ending, text: 'so far' })
})

test('each of its own retries is an event', async () => {
  const retry = { type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 3, error_status: 500 }
  const { events } = await claude(go({ line: retry }, { say: 'OK' })).run('Go')
  expect(notices(events)).toEqual(['Claude Code tries again (1 of 3).'])
})

test('a cancelled turn is interrupted, keeps what was said, and nothing is left', async () => {
  const house = claude(go({ say: 'so far' }, { tool: 'ignore' }, { hang: true }))
  const run = await house.start('Go')
  const tool = (): number | undefined => house.log().find((entry) => entry.tool !== undefined)?.tool
  await until(() => isAlive(tool()))
  run.cancel()
  expect(await run.result).toMatchObject({ status: 'cancelled', text: 'so far' })
  expect(house.log().filter(({ got }) => got === 'interrupt')).toHaveLength(1)
  expect(isAlive(tool())).toBe(false)
  expect(house.supervisor.live()).toEqual([])
})

test('one that answers no interrupt goes with its run', async () => {
  const house = claude(
    { ...go({ say: 'a' }, { hang: true }), silent: ['interrupt'], stays: true },
    { provider: { cancelMs: 200 } },
  )
  const run = await house.start('Go')
  await until(() => house.log().some(({ got }) => got === 'user'))
  run.cancel()
  expect(await run.result).toMatchObject({ status: 'cancelled' })
  expect(house.supervisor.live()).toEqual([])
})

test('after SIGKILL of its process the run fails, and a kept session goes on in a fresh one', async () => {
  const house = claude(go({ say: 'a' }, { hang: true }))
  const first = await house.run('Begin', { keep: true })
  const session = { from: 'resume', sessionId: first.result.sessionId } as const
  const run = await house.start('Go', { session })
  await until(() => house.log().filter(({ got }) => got === 'user').length === 2)
  const [process_] = house.supervisor.live()
  process.kill(process_?.pid ?? 0, 'SIGKILL')
  expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'AGENT_EXITED' } })
  const { result } = await house.run('Next', { session })
  expect(result).toMatchObject({ status: 'completed', text: 'OK' })
  expect(house.starts()).toHaveLength(2)
  expect(house.starts()[1]).toContain('--resume')
})

test('a command that outlives a turn of a kept session is ended with the turn', async () => {
  const house = claude(go({ say: 'OK' }, { hook: { tool: 'Bash' } }, { tool: 'ignore' }))
  const { result } = await house.run('Go', { keep: true })
  expect(result.status).toBe('completed')
  const tool = house.log().find((entry) => entry.tool !== undefined)?.tool
  expect(tool).toBeTypeOf('number')
  expect(isAlive(tool)).toBe(false)
  expect(house.supervisor.live()).toHaveLength(1)
})

test('what it left running in the background is told to stop when the turn is over', async () => {
  const task = { task_id: 'b7', task_type: 'local_bash' }
  const line = { type: 'system', subtype: 'background_tasks_changed', tasks: [task] }
  const house = claude(go({ line }, { say: 'OK' }))
  const { result } = await house.run('Go', { keep: true })
  expect(result).toMatchObject({ status: 'completed', text: 'OK' })
  expect(house.log().flatMap(({ got, request }) => (got === 'stop_task' ? [request] : []))).toEqual([
    { subtype: 'stop_task', task_id: 'b7' },
  ])
})
