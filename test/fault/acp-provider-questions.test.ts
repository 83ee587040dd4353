/** Questions with a form: a person's to answer, and nobody else's. */
import { describe, expect, test } from 'vitest'
import { gather } from '../../src/cli/reading/processes.ts'
import type { ClientAnswer } from '../../src/contract/client.ts'
import { memoryStore } from '../../src/sessions/memory-store.ts'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import { acp } from '../fixtures/acp-house.ts'
import { answers, ask, FORM, ok, turn } from '../fixtures/acp/asks.ts'
import { until } from '../fixtures/house.ts'
import { ALL_OFFERED, NEVER, recordedClient } from '../fixtures/recorded-client.ts'

describe('a question with a form', () => {
  test('is answered by the person alone, and holds the idle limit up', async () => {
    const answer = Promise.withResolvers<ClientAnswer>()
    const client = recordedClient(() => answer.promise)
    const house = acp(
      turn(ask('elicitation/create', { ...FORM, toolCallId: 't1', _meta: { x: 1 } }), 'done'),
      { settings: { limits: { startupMs: 60_000, idleMs: 1000, totalMs: 0 } } },
    )
    const run = await house.start({}, { client })
    await until(() => client.calls.length === 1)
    await new Promise((resolve) => setTimeout(resolve, 1600))
    answer.resolve(ok({ action: 'accept', content: { name: 'a' }, _meta: { y: 1 } }))
    expect((await run.result).status).toBe('completed')
    expect(answers(house).get('elicitation/create')?.result).toEqual({
      action: 'accept',
      content: { name: 'a' },
      _meta: { y: 1 },
    })
    expect(client.calls[0]?.params).toEqual({ ...FORM, toolCallId: 't1', _meta: { x: 1 } })
  })

  test('issue 4 item 5: stands in the log while it waits, so that the run needs a person, for readers of the store too', async () => {
    const answer = Promise.withResolvers<ClientAnswer>()
    const client = recordedClient(() => answer.promise)
    const store = memoryStore()
    const house = acp(
      [
        ...acpHandshake(),
        { expect: 'session/prompt' },
        ask('elicitation/create', { ...FORM, message: 'Which branch?' }),
        { say: 'done' },
        { reply: { stopReason: 'end_turn' } },
      ],
      { store },
    )
    const run = await house.start({}, { client })
    const shown = (): unknown => gather(store, { all: true, now: Date.now() })[0]
    const said = (): number => house.entries(run.sessionId).length
    await until(() => client.calls.length === 1 && said() > 0)
    expect(shown()).toMatchObject({ activity: { needsYou: true, doing: 'waiting for you: Which branch?' } })
    answer.resolve(ok({ action: 'decline' }))
    await run.result
    const of = house
      .entries(run.sessionId)
      .flatMap(({ event, runId }) => (event.type.startsWith('elicitation/') ? [{ event, runId }] : []))
    expect(of).toEqual([
      { event: { type: 'elicitation/requested', id: 'form_1', message: 'Which branch?' }, runId: run.id },
      { event: { type: 'elicitation/resolved', id: 'form_1', action: 'decline' }, runId: run.id },
    ])
    expect(shown()).not.toHaveProperty('activity')
  })

  test('is cancelled with the run, and withdrawn', async () => {
    const client = recordedClient(() => NEVER)
    const house = acp([
      ...acpHandshake(),
      { ignore: ['cancel'] },
      ...acpTurn([ask('elicitation/create', FORM), '{answer}']),
    ])
    const run = await house.start({}, { client })
    await until(() => client.calls.length === 1)
    run.cancel()
    const { status, text } = await run.result
    expect([status, text]).toEqual(['cancelled', expect.stringContaining('"action":"cancel"')])
    expect(client.calls[0]?.signal.aborted).toBe(true)
  })

  test('is cancelled when nobody answers within the time that a person has', async () => {
    const client = recordedClient(() => NEVER)
    const house = acp(turn(ask('elicitation/create', FORM), 'done'), {
      settings: { permissionTimeoutMs: 50 },
    })
    const run = await house.start({}, { client })
    expect((await run.result).status).toBe('completed')
    expect(answers(house).get('elicitation/create')?.result).toEqual({ action: 'cancel' })
  })

  test('is cancelled between two turns, and refused in a mode that was not offered', async () => {
    const client = recordedClient(() => ok({ action: 'accept' }), {
      offer: { ...ALL_OFFERED, elicitation: { form: true, url: false } },
    })
    const house = acp([
      ...acpHandshake(),
      ...acpTurn([
        ask('elicitation/create', { mode: 'url', message: '', url: 'x', elicitationId: '1' }, { id: 'url' }),
        ask('elicitation/create', { message: '' }, { id: 'none' }),
      ]),
      ask('elicitation/create', FORM, { id: 'late' }),
    ])
    const run = await house.start({ keep: true }, { client })
    await run.result
    await until(() => answers(house).has('late'))
    const said = answers(house)
    expect([said.get('url')?.error?.code, said.get('none')?.error?.code]).toEqual([-32602, -32602])
    expect(said.get('late')?.result).toEqual({ action: 'cancel' })
    expect(client.calls).toEqual([])
  })

  test('of a request of ours is one of the session, and of a subagent of the agent is that one’s', async () => {
    const client = recordedClient(() => ok({ action: 'decline' }))
    const { sessionId: _, ...own } = { sessionId: 's1', ...FORM }
    const house = acp([
      ...acpHandshake(),
      ...acpTurn([
        { request: 'elicitation/create', params: { ...own, requestId: 3 }, id: 'request' },
        { update: { sessionUpdate: 'subagent_update', sessionId: 'c1', title: 'the c1' } },
        { request: 'elicitation/create', params: { ...own, sessionId: 'c1' }, id: 'child' },
        { notify: 'elicitation/complete', params: { elicitationId: 'of nobody' } },
        'done',
      ]),
    ])
    await (
      await house.start({}, { client })
    ).result
    expect(client.calls.map(({ params, childId, path }) => [params, childId, path])).toEqual([
      [FORM, undefined, []],
      [FORM, 'c1', ['the c1']],
    ])
    expect(client.completed).toEqual([])
  })

  test('of a web page is over when the agent says so, once and only where the person went there', async () => {
    const page = (elicitationId: string): object => ({ mode: 'url', message: '', url: 'x', elicitationId })
    const completes = (elicitationId: string): FakeStep => ({
      notify: 'elicitation/complete',
      params: { elicitationId },
    })
    const client = recordedClient(({ params }) =>
      ok({ action: params['elicitationId'] === 'taken' ? 'accept' : 'decline' }),
    )
    const house = acp(
      turn(
        ask('elicitation/create', page('taken')),
        ask('elicitation/create', page('declined')),
        completes('declined'),
        completes('taken'),
        completes('taken'),
        'done',
      ),
    )
    await (
      await house.start({}, { client })
    ).result
    expect(client.completed).toEqual(['taken'])
  })
})
