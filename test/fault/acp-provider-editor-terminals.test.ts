/** Terminals of the person's client: within its session, and released with it. */
import { describe, expect, test } from 'vitest'
import type { ClientAnswer } from '../../src/contract/client.ts'
import { acp } from '../fixtures/acp-house.ts'
import { answers, ask, ok, turn } from '../fixtures/acp/asks.ts'
import { until } from '../fixtures/house.ts'
import { NEVER, recordedClient } from '../fixtures/recorded-client.ts'

describe("the client's terminals", () => {
  const create = ask('terminal/create', { command: 'make', args: ['all'] })

  test('have the directory and the lineage of the session, and are released with it when the agent leaves them', async () => {
    const client = recordedClient(({ method }) =>
      ok(method === 'terminal/create' ? { terminalId: 'e-7' } : {}),
    )
    const house = acp(
      turn(
        create,
        ask('terminal/output', { terminalId: 'e-7' }),
        ask('terminal/kill', { terminalId: 'e-7' }),
        'done',
      ),
      { lineage: true },
    )
    const run = await house.start({ keep: true }, { client })
    await run.result
    expect(answers(house).get('terminal/create')?.result).toEqual({ terminalId: 'e-7' })
    expect(client.calls[0]?.params).toEqual({
      command: 'make',
      args: ['all'],
      cwd: house.dir,
      env: [{ name: 'SUBGATE_LINEAGE', value: `lineage-of-${run.sessionId}` }],
    })
    expect(client.calls.map(({ method }) => method)).toEqual([
      'terminal/create',
      'terminal/output',
      'terminal/kill',
    ])
    await house.runtime.close(run.sessionId)
    expect(client.calls.at(-1)).toMatchObject({
      method: 'terminal/release',
      params: { terminalId: 'e-7' },
    })
    expect(house.supervisor.live()).toEqual([])
  })

  test('that the agent has released are its own no longer, and those of others never were', async () => {
    const client = recordedClient(({ method }) =>
      ok(method === 'terminal/create' ? { terminalId: 'e-7' } : {}),
    )
    const house = acp(
      turn(
        create,
        ask('terminal/output', { terminalId: 'e-8' }, { id: 'foreign' }),
        ask('terminal/release', { terminalId: 'e-7' }),
        ask('terminal/output', { terminalId: 'e-7' }, { id: 'released' }),
        ask('terminal/create', { command: 'x', cwd: '/' }, { id: 'outside' }),
        'done',
      ),
    )
    await (
      await house.start({}, { client })
    ).result
    const said = answers(house)
    expect(['foreign', 'released', 'outside'].map((id) => said.get(id)?.error?.code)).toEqual([
      -32602, -32602, -32602,
    ])
    expect(client.calls.map(({ method }) => method)).toEqual(['terminal/create', 'terminal/release'])
  })

  test('one that is made after the run was stopped is released', async () => {
    const made = Promise.withResolvers<ClientAnswer>()
    const client = recordedClient(({ method }) => (method === 'terminal/create' ? made.promise : ok()))
    const house = acp(turn(create, 'done'))
    const run = await house.start({}, { client })
    await until(() => client.calls.length === 1)
    run.cancel()
    expect((await run.result).status).toBe('cancelled')
    made.resolve(ok({ terminalId: 'late' }))
    await until(() => client.calls.length === 2)
    expect(client.calls[1]).toMatchObject({ method: 'terminal/release', params: { terminalId: 'late' } })
  })

  test('a client that never answers holds no end up', async () => {
    const client = recordedClient(({ method }) =>
      method === 'terminal/create' ? ok({ terminalId: 'e-7' }) : NEVER,
    )
    const house = acp(turn(create, ask('terminal/wait_for_exit', { terminalId: 'e-7' }), 'done'))
    const run = await house.start({}, { client })
    await until(() => client.calls.length === 2)
    run.cancel()
    expect((await run.result).status).toBe('cancelled')
    expect(client.calls[1]?.signal.aborted).toBe(true)
    expect(house.supervisor.live()).toEqual([])
  })
})
