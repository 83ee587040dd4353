/** How a turn of Codex ends, whatever its app-server does (C21 rows 8–11, C24, laws 4 and 5), with a fake one. */
import { expect, test } from 'vitest'
import { codex, isAlive } from '../fixtures/codex/house.ts'
import type { FakeScript } from '../fixtures/codex/house.ts'
import { until } from '../fixtures/house.ts'

const notices = (events: readonly { readonly type: string }[]): readonly string[] =>
  events.flatMap((event) => ('title' in event && event.type === 'notice' ? [String(event.title)] : []))

const failed = (codexErrorInfo: unknown, message = 'It broke.'): FakeScript => ({
  turns: { Go: [{ say: 'so far' }, { end: 'failed', error: { message, codexErrorInfo } as never }] },
})

test('C21 row 8: a failed turn fails the run with its message', async () => {
  const { result } = await codex(failed('internalServerError')).run('Go')
  expect(result).toMatchObject({ status: 'failed', category: 'model', text: 'so far' })
  expect(result.error?.message).toContain('It broke.')
})

test('C21 row 9: an error item and then a completed turn completes with a warning', async () => {
  const item = { type: 'error', id: 'e1', message: 'A tool is missing.' }
  const script = { turns: { Go: [{ completed: item }, { say: 'OK' }] } }
  const { result, events } = await codex(script).run('Go')
  expect(result).toMatchObject({ status: 'completed', text: 'OK' })
  expect(events).toContainEqual({ type: 'notice', severity: 'warning', title: 'A tool is missing.' })
})

test('C21 row 10: an exit with code 0 before the turn ended is a failure', async () => {
  const { result } = await codex({ turns: { Go: [{ say: 'half' }, { exit: 0 }] } }).run('Go')
  expect(result).toMatchObject({ status: 'failed', text: 'half', error: { code: 'AGENT_EXITED' } })
  expect(result.error?.message).toContain('exited with code 0 before its turn ended')
})

test('C21 row 11: a completed turn and then an exit with code 1 completes with a warning', async () => {
  const script: FakeScript = { turns: { Go: [{ say: 'OK' }, { exit: 1, status: 'completed' }] } }
  const { result, events } = await codex(script).run('Go')
  expect(result).toMatchObject({ status: 'completed', text: 'OK' })
  expect(notices(events)).toEqual(['codex ended by itself, with exit code 1.'])
})

test.each([
  [{ httpConnectionFailed: { httpStatusCode: 401 } }, 'AUTH_REQUIRED', 'codex login', false],
  ['unauthorized', 'AUTH_REQUIRED', 'codex login', false],
  [{ responseTooManyFailedAttempts: { httpStatusCode: 429 } }, 'AGENT_BUSY', 'Try again', true],
  ['serverOverloaded', 'AGENT_BUSY', 'Try again', true],
  ['modelNotFound', 'AGENT_ERROR', '--model', false],
  [{ httpConnectionFailed: { httpStatusCode: null } }, 'MODEL_ERROR', 'It broke.', true],
  ['other', 'MODEL_ERROR', 'It broke.', true],
])('the failure %j is %s, and says what to do', async (info, code, words, retryable) => {
  const { result } = await codex(failed(info)).run('Go')
  expect(result.error?.code).toBe(code)
  expect(result.error?.message).toContain(words)
  expect(result.error?.retryable).toBe(retryable)
})

test('a full context is truncation, with what was said', async () => {
  const { result } = await codex(failed('contextWindowExceeded')).run('Go')
  expect(result).toMatchObject({ status: 'truncated', category: 'max_tokens', text: 'so far' })
})

test('a used-up limit tells when it begins anew, as the account has told it', async () => {
  const resetsAt = Math.floor(Date.now() / 1000) + 3600
  const rateLimits = { primary: { usedPercent: 100, resetsAt }, secondary: null }
  const error = { message: 'You have hit your usage limit.', codexErrorInfo: 'usageLimitExceeded' }
  const script: FakeScript = {
    turns: {
      Go: [
        { notify: 'account/rateLimits/updated', params: { rateLimits } },
        { end: 'failed', error },
      ],
    },
  }
  const { result } = await codex(script).run('Go')
  const { retryAfterMs } = (result.error?.data ?? {}) as { readonly retryAfterMs?: number }
  expect(retryAfterMs).toBeGreaterThan(3_500_000)
  expect(retryAfterMs).toBeLessThanOrEqual(3_600_000)
})

test('lines that are no frames, notifications of a strange form and unknown ones end nothing', async () => {
  const script: FakeScript = {
    turns: {
      Go: [
        { raw: 'garbage\n{"half": \n[]\n' },
        { notify: 'item/completed', params: { item: 7 } },
        { notify: 'future/thing' },
        { say: 'OK' },
      ],
    },
  }
  const { result, events } = await codex(script).run('Go')
  expect(result).toMatchObject({ status: 'completed', text: 'OK' })
  expect(notices(events)).toEqual([
    'Codex sent "item/completed" in a form that isn\'t known here; it was passed over.',
    'Codex sent "future/thing", which isn\'t known here.',
  ])
})

test('a cancelled turn is interrupted, and a command that outlives it is ended with the run', async () => {
  const house = codex({ turns: { Go: [{ say: 'so far' }, { tool: true }, { hang: true }] } })
  const run = await house.start('Go')
  const tool = (): number | undefined => house.log().find((entry) => entry.tool !== undefined)?.tool
  await until(() => isAlive(tool()))
  run.cancel()
  expect(await run.result).toMatchObject({ status: 'cancelled', text: 'so far' })
  expect(isAlive(tool())).toBe(false)
  expect(house.calls('turn/interrupt')).toHaveLength(1)
  expect(house.calls('thread/backgroundTerminals/clean').length).toBeGreaterThan(0)
  // The process itself is kept for the next thread.
  expect(house.supervisor.live()).toMatchObject([{ idle: true }])
})

test('one that answers no interrupt goes with its run', async () => {
  const house = codex(
    { turns: { Go: [{ say: 'a' }, { hang: true }] }, silent: ['turn/interrupt', 'thread/unsubscribe'] },
    { provider: { cancelMs: 200 } },
  )
  const run = await house.start('Go')
  await until(() => house.calls('turn/start').length === 1)
  run.cancel()
  expect(await run.result).toMatchObject({ status: 'cancelled' })
  expect(house.supervisor.live()).toEqual([])
})

test('after SIGKILL of the app-server the run fails, and the next one gets a fresh process', async () => {
  const house = codex({ turns: { Go: [{ say: 'a' }, { hang: true }] } })
  const run = await house.start('Go')
  await until(() => house.calls('turn/start').length === 1)
  const [first] = house.supervisor.live()
  process.kill(first?.pid ?? 0, 'SIGKILL')
  expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'AGENT_EXITED' } })
  const { result } = await house.run('Next')
  expect(result).toMatchObject({ status: 'completed', text: 'OK' })
  expect(house.supervisor.live()[0]?.pid).not.toBe(first?.pid)
})

test('a turn that is over before it has a name is not missed', async () => {
  const { result } = await codex({ turns: { Go: [{ say: 'OK' }] }, lateAnswer: true }).run('Go')
  expect(result).toMatchObject({ status: 'completed', text: 'OK' })
})
