/** The tools that control kept agents: what the model reads of them, and what it may do. */
import { expect, test } from 'vitest'
import { controlTools, reportTool } from '../../../src/agent/control-tools.ts'
import { SubagentError } from '../../../src/contract/errors.ts'
import { sessionId } from '../../../src/contract/ids.ts'
import { fakeDelegation } from '../../fixtures/agent/delegation.ts'
import type { FakeDelegation, FakeOptions } from '../../fixtures/agent/delegation.ts'
import { answer, call } from '../../fixtures/agent/scripted-model.ts'
import { turnRig } from '../../fixtures/agent/turn-rig.ts'

const played = async (
  calls: ReturnType<typeof call>[],
  options: FakeOptions = {},
): Promise<{ readonly story: readonly string[]; readonly delegation: FakeDelegation }> => {
  const delegation = fakeDelegation(options)
  const { agents } = delegation
  const rig = turnRig({ answers: [answer(...calls)], add: [...controlTools(agents), reportTool(agents)] })
  await rig.run()
  return { story: rig.story().filter((line) => /^call \w+ (completed|failed)/u.test(line)), delegation }
}

test('B12.1: a message, a stop and a report reach the port, and say what follows', async () => {
  const { story, delegation } = await played([
    call('a', 'send_message', { agent: 'ses_1', message: 'more' }),
    call('b', 'interrupt_agent', { agent: 'ses_1' }),
    call('c', 'report', { text: 'half' }),
  ])
  expect(delegation.controlled.toSorted()).toEqual([
    'interrupt ses_1',
    'report half',
    'send ses_1: [{"type":"text","text":"more"}]',
  ])
  expect(story.toSorted()).toEqual([
    'call a completed: Sent. The answer will come as a message.',
    'call b completed: It is being stopped.',
    'call c completed: Reported.',
  ])
})

test('B11.1: an agent that does nothing is said so, and a refusal is an errored result with its code', async () => {
  const refusal = new SubagentError('UNAUTHORIZED', 'resolve', 'It is not yours.', {
    sessionId: sessionId('ses_1'),
  })
  const { story } = await played(
    [
      call('a', 'send_message', { agent: 'ses_1', message: 'more' }),
      call('b', 'interrupt_agent', { agent: 'ses_2' }),
      call('c', 'send_message', { agent: 'ses_1' }),
    ],
    {
      agents: {
        interrupt: () => false,
        send: () => {
          throw refusal
        },
      },
    },
  )
  const [first, second, third] = story.toSorted()
  expect(first).toBe('call a failed: UNAUTHORIZED: It is not yours.')
  expect(second).toBe('call b completed: It does nothing at the moment.')
  expect(third).toMatch(/^call c failed: .*'message'/u)
})

test('B11.1: a list says of each agent what it does, and an empty one that there are none', async () => {
  const parentId = sessionId('ses_0')
  const list = (): ReturnType<FakeDelegation['agents']['list']> => [
    { id: sessionId('ses_1'), parentId, provider: 'spawn', state: 'running', label: 'look' },
    { id: sessionId('ses_2'), parentId, provider: 'codex', state: 'ready', lastStatus: 'failed' },
  ]
  const calls = [call('a', 'list_agents', {})]
  expect((await played(calls, { agents: { list } })).story).toEqual([
    'call a completed: ses_1: running, "look", on spawn, started by ses_0\nses_2: ready, on codex, last run failed, started by ses_0',
  ])
  expect((await played(calls)).story).toEqual(['call a completed: There are none.'])
})
