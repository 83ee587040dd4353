/** The example agent as an ACP client meets it: a process on stdio, driven by the official SDK. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { methods } from '@agentclientprotocol/sdk/unstable'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { choose, MAIN, startAgent, until } from './example-agent-client.ts'
import type { Answer, Outcome, StartOptions } from './example-agent-client.ts'

let home: string
let cwd: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'example-agent-'))
  cwd = join(home, 'work')
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'notes.md'), 'the colour of\nmy colour\n')
})
afterEach(() => {
  rmSync(home, { recursive: true, force: true })
})

const start = (answer: Answer = choose('once'), options: StartOptions = {}) =>
  startAgent(cwd, answer, options)

const withCli = (script: string) => {
  const file = join(home, 'cli.mjs')
  writeFileSync(file, script)
  return start(choose('once'), { env: { SUBGATE_CLI: JSON.stringify([process.execPath, file]) } })
}

describe('what it advertises', () => {
  test('it offers only what it has: no images, no embedded context, no loading of sessions', async () => {
    await using it = await start()
    expect(it.initialized.protocolVersion).toBe(1)
    expect(it.initialized.agentCapabilities).toEqual({
      promptCapabilities: { image: false, audio: false, embeddedContext: false },
      sessionCapabilities: { additionalDirectories: {}, close: {} },
    })
    expect(it.initialized.authMethods).toEqual([])
  })

  test('a greeting or a question is answered with what it can do', async () => {
    await using it = await start()
    const session = await it.open()
    expect(await it.prompt(session, 'Hello! What can you do?')).toMatchObject({ stopReason: 'end_turn' })
    expect(it.said()).toHaveLength(1)
    expect(it.said()[0]).toContain('replace "colour" with "color" in notes.md')
  })
})

describe('its work', () => {
  test('an edit is planned, announced, asked about with its diff, done and reported, in this order', async () => {
    await using it = await start()
    const session = await it.open()
    const ended = await it.prompt(session, 'replace "colour" with "color" in notes.md')
    expect(ended).toMatchObject({ stopReason: 'end_turn', usage: { inputTokens: 6, outputTokens: 7 } })
    expect(it.kinds()).toEqual([
      'plan',
      'tool_call',
      'tool_call_update',
      'tool_call_update',
      'agent_message_chunk',
      'plan',
      'usage_update',
    ])
    const path = join(cwd, 'notes.md')
    const diff = {
      type: 'diff',
      path,
      oldText: 'the colour of\nmy colour\n',
      newText: 'the color of\nmy color\n',
    }
    expect(it.updates[1]!.update).toMatchObject({
      title: 'Replace "colour" with "color" in notes.md',
      kind: 'edit',
      status: 'pending',
      locations: [{ path }],
      content: [diff],
    })
    expect(it.updates[2]!.update).toMatchObject({ status: 'in_progress' })
    expect(it.updates[3]!.update).toMatchObject({ status: 'completed', content: [diff] })
    expect(it.asked).toHaveLength(1)
    expect(it.asked[0]).toMatchObject({ sessionId: session, toolCall: { kind: 'edit', content: [diff] } })
    expect(it.asked[0]!.options.map(({ kind }) => kind)).toEqual([
      'allow_once',
      'allow_always',
      'reject_once',
    ])
    expect(readFileSync(path, 'utf8')).toBe('the color of\nmy color\n')
  })

  test('commands joined by "then" run in order, and each answers in a message of its own', async () => {
    await using it = await start()
    const prompt = 'append "the end" to notes.md then count lines in notes.md, then read notes.md'
    await it.prompt(await it.open(), prompt)
    expect(it.said()).toEqual([
      'Append to notes.md: done.',
      'notes.md has 3 lines.',
      'the colour of\nmy colour\nthe end\n',
    ])
  })

  test('one command a line, quoted "then" and new files work', async () => {
    await using it = await start()
    await it.prompt(await it.open(), 'write new.md: "first then second"\ncount words in new.md\nlist')
    expect(it.said().slice(1)).toEqual(['new.md has 3 words.', 'new.md\nnotes.md'])
    expect(readFileSync(join(cwd, 'new.md'), 'utf8')).toBe('first then second\n')
  })

  test('a linked file can be named by its link', async () => {
    await using it = await start()
    const sessionId = await it.open()
    const uri = `file://${join(cwd, 'notes.md')}`
    await it.agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [
        { type: 'text', text: 'read ' },
        { type: 'resource_link', uri, name: 'notes.md' },
      ],
    })
    expect(it.said()).toEqual(['the colour of\nmy colour\n'])
  })

  test('a prompt with one unknown step does nothing at all', async () => {
    await using it = await start()
    await it.prompt(await it.open(), 'write a.md: x then polish a.md')
    expect(it.said()[0]).toMatch(/^I did nothing, because I don't understand "polish a\.md"\./v)
    expect(it.asked).toEqual([])
  })

  test('"fail" ends the turn with a JSON-RPC error', async () => {
    await using it = await start()
    const session = await it.open()
    await expect(it.prompt(session, 'fail the disk is full')).rejects.toMatchObject({
      code: -32603,
      message: 'the disk is full',
    })
    expect(await it.prompt(session, 'count words in notes.md')).toMatchObject({ stopReason: 'end_turn' })
  })
})

describe('permission', () => {
  test('a rejected edit leaves the file, fails the tool call and ends the turn normally', async () => {
    await using it = await start(choose('reject'))
    const ended = await it.prompt(await it.open(), 'write notes.md: gone')
    expect(ended.stopReason).toBe('end_turn')
    expect(it.said()).toEqual(['I left notes.md as it was.'])
    expect(it.updates.map(({ update }) => update)).toContainEqual(
      expect.objectContaining({ sessionUpdate: 'tool_call_update', status: 'failed' }),
    )
    expect(readFileSync(join(cwd, 'notes.md'), 'utf8')).toBe('the colour of\nmy colour\n')
  })

  test('"always" is remembered for its session and for no other', async () => {
    await using it = await start(choose('always'))
    const [one, two] = [await it.open(), await it.open()]
    await it.prompt(one, 'write a.md: 1 then write b.md: 2')
    await it.prompt(one, 'write c.md: 3')
    expect(it.asked.map(({ sessionId }) => sessionId)).toEqual([one])
    await it.prompt(two, 'write d.md: 4')
    expect(it.asked.map(({ sessionId }) => sessionId)).toEqual([one, two])
  })
})

describe('cancel', () => {
  test.each(['hang', 'sleep 60s'])(
    '"%s" is answered as cancelled, and the session stays usable',
    async (words) => {
      await using it = await start()
      const session = await it.open()
      const turn = it.prompt(session, words)
      await until(() => it.kinds().includes('plan'))
      await it.cancel(session)
      expect(await turn).toEqual({ stopReason: 'cancelled' })
      expect(await it.prompt(session, 'sleep 1ms')).toMatchObject({ stopReason: 'end_turn' })
    },
  )

  test('an open permission question is given up, and the late answer changes nothing', async () => {
    const answer = Promise.withResolvers<Outcome>()
    await using it = await start(() => answer.promise)
    const session = await it.open()
    const turn = it.prompt(session, 'write notes.md: gone')
    await until(() => it.asked.length === 1)
    await it.cancel(session)
    expect(await turn).toEqual({ stopReason: 'cancelled' })
    answer.resolve({ outcome: 'selected', optionId: 'once' })
    await it.prompt(session, 'read notes.md')
    expect(it.said()).toEqual(['the colour of\nmy colour\n'])
  })

  test('a cancel of one session leaves the other alone', async () => {
    await using it = await start()
    const [one, two] = [await it.open(), await it.open()]
    const [first, second] = [it.prompt(one, 'hang'), it.prompt(two, 'sleep 300ms')]
    await until(() => it.kinds().length === 2)
    await it.cancel(one)
    expect(await first).toEqual({ stopReason: 'cancelled' })
    expect(await second).toMatchObject({ stopReason: 'end_turn' })
  })

  test('it exits with 0 when stdin ends, also in mid-turn', async () => {
    const it = await start()
    const turn = it.prompt(await it.open(), 'hang').catch(() => 'gone')
    await until(() => it.kinds().includes('plan'))
    it.child.stdin!.end()
    expect(await it.exited).toEqual([0, null])
    await turn
  })
})

describe('borders', () => {
  test('C37: paths stay inside the folders of the session, also through links', async () => {
    mkdirSync(join(home, 'other'))
    writeFileSync(join(home, 'other/secret.md'), 'secret')
    symlinkSync(join(home, 'other'), join(cwd, 'out'))
    symlinkSync(join(home, 'none'), join(cwd, 'dangling'))
    await using it = await start()
    const session = await it.open()
    const paths = ['../x', join(home, 'work-evil'), 'out/secret.md', 'dangling', 'sub/../../x']
    for (const path of paths) await it.prompt(session, `write ${path}: evil`)
    expect(it.said()).toEqual(paths.map((path) => `${path} is outside the folders of this session.`))
    expect(it.asked).toEqual([])
    expect(readFileSync(join(home, 'other/secret.md'), 'utf8')).toBe('secret')
    const wider = await it.open({ additionalDirectories: [join(home, 'other')] })
    await it.prompt(wider, 'read out/secret.md')
    expect(it.said().at(-1)).toBe('secret')
  })

  test.each(['./relative', '', '/no/such/folder'])('C37: the cwd "%s" is refused by name', async (bad) => {
    await using it = await start()
    await expect(it.open({ cwd: bad })).rejects.toMatchObject({ code: -32602, data: { cwd: bad } })
  })

  test('with --require-login a session needs the sign-in first', async () => {
    await using it = await start(choose('once'), { args: ['--require-login'] })
    expect(it.initialized.authMethods).toMatchObject([{ id: 'demo' }])
    await expect(it.open()).rejects.toMatchObject({ code: -32000 })
    await it.agent.request(methods.agent.authenticate, { methodId: 'demo' })
    await it.prompt(await it.open(), 'count words in notes.md')
    expect(it.said()).toEqual(['notes.md has 5 words.'])
  })
})

describe('delegation', () => {
  test('the prompt goes to the Subgate command line with this agent as the subagent', async () => {
    await using it = await withCli(
      `console.log(JSON.stringify({ type: 'result', status: 'completed', text: JSON.stringify(process.argv.slice(2)) }))`,
    )
    await it.prompt(await it.open(), 'delegate count words in notes.md then list')
    const words = ['run', '--output-format', 'json', '--env', 'SUBGATE_CLI']
    expect(it.said().map((text) => JSON.parse(text))).toEqual([
      [...words, 'count words in notes.md then list', '--', process.execPath, MAIN],
    ])
    expect(it.updates[1]!.update).toMatchObject({ sessionUpdate: 'tool_call', kind: 'execute' })
  })

  test('an error is reported with its code', async () => {
    const error = { code: 'DEPTH_EXCEEDED', message: 'Too deep.' }
    await using it = await withCli(
      `console.log(${JSON.stringify(JSON.stringify({ type: 'error', error, exitCode: 7 }))}); process.exit(7)`,
    )
    expect(await it.prompt(await it.open(), 'delegate list')).toMatchObject({ stopReason: 'end_turn' })
    expect(it.said()).toEqual(['DEPTH_EXCEEDED: Too deep.'])
  })

  test('a cancel ends the command line that it started', async () => {
    const pidFile = join(home, 'pid')
    await using it = await withCli(
      `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1000)`,
    )
    const session = await it.open()
    const turn = it.prompt(session, 'delegate hang')
    const pid = (): number => {
      try {
        return Number(readFileSync(pidFile, 'utf8'))
      } catch {
        return 0
      }
    }
    await until(() => pid() > 0)
    await it.cancel(session)
    expect(await turn).toEqual({ stopReason: 'cancelled' })
    expect(() => process.kill(pid(), 0)).toThrow('ESRCH')
  })
})
