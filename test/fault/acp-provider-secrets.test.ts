/** Law 14: what an agent says of its secrets reaches no error and no log. */
import { expect, test } from 'vitest'
import type { Logger } from '../../src/contract/logger.ts'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import { acp } from '../fixtures/acp-house.ts'

const KEY = 'sk-planted-123456'
const prompted = [...acpHandshake(), { expect: 'session/prompt' }] as const
const failing = (codex: string): FakeStep => ({
  update: { sessionUpdate: 'session_info_update', _meta: { codex: { threadStatus: { type: codex } } } },
})
const codex = { agentInfo: { name: '@agentclientprotocol/codex-acp', version: '1' } }

test.each<[string, readonly FakeStep[], string]>([
  ['an error', [...prompted, { fail: { code: -32603, message: `bad key ${KEY}` } }], 'AGENT_ERROR'],
  [
    "an error's data",
    [...prompted, { fail: { code: -32603, message: 'x', data: { details: KEY, errorKind: KEY } } }],
    'AGENT_ERROR',
  ],
  ['a sign-in', [...prompted, { fail: { code: -32000, message: `no ${KEY}` } }], 'AUTH_REQUIRED'],
  [
    "a sign-in's methods",
    [
      ...acpHandshake({ authMethods: [{ id: 'a', name: KEY, type: 'terminal', args: [KEY] }] }),
      { expect: 'session/prompt' },
      { fail: { code: -32000, message: 'x' } },
    ],
    'AUTH_REQUIRED',
  ],
  ['its first line', [{ write: `using ${KEY}\n` }, { exit: 0 }], 'AGENT_NOT_ACP'],
  ['a cut first line', [{ write: `${'x'.repeat(189)}${KEY}\n` }, { exit: 0 }], 'AGENT_NOT_ACP'],
  ['its last words', [...prompted, { stderr: `using ${KEY}\n` }, { exit: 3 }], 'AGENT_EXITED'],
  [
    'a hidden failure',
    [...acpHandshake(codex), ...acpTurn([`bad ${KEY}`, failing('systemError')])],
    'MODEL_ERROR',
  ],
])('a value that was given under any name is masked in %s', async (_what, script, code) => {
  const logged: string[] = []
  const debug: Logger['debug'] = (fields, words) => void logged.push(JSON.stringify(fields), words)
  const log: Logger = { debug, info: debug, warn: debug, error: debug }
  const house = acp(script, { env: { HARMLESS: KEY }, log })
  const error = await house.start().then(
    async (run) => (await run.result).error,
    (thrown: { toJSON(): object }) => thrown.toJSON(),
  )
  expect(error).toMatchObject({ code })
  const { data, message } = error as { message: string; data: Record<string, unknown> }
  for (const said of [message, JSON.stringify({ ...data, command: '' }), ...logged]) {
    expect(said).not.toContain('sk-planted')
  }
  expect(JSON.stringify([error, logged])).toContain('[HARMLESS]')
})

test('an error carries the end of the tail, and the log all of it', async () => {
  const logged: object[] = []
  const debug: Logger['debug'] = (fields) => void logged.push(fields)
  const script: readonly FakeStep[] = [
    ...prompted,
    { stderr: { fill: 'ü words ', times: 2000 } },
    { stderr: 'the end' },
    { exit: 3 },
  ]
  const house = acp(script, { log: { debug, info: debug, warn: debug, error: debug } })
  const { error } = await (await house.start()).result
  const said = error?.data['stderr']
  const stderr = typeof said === 'string' ? said : ''
  expect(stderr).toMatch(/^….*the end$/su)
  expect(Buffer.byteLength(stderr)).toBeLessThanOrEqual(4096)
  const whole = logged.find((fields) => 'stderr' in fields) as { stderr: string } | undefined
  expect(Buffer.byteLength(whole?.stderr ?? '')).toBe(2000 * 9 + 7)
})
