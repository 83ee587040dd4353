/** How turns on ACP agents end, and what an agent may say on the way without harm. */
import { describe, expect, test } from 'vitest'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import { acp } from '../fixtures/acp-house.ts'

test('C16: a flood on stderr, with and without line ends, holds nothing up and is kept as a bounded tail', async () => {
  for (const unit of ['x'.repeat(1023) + '\n', 'x'.repeat(1024)]) {
    const house = acp([
      { stderr: { fill: unit, times: 1024 } },
      ...acpHandshake(),
      ...acpTurn([
        'one ',
        { stderr: { fill: unit, times: 64 } },
        'two ',
        { stderr: { fill: unit, times: 64 } },
      ]),
      { expect: 'session/prompt' },
      { exit: 1 },
    ])
    const run = await house.start({ keep: true })
    expect(await run.result).toMatchObject({ status: 'completed', text: 'one two ' })
    const again = await house.start({ session: { from: 'resume', sessionId: run.sessionId } })
    const { error } = await again.result
    const { stderr } = (error?.data ?? {}) as { stderr?: string }
    expect(stderr).toContain('xxxx')
    expect(Buffer.byteLength(stderr ?? '')).toBeLessThanOrEqual(4096)
  }
})

test('C19: unknown updates, fields, requests and notifications: the turn completes, and nothing is lost', async () => {
  const future = { sessionUpdate: 'future_kind', x: 1 }
  const usage = { sessionUpdate: 'usage_update', used: null, size: 5, more: { deep: true } }
  const house = acp([
    ...acpHandshake(),
    ...acpTurn([
      'a',
      { update: future },
      { update: usage },
      { notify: 'foo/note', params: { a: 1 } },
      { request: 'foo/bar', params: {}, id: 'r1' },
      { request: 'fs/read_text_file', params: { sessionId: 's1', path: '/etc/hostname' }, id: 'r2' },
      { request: 'terminal/create', params: { sessionId: 's1', command: 'true' }, id: 'r3' },
      'b',
    ]),
  ])
  const run = await house.start()
  expect(await run.result).toMatchObject({ status: 'completed', text: 'ab' })
  const updates = house
    .entries(run.sessionId)
    .flatMap(({ event }) => (event.type === 'session/update' ? [event.update] : []))
  expect(updates).toContainEqual(future)
  expect(updates).toContainEqual(usage)
  const answers = house.log().flatMap((entry) => ('answer' in entry ? [[entry.to, entry.answer]] : []))
  expect(answers).toMatchObject(['r1', 'r2', 'r3'].map((id) => [id, { error: { code: -32601 } }]))
})

const status = (type: string): FakeStep => ({
  update: { sessionUpdate: 'session_info_update', _meta: { codex: { threadStatus: { type } } } },
})

describe('C22: an end that is no success:', () => {
  const reading = { sessionUpdate: 'tool_call', toolCallId: 't', title: 'Read', status: 'completed' }
  test.each<[string, readonly (string | FakeStep)[], object, object]>([
    ['(a) no text', [], {}, { status: 'empty', category: 'no_text', text: '' }],
    ['(b) white space', [' \n'], {}, { status: 'empty', category: 'no_text' }],
    ['(c) a tool call only', [{ update: reading }], {}, { status: 'empty', category: 'no_text' }],
    ['(d) a refusal', ["I won't."], { stopReason: 'refusal' }, { status: 'refused', text: "I won't." }],
    [
      '(e) cut off',
      ['so'],
      { stopReason: 'max_tokens' },
      { status: 'truncated', category: 'max_tokens', text: 'so' },
    ],
    [
      'turn limit',
      ['so'],
      { stopReason: 'max_turn_requests' },
      { status: 'truncated', category: 'max_turns' },
    ],
    [
      'an unknown stop reason',
      ['so'],
      { stopReason: 'tired' },
      { status: 'failed', category: 'protocol', text: 'so' },
    ],
  ])('%s', async (_what, steps, response, expected) => {
    const house = acp([...acpHandshake(), ...acpTurn(steps, response)])
    expect(await (await house.start()).result).toMatchObject(expected)
  })

  test.each<[string, object, object]>([
    [
      'rate limited',
      { code: -32603, message: 'slow', data: { errorKind: 'rate_limit' } },
      { category: 'busy', error: { code: 'AGENT_BUSY', retryable: true } },
    ],
    [
      'its model service',
      { code: -32603, message: 'x', data: { errorKind: 'server_error' } },
      { category: 'model', error: { code: 'MODEL_ERROR' } },
    ],
    [
      'its sign-in',
      { code: -32000, message: 'x' },
      { category: 'auth', error: { code: 'AUTH_REQUIRED', phase: 'prompt' } },
    ],
    [
      'itself',
      { code: -32603, message: 'Internal error', data: { details: 'the\ndisk' } },
      {
        category: 'provider',
        error: { code: 'AGENT_ERROR', message: 'fake answered with an error: the disk' },
      },
    ],
  ])('(f) an error of %s', async (_what, fail, expected) => {
    const house = acp([
      ...acpHandshake(),
      { expect: 'session/prompt' },
      { say: 'part' },
      { fail: fail as never },
    ])
    const result = await (await house.start()).result
    expect(result).toMatchObject({ status: 'failed', text: 'part', ...expected })
  })

  test('a success that hides a failure of the model is told as one, known by the handshake alone', async () => {
    const agentInfo = { name: '@agentclientprotocol/codex-acp', version: '1' }
    const failing = acp(
      [
        ...acpHandshake({ agentInfo }),
        ...acpTurn([status('active'), 'stream error: refused', status('systemError')]),
      ],
      { inherited: { PATH: process.env['PATH'], DEMO_API_KEY: 'sk' } },
    )
    const result = await (await failing.start()).result
    expect(result).toMatchObject({ status: 'failed', category: 'model', text: 'stream error: refused' })
    expect(result.error).toMatchObject({ code: 'MODEL_ERROR', data: { withheld: ['DEMO_API_KEY'] } })
    const well = acp([
      ...acpHandshake({ agentInfo }),
      ...acpTurn([status('systemError'), 'ok', status('idle')]),
    ])
    expect((await (await well.start()).result).status).toBe('completed')
    const unknown = acp([...acpHandshake(), ...acpTurn(['ok', status('systemError')])])
    expect((await (await unknown.start()).result).status).toBe('completed')
  })
})
