/** `subgate run` as it is typed: answers as they stream, and one document in every case. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import { documentOf, EXAMPLE, fake, pidsOf, Rig, until } from './cli-rig.ts'

const turn = (...steps: readonly (string | FakeStep)[]): readonly string[] =>
  fake([...acpHandshake(), ...acpTurn(steps)])

describe('an answer', () => {
  test('streams before the run has ended', async () => {
    await using rig = new Rig()
    const running = rig.start([
      'run',
      'hi',
      ...fake([...acpHandshake(), { expect: 'session/prompt' }, { say: 'Hello ' }, { hang: true }]),
    ])
    await running.heard('Hello ')
    expect(running.child.exitCode).toBeNull()
    running.child.kill('SIGINT')
    expect(await running.ended).toMatchObject({ code: 130, stdout: 'Hello \n' })
    expect(rig.left()).toEqual([])
  })

  test('of the example agent: text on stdout alone, what it decides by itself on stderr, exit 0', async () => {
    await using rig = new Rig()
    rig.write('notes.md', 'one two three\n')
    expect(await rig.run(['run', 'count words in notes.md', ...EXAMPLE])).toMatchObject({
      code: 0,
      stdout: 'notes.md has 3 words.\n',
      stderr: expect.stringContaining("isn't known to ask first"),
    })
  })

  test('quiet prints the last message alone, json the same in a document', async () => {
    await using rig = new Rig()
    const say = (text: string, messageId: string): FakeStep => ({
      update: { sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text } },
    })
    const agent = turn(say('Let me look.', 'm1'), say('It is 4.', 'm2'))
    expect((await rig.run(['run', 'x', '--output-format', 'quiet', ...agent])).stdout).toBe('It is 4.\n')
    expect((await rig.run(['run', 'x', ...agent])).stdout).toBe('Let me look.\n\nIt is 4.\n')
    expect(documentOf(await rig.run(['run', 'x', '--json', ...agent]))).toMatchObject({
      type: 'result',
      provider: 'acp',
      depth: 0,
      status: 'completed',
      text: 'It is 4.',
      denied: [],
      exitCode: 0,
    })
  })

  test('stream-json is one line an event, from run/started to run/settled, and the document last', async () => {
    await using rig = new Rig()
    const { stdout, code } = await rig.run(['run', 'x', '--format', 'stream-json', ...turn('a', 'b')])
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(code).toBe(0)
    expect(lines.at(-1)).toMatchObject({ type: 'result', text: 'ab' })
    const events = lines.slice(0, -1)
    expect(events.map(({ type }) => type)).toEqual(events.map(() => 'event'))
    const kinds = events.map(({ event }) => event.type).filter((type) => type !== 'notice')
    expect(kinds[0]).toBe('run/started')
    expect(kinds.at(-1)).toBe('run/settled')
    expect(kinds.filter((type) => type === 'session/update').length).toBeGreaterThanOrEqual(1)
    expect(Object.keys(events[0])).toEqual(['type', 'runId', 'sessionId', 'seq', 'at', 'event'])
    const seqs = events.map(({ seq }) => seq as number)
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b))
  })
})

describe('the prompt', () => {
  const ECHO = fake([...acpHandshake(), ...acpTurn(['{prompt}'])])

  test('is the words, what is piped in behind them, and a file', async () => {
    await using rig = new Rig()
    rig.write('p.md', 'from a file')
    expect((await rig.run(['run', 'a', 'b', ...ECHO], { stdin: { text: 'piped' } })).stdout).toBe(
      'a b\n\npiped\n',
    )
    expect((await rig.run(['run', '-f', 'p.md', ...ECHO])).stdout).toBe('from a file\n')
    expect((await rig.run(['run', '-', ...ECHO], { stdin: { text: 'all of it' } })).stdout).toBe(
      'all of it\n',
    )
  })

  test('is taken with standard input closed, and with an open pipe that says nothing', async () => {
    await using rig = new Rig()
    expect(await rig.run(['run', 'closed', ...ECHO], { shell: '$SUBGATE "$@" <&-' })).toMatchObject({
      code: 0,
      stdout: 'closed\n',
    })
    const silent = await rig.run(['run', 'open', ...ECHO], { stdin: 'open' })
    expect(silent).toMatchObject({ code: 0, stdout: 'open\n' })
    expect(silent.stderr).toContain('Standard input is an open pipe that says nothing')
  })

  test('Ctrl-C while standard input is waited for ends it with 130', async () => {
    await using rig = new Rig()
    const running = rig.start(['run', '-', '--json', ...ECHO], { stdin: 'open' })
    const { pid = 0 } = running.child
    // Handlers stand for all three signals or none, and Node itself never has one for SIGHUP, number 1.
    await until(() => caught(pid, 1))
    running.child.kill('SIGINT')
    const ended = await running.ended
    expect(ended.code).toBe(130)
    expect(documentOf(ended)).toMatchObject({ type: 'error', error: { code: 'CANCELLED' }, exitCode: 130 })
  })
})

/** Whether the process handles this signal by itself. */
const caught = (pid: number, signal: number): boolean => {
  const [, mask = '0'] = /^SigCgt:\s*([0-9a-f]+)$/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return ((BigInt(`0x${mask}`) >> BigInt(signal - 1)) & 1n) === 1n
}

describe('--json is one document', () => {
  test.each([
    ['a bad flag', ['run', '--json', '--bogus', 'x'], 'INVALID_REQUEST', 2],
    ['an unknown command', ['runn', '--json', 'x'], 'INVALID_REQUEST', 2],
    ['no prompt', ['run', '--json', '--', 'agent'], 'INVALID_REQUEST', 2],
    ['no agent', ['run', '--json', 'fix the bug'], 'INVALID_REQUEST', 2],
    ['an agent that is not installed', ['run', '--json', 'codex', 'fix'], 'PROVIDER_NOT_FOUND', 2],
    ['an unknown provider', ['run', '--json', '-p', 'nobody', 'x'], 'PROVIDER_NOT_FOUND', 2],
    ['a bad duration', ['run', '--json', '--timeout', 'soon', 'x', '--', 'agent'], 'INVALID_REQUEST', 2],
    [
      'a missing program (C05a)',
      ['run', '--output-format=json', 'x', '--', '/no/such/bin'],
      'AGENT_NOT_FOUND',
      1,
    ],
    [
      'a refused control',
      ['run', '--json', '--sandbox', 'read-only', 'x', '--', 'agent'],
      'UNSUPPORTED_CAPABILITY',
      6,
    ],
  ])('%s', async (_, args, code, exit) => {
    await using rig = new Rig()
    const ended = await rig.run(args)
    expect(ended.code).toBe(exit)
    expect(documentOf(ended)).toMatchObject({ type: 'error', error: { code }, exitCode: exit })
  })

  test('an invalid configuration', async () => {
    await using rig = new Rig()
    rig.configure('{ "defaultProvder": "codex" }')
    const ended = await rig.run(['run', '--json', 'x', '--', 'agent'])
    expect(ended.code).toBe(2)
    const { error } = documentOf(ended)
    expect(error).toMatchObject({ code: 'INVALID_CONFIG', data: { suggestion: 'defaultProvider' } })
  })

  test.each([
    ['NaN', '{"permissionTimeoutMs": NaN}'],
    ['-1', '{"permissionTimeoutMs": -1}'],
    ['a string', '{"permissionTimeoutMs": "250"}'],
  ])(
    'C30: a permission time-out of %s is a configuration error before anything starts',
    async (_, config) => {
      await using rig = new Rig()
      const log = join(rig.root, 'log')
      rig.configure(config)
      const ended = await rig.run(['run', '--json', 'x', ...fake([{ log }])])
      expect(ended.code).toBe(2)
      expect(documentOf(ended)).toMatchObject({ error: { code: 'INVALID_CONFIG' } })
      expect(existsSync(log)).toBe(false)
    },
  )

  test('C05: an agent that can not be executed, ends, hangs or speaks another version', async () => {
    await using rig = new Rig()
    const script = rig.write('plain.sh', '#!/bin/sh\n')
    const cases = [
      [['--', script], 'AGENT_NOT_EXECUTABLE', 'spawn', 1],
      [['--', '/bin/sh', '-c', 'echo "boom: not logged in" >&2; exit 1'], 'AGENT_EXITED', 'initialize', 1],
      [['--', '/bin/true'], 'AGENT_EXITED', 'initialize', 1],
      [fake([{ expect: 'initialize' }, { hang: true }]), 'STARTUP_TIMEOUT', 'initialize', 3],
      [fake(acpHandshake({ protocolVersion: 99 })), 'PROTOCOL_MISMATCH', 'initialize', 1],
      [['--', '/bin/sh', '-c', 'for i in 1 2 3; do echo noise; done'], 'AGENT_NOT_ACP', 'initialize', 1],
    ] as const
    for (const [agent, code, phase, exit] of cases) {
      // Only the agent that hangs needs a short limit, and a busy machine may need longer for the others.
      rig.configure(code === 'STARTUP_TIMEOUT' ? { limits: { startupMs: 1500 } } : {})
      const ended = await rig.run(['run', '--json', 'x', ...agent])
      expect(ended.code).toBe(exit)
      const { error } = documentOf(ended)
      expect(error).toMatchObject({
        code,
        phase,
        data: { command: expect.stringContaining(agent[1] ?? ''), cwd: rig.work },
      })
      if (agent.join(' ').includes('boom'))
        expect(error?.data).toMatchObject({ exitCode: 1, stderr: 'boom: not logged in\n' })
      expect(rig.left()).toEqual([])
    }
  })

  test('B10.3: an agent that ends in mid-prompt, wants a sign-in, declines, is cut short or says nothing', async () => {
    await using rig = new Rig()
    const prompted = (...steps: readonly FakeStep[]): readonly string[] =>
      fake([...acpHandshake(), { expect: 'session/prompt' }, ...steps])
    const cases = [
      [prompted({ say: 'part' }, { exit: 3 }), { status: 'failed', category: 'process', text: 'part' }, 1],
      [prompted({ fail: { code: -32000, message: 'sign in' } }), { status: 'failed', category: 'auth' }, 11],
      [prompted({ fail: { code: 429, message: 'slow down' } }), { status: 'failed', category: 'busy' }, 12],
      [prompted({ fail: { code: -32603, message: 'no' } }), { status: 'failed', category: 'provider' }, 1],
      [prompted({ reply: { stopReason: 'refusal' } }), { status: 'refused', category: 'refusal' }, 9],
      [prompted({ reply: { stopReason: 'max_tokens' } }), { status: 'truncated', category: 'max_tokens' }, 9],
      [
        prompted({ say: ' \n' }, { reply: { stopReason: 'end_turn' } }),
        { status: 'empty', category: 'no_text' },
        9,
      ],
    ] as const
    for (const [agent, ending, exit] of cases) {
      const ended = await rig.run(['run', '--json', 'x', ...agent])
      expect(documentOf(ended)).toMatchObject({ type: 'result', ...ending, exitCode: exit })
      expect(ended.code).toBe(exit)
      expect(rig.left()).toEqual([])
    }
  })

  test('--timeout and --idle-timeout end the run with 3, its partial text kept, and nothing left', async () => {
    await using rig = new Rig()
    const log = join(rig.root, 'log')
    const agent = fake([
      { log },
      ...acpHandshake(),
      { expect: 'session/prompt' },
      { say: 'part' },
      { hang: true },
    ])
    for (const [flag, category] of [
      ['--timeout', 'total'],
      ['--idle-timeout', 'idle'],
    ] as const) {
      const ended = await rig.run(['run', '--json', flag, '1', 'x', ...agent])
      expect(documentOf(ended)).toMatchObject({ status: 'timed_out', category, text: 'part', exitCode: 3 })
      expect(ended.code).toBe(3)
    }
    expect(pidsOf(log)).toHaveLength(2)
    expect(rig.left()).toEqual([])
  })
})
