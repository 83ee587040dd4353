/** What an agent may ask of the person's own client, as far as that offers it, above all its files. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { defineProvider } from '../../src/provider.ts'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import { acp, received, temporary } from '../fixtures/acp-house.ts'
import { answers, ask, FORM, ok, turn } from '../fixtures/acp/asks.ts'
import { family } from '../fixtures/acp/family.ts'
import { ALL_OFFERED, recordedClient } from '../fixtures/recorded-client.ts'

describe("the client's files", () => {
  test('are asked for as the agent said it, and answered as the client said it', async () => {
    const dir = temporary()
    const path = join(dir, 'unsaved.txt')
    const client = recordedClient(() => ok({ content: 'not on disk', _meta: { dirty: true } }))
    const house = acp(
      turn(
        'before',
        ask('fs/read_text_file', { path, line: 2, limit: 1, _meta: { why: 'x' }, odd: 1 }),
        'after',
      ),
      { dir },
    )
    const run = await house.start({}, { client })
    expect((await run.result).text).toBe('beforeafter')
    expect(answers(house).get('fs/read_text_file')).toMatchObject({
      result: { content: 'not on disk', _meta: { dirty: true } },
    })
    const [call] = client.calls
    expect(call).toMatchObject({
      method: 'fs/read_text_file',
      params: { path, line: 2, limit: 1, _meta: { why: 'x' }, odd: 1 },
      sessionId: run.sessionId,
      path: [],
    })
    expect(call?.params).not.toHaveProperty('sessionId')
    // Law 8: what the agent said before it asked comes first.
    const said = house.entries(run.sessionId).find(({ event }) => event.type === 'session/update')
    expect(call?.after).toBeGreaterThanOrEqual(said?.seq ?? Infinity)
  })

  test('are those of the session alone, also where they are new', async () => {
    const dir = temporary()
    const w = join(dir, 'W')
    for (const name of ['W', 'outside']) mkdirSync(join(dir, name))
    writeFileSync(join(dir, 'outside', 'secret'), 'secret')
    symlinkSync(join(dir, 'outside'), join(w, 'out'))
    symlinkSync(join(dir, 'none'), join(w, 'dangling'))
    const bad = [
      `${w}/../x`,
      `${dir}/outside/secret`,
      `${w}/out/secret`,
      `${w}/out/new`,
      `${w}/dangling`,
      'x',
      '',
      w,
      `${w}/a\0b`,
    ]
    const good = [`${w}/new.txt`, `${w}/new/deep.txt`]
    const client = recordedClient(() => ok())
    const house = acp(
      turn(
        ...[...bad, ...good].map((path) =>
          ask('fs/write_text_file', { path, content: 'x' }, { id: `write ${path}` }),
        ),
        'done',
      ),
      { dir },
    )
    expect((await (await house.start({ cwd: w }, { client })).result).text).toBe('done')
    const said = answers(house)
    for (const path of bad) expect([path, said.get(`write ${path}`)?.error?.code]).toEqual([path, -32602])
    expect(client.calls.map(({ params }) => params['path'])).toEqual(good)
  })

  test("a client's error is the agent's answer, untouched", async () => {
    const error = { code: -32002, message: 'no such buffer', data: { uri: 'x' } }
    const client = recordedClient(() => ({ error }))
    const house = acp((dir) => turn(ask('fs/read_text_file', { path: join(dir, 'x') }), 'done'))
    await (
      await house.start({}, { client })
    ).result
    expect(answers(house).get('fs/read_text_file')?.error).toEqual(error)
  })
})

describe('what was not offered', () => {
  const everything = (dir: string): readonly FakeStep[] =>
    turn(
      ask('fs/read_text_file', { path: join(dir, 'x') }),
      ask('fs/write_text_file', { path: join(dir, 'x'), content: '' }),
      ask('terminal/create', { command: 'true' }),
      ask('terminal/output', { terminalId: 't' }),
      ask('elicitation/create', FORM),
      'done',
    )
  const METHODS = [
    'fs/read_text_file',
    'fs/write_text_file',
    'terminal/create',
    'terminal/output',
    'elicitation/create',
  ]

  test('does not exist: not without a client, not where it offers nothing, not where it was switched off', async () => {
    const nothing = {
      readTextFile: false,
      writeTextFile: false,
      terminal: false,
      elicitation: { form: false, url: false },
    }
    const clients = [
      [undefined, undefined],
      [recordedClient(() => ok(), { offer: nothing }), undefined],
      [
        recordedClient(() => ok(), { offer: { ...ALL_OFFERED, elicitation: nothing.elicitation } }),
        { read: false, write: false, terminal: false },
      ],
    ] as const
    for (const [client, methods] of clients) {
      const house = acp(everything, { ...(methods && { methods }) })
      await (
        await house.start({}, client === undefined ? {} : { client })
      ).result
      const [initialize] = received(house, 'initialize')
      expect(initialize?.params['clientCapabilities']).toMatchObject({
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
      })
      expect(initialize?.params['clientCapabilities']).not.toHaveProperty('elicitation')
      expect(METHODS.map((method) => answers(house).get(method)?.error?.code)).toEqual(
        METHODS.map(() => -32601),
      )
      expect(client?.calls ?? []).toEqual([])
    }
  })

  test('is also what an agent is known not to live with, unless its configuration asks for it', async () => {
    const known = { name: 'known', title: 'Known', program: 'known', args: [], methods: { read: false } }
    for (const [methods, readTextFile] of [
      [undefined, false],
      [{ read: true }, true],
    ] as const) {
      const client = recordedClient(() => ok())
      const house = acp(turn('done'), { known, ...(methods && { methods }) })
      await (
        await house.start({}, { client })
      ).result
      expect(received(house, 'initialize')[0]?.params['clientCapabilities']).toMatchObject({
        fs: { readTextFile, writeTextFile: true },
      })
    }
  })

  test('law 11: a child that was handed read-only reads, and neither writes nor runs anything', async () => {
    const client = recordedClient(() => ok({ content: 'read' }))
    const house = acp(
      (dir) => [
        { on: 'initialize', do: [{ reply: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } }] },
        {
          on: 'session/prompt',
          do: [
            ask('fs/read_text_file', { path: join(dir, 'x') }),
            ask('fs/write_text_file', { path: join(dir, 'x'), content: '' }),
            ask('terminal/create', { command: 'true' }),
            { reply: { stopReason: 'end_turn' } },
          ],
        },
      ],
      { provider: { sandbox: 'provider-managed' }, methods: { write: true, terminal: true } },
    )
    const parent = defineProvider({
      name: 'parent',
      capabilities: { sandbox: 'native' },
      run: async ({ prompt }, { delegation }) => {
        const run = await delegation.start({ provider: 'fake', prompt })
        return `${run.sessionId} ${(await run.result).status}`
      },
    })
    house.runtime.providers.add(parent)
    const root = await house.start({ provider: 'parent', sandbox: 'read-only' }, { client })
    const [child, status] = (await root.result).text.split(' ')
    expect(status).toBe('empty')
    const said = answers(house)
    expect(said.get('fs/read_text_file')?.result).toEqual({ content: 'read' })
    expect(said.get('fs/write_text_file')?.error?.code).toBe(-32601)
    expect(said.get('terminal/create')?.error?.code).toBe(-32601)
    expect(client.calls.map(({ method, sessionId }) => [method, sessionId])).toEqual([
      ['fs/read_text_file', child],
    ])
    expect(received(house, 'initialize')[0]?.params['clientCapabilities']).toMatchObject({
      fs: { readTextFile: true, writeTextFile: false },
      terminal: false,
    })
  })
})

test('children of a root that a client was given to have it too, each by its own session, also in a shared process', async () => {
  const client = recordedClient(() => ok({ content: 'x' }))
  const dir = temporary()
  const script: readonly FakeStep[] = [
    {
      on: 'initialize',
      do: [
        {
          reply: {
            protocolVersion: 1,
            agentCapabilities: { sessionCapabilities: { close: {} } },
            authMethods: [],
          },
        },
      ],
    },
    {
      on: 'session/prompt',
      do: [
        {
          request: 'fs/read_text_file',
          params: { sessionId: '{sessionId}', path: join(dir, 'x') },
        },
        { dump: ['env', 'pid'] },
        { reply: { stopReason: 'end_turn' } },
      ],
    },
  ]
  const house = await family(script, { dir }, { client })
  const [one, other] = await Promise.all([house.child({ label: 'one' }), house.child({ label: 'other' })])
  const texts = await Promise.all([one, other].map(async (run) => (await run.result).text))
  const [first, second] = texts.map((said) => (JSON.parse(said) as { pid: number }).pid)
  expect(first).toBe(second)
  const asked = client.calls.map(({ sessionId, path }) => [sessionId, path])
  expect(asked).toContainEqual([house.root.sessionId, []])
  expect(asked).toContainEqual([one.sessionId, ['one']])
  expect(asked).toContainEqual([other.sessionId, ['other']])
})
