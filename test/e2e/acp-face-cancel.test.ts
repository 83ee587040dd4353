/** Cancels and permission requests at the ACP face: what the editor hears, and what the agent. */
import { describe, expect, test } from 'vitest'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import { fakeEditor, pause, subgateOf } from './acp-editor.ts'

describe('C07: an agent that ignores cancel', () => {
  const answers: Readonly<Record<string, readonly FakeStep[]>> = {
    'is ended after its grace': [{ ignore: ['cancel'] }],
    'answers with an error': [
      { on: 'session/cancel', do: [{ fail: { code: -32000, message: 'no' }, to: 'session/prompt' }] },
    ],
    'fails its prompt': [
      { on: 'session/cancel', do: [{ fail: { code: -32603, message: 'x' }, to: 'session/prompt' }] },
    ],
    'ends its turn as if nothing was': [
      { on: 'session/cancel', do: [{ reply: { stopReason: 'end_turn' }, to: 'session/prompt' }] },
    ],
  }
  test.each(Object.entries(answers))('%s: the editor hears `cancelled`', async (_, steps) => {
    await using editor = fakeEditor(
      [...steps, ...acpHandshake(), { expect: 'session/prompt' }, { say: 'working' }, { hang: true }],
      {},
      { cancelMs: 500 },
    )
    const sessionId = await editor.open()
    const prompted = editor.prompt(sessionId, 'go')
    await editor.until(({ params }) => params?.update?.content?.text === 'working')
    const cancelledAt = Date.now()
    editor.notify('session/cancel', { sessionId })
    editor.notify('session/cancel', { sessionId })
    const { result } = await prompted
    expect(Date.now() - cancelledAt).toBeLessThan(5000)
    expect(result.stopReason).toBe('cancelled')
    expect(subgateOf(result)).toMatchObject({ status: 'cancelled', category: 'request' })
    const before = editor.messages.length
    editor.notify('session/cancel', { sessionId })
    editor.notify('session/cancel', { sessionId: 'ses_unknown' })
    await pause(300)
    expect(editor.messages).toHaveLength(before)
    const again = editor.prompt(sessionId, 'again')
    // In place of one that was ended a new one is begun, which hangs as well.
    const hangs = editor.when(() => editor.said().endsWith('working') && editor.said() !== 'working')
    await Promise.race([again, hangs.catch(() => {})])
    editor.notify('session/cancel', { sessionId })
    expect((await again).result.stopReason).toMatch(/^(?:end_turn|cancelled)$/u)
  })
})

describe('C08: permission requests and cancel', () => {
  const asking: FakeStep = {
    permission: {
      toolCall: { toolCallId: 't1', title: 'rm' },
      options: [
        { optionId: 'y', name: 'Yes', kind: 'allow_once' },
        { optionId: 'n', name: 'No', kind: 'reject_once' },
      ],
    },
    id: 'p1',
    chosen: { y: [{ say: 'yes' }], n: [{ say: 'no' }], cancelled: [{ say: 'cancelled' }] },
  }
  const turn: readonly FakeStep[] = [...acpHandshake(), ...acpTurn([asking])]

  test('an open request is withdrawn by a cancel, and a late answer is dropped', async () => {
    await using editor = fakeEditor([{ ignore: ['cancel'] }, ...turn])
    const sessionId = await editor.open()
    const prompted = editor.prompt(sessionId, 'go')
    const { id } = await editor.until(({ method }) => method === 'session/request_permission')
    editor.notify('session/cancel', { sessionId })
    const { result } = await prompted
    expect(result.stopReason).toBe('cancelled')
    expect(editor.said()).toBe('cancelled')
    const { params } = await editor.until(({ method }) => method === '$/cancel_request')
    expect(params).toEqual({ requestId: id })
    editor.send({ id, result: { outcome: { outcome: 'selected', optionId: 'y' } } })
    await pause(100)
    expect(editor.said()).toBe('cancelled')
  })

  test('the second of two answers is dropped', async () => {
    await using editor = fakeEditor(turn)
    const sessionId = await editor.open()
    const prompted = editor.prompt(sessionId, 'go')
    const { id, params } = await editor.until(({ method }) => method === 'session/request_permission')
    expect(params).toEqual({
      sessionId,
      toolCall: { toolCallId: 't1', title: 'rm' },
      options: [
        { optionId: 'y', name: 'Yes', kind: 'allow_once' },
        { optionId: 'n', name: 'No', kind: 'reject_once' },
      ],
    })
    editor.send({ id, result: { outcome: { outcome: 'selected', optionId: 'n' } } })
    editor.send({ id, result: { outcome: { outcome: 'selected', optionId: 'y' } } })
    expect((await prompted).result.stopReason).toBe('end_turn')
    expect(editor.said()).toBe('no')
  })

  test('the request of an agent that died is withdrawn, and the prompt fails', async () => {
    await using editor = fakeEditor([
      ...acpHandshake(),
      { expect: 'session/prompt' },
      { ...asking, wait: false },
      { sleep: 200 },
      { exit: 3 },
    ])
    const sessionId = await editor.open()
    const { error } = await editor.prompt(sessionId, 'go')
    expect(error?.data).toMatchObject({ code: 'AGENT_EXITED', status: 'failed', category: 'process' })
    expect(editor.asked()).toHaveLength(1)
    await editor.until(({ method }) => method === '$/cancel_request')
  })
})
