/** The supervisor against real processes: start, failure, floods, exits (C05, C16; laws 3, 5, 14). */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { firstLine, fixture, identityOf, node, recordsIn, spec, stateDir } from '../fixtures/process/owned.ts'
import { supervisor as create, survivors } from '../fixtures/process/owned.ts'
import type { Supervisor, SupervisorOptions } from '../../src/process/supervisor.ts'

const supervisor = (more: Partial<SupervisorOptions> = {}): Supervisor => {
  const made = create(more)
  onTestFinished(async () => made[Symbol.asyncDispose]())
  return made
}

test('C05a: a missing program is AGENT_NOT_FOUND with command, directory and errno, and leaves nothing', async () => {
  const dir = stateDir()
  const owner = supervisor({ stateDir: dir })
  await expect(
    owner.spawn(spec('/no/such/bin', ['--acp'], { withheld: ['MY_TOKEN'] })),
  ).rejects.toMatchObject({
    code: 'AGENT_NOT_FOUND',
    phase: 'spawn',
    data: { command: '/no/such/bin --acp', cwd: '/', errno: 'ENOENT', withheld: ['MY_TOKEN'] },
  })
  await expect(owner.spawn(spec('no-such-bin', []))).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' })
  expect(owner.live()).toEqual([])
  expect(recordsIn(dir)).toEqual([])
})

test('C05b: a file without the execute permission is AGENT_NOT_EXECUTABLE', async () => {
  const file = join(stateDir(), 'agent.sh')
  writeFileSync(file, '#!/bin/sh\nexit 0\n', { mode: 0o644 })
  await expect(supervisor().spawn(spec(file, []))).rejects.toMatchObject({
    code: 'AGENT_NOT_EXECUTABLE',
    phase: 'spawn',
    data: { command: file, cwd: '/', errno: 'EACCES' },
  })
})

test('C05: a missing interpreter, a missing directory and an unspeakable command are told apart', async () => {
  const file = join(stateDir(), 'agent')
  writeFileSync(file, '#!/no/such/interpreter\n')
  chmodSync(file, 0o755)
  const owner = supervisor()
  await expect(owner.spawn(spec(file, []))).rejects.toMatchObject({
    code: 'AGENT_NOT_EXECUTABLE',
    message: expect.stringContaining('interpreter'),
  })
  await expect(owner.spawn(spec('node', [], { cwd: '/no/such/dir' }))).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    phase: 'spawn',
    data: { field: 'cwd' },
  })
  for (const [command, argument] of [
    ['', 'a'],
    ['node', 'a\0b'],
  ] as const)
    await expect(owner.spawn(spec(command, [argument]))).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      data: { field: 'command' },
    })
})

test('C05c: what a failing process said last is in its facts when its exit is known', async () => {
  const code = "console.error('boom: not logged in'); process.exitCode = 1"
  const child = await supervisor().spawn(node(code, { withheld: ['OPENAI_API_KEY'] }))
  expect(await child.exited).toEqual({ exitCode: 1 })
  expect(child.facts()).toEqual({
    command: `${process.execPath} -e 'console.error('boom: not logged in'); process.exitCode = 1'`,
    cwd: '/',
    exitCode: 1,
    stderr: 'boom: not logged in\n',
    withheld: ['OPENAI_API_KEY'],
  })
})

test('a process that dies by a signal says which', async () => {
  const child = await supervisor().spawn(node("process.kill(process.pid, 'SIGKILL')"))
  expect(await child.exited).toEqual({ signal: 'SIGKILL' })
})

test('law 14: a key that an agent prints on stderr is masked in its facts', async () => {
  const env = { PATH: '', DEMO_KEY: 'sk-TEST-123' }
  const child = await supervisor().spawn(node('console.error("bad key", process.env.DEMO_KEY)', { env }))
  await child.exited
  expect(child.stderrTail()).toBe('bad key [DEMO_KEY]\n')
  expect(JSON.stringify(child.facts())).not.toContain('sk-TEST-123')
})

test('a child gets the given environment, the two markers, and nothing of ours', async () => {
  const child = await supervisor({ gatewayId: 'gw-7', inheritedMarker: 'outer' }).spawn(
    node('console.log(JSON.stringify(process.env))', {
      env: { A: '1', SUBGATE_RUN: 'x', SUBGATE_GATEWAY: 'x' },
    }),
  )
  const { A, SUBGATE_GATEWAY, SUBGATE_RUN, ...rest } = JSON.parse(await firstLine(child)) as Record<
    string,
    string
  >
  expect({ A, SUBGATE_GATEWAY }).toEqual({ A: '1', SUBGATE_GATEWAY: 'gw-7' })
  expect(SUBGATE_RUN).toMatch(/^outer:[0-9a-f-]{36}$/)
  expect(rest).toEqual({})
})

test('the record exists before the first byte can be written, and is gone when the tree is', async () => {
  const dir = stateDir()
  const owner = supervisor({ stateDir: dir, gatewayId: 'gw-8' })
  const child = await owner.spawn(spec('cat', []))
  const { startTime } = identityOf(child.pid)
  const name = `${child.pid}-${startTime}.json`
  expect(recordsIn(dir)).toEqual([name])
  expect(JSON.parse(readFileSync(join(dir, 'processes', name), 'utf8'))).toMatchObject({
    pid: child.pid,
    startTime,
    command: 'cat',
    sessionId: 's',
    depth: 0,
    gateway: { pid: process.pid, id: 'gw-8' },
  })
  expect(owner.live()).toEqual([{ pid: child.pid, command: 'cat', sessionId: 's' }])
  expect(await child.stop()).toEqual({ escaped: [] })
  expect(recordsIn(dir)).toEqual([])
  expect(owner.live()).toEqual([])
})

test('where records cannot be written there is one warning, and the agent runs', async () => {
  const dir = stateDir()
  writeFileSync(join(dir, 'processes'), 'a file where the folder should be')
  const warnings: string[] = []
  const owner = supervisor({ stateDir: dir, warn: (message) => warnings.push(message) })
  for (let round = 0; round < 2; round += 1) {
    const child = await owner.spawn(spec('cat', []))
    const line = firstLine(child)
    child.write('hello\n')
    expect(await line).toBe('hello')
    await child.stop()
  }
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toContain(dir)
})

test('bytes written to a child arrive unchanged, and its end of input ends it without a signal', async () => {
  const child = await supervisor().spawn(spec('cat', []))
  const received: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => received.push(chunk))
  const sent = Buffer.from([0, 255, 128, 10, 13, 195])
  child.write(sent)
  child.endInput()
  expect(await child.exited).toEqual({ exitCode: 0 })
  expect(Buffer.concat(received)).toEqual(sent)
})

test('output that nobody has read yet waits, also past the exit of its process', async () => {
  const child = await supervisor().spawn(node('console.log("early")'))
  await child.exited
  await sleep(50)
  expect(await firstLine(child)).toBe('early')
})

test('output can be iterated as well', async () => {
  const child = await supervisor().spawn(node('console.log("one"); console.log("two")'))
  await sleep(50)
  const chunks: string[] = []
  for await (const chunk of child.stdout) chunks.push(String(chunk))
  expect(chunks.join('')).toBe('one\ntwo\n')
})

test('writing never throws: not into a closed input, not after the exit, not after the end of input', async () => {
  const child = await supervisor().spawn(
    node('require("fs").closeSync(0); console.log("closed"); setInterval(() => {}, 1000)'),
  )
  await firstLine(child)
  for (let round = 0; round < 20; round += 1) {
    child.write('x'.repeat(100_000))
    await sleep(2)
  }
  await child.stop()
  expect(child.write('late')).toBe(true)
  child.endInput()
  expect(child.write(new Uint8Array(3))).toBe(true)
  expect(await child.exited).toHaveProperty('signal')
})

test('the exit is known although a descendant holds stdout and stderr, and stop ends that descendant', async () => {
  const child = await supervisor().spawn(spec(process.execPath, [fixture('leaves-holder.mjs')]))
  const ended: string[] = []
  child.stdout.on('end', () => ended.push('end'))
  const holder = Number(await firstLine(child))
  expect(await child.exited).toEqual({ exitCode: 3 })
  expect(ended).toEqual([])
  expect(child.stderrTail()).toBe('last words\n')
  const identity = identityOf(holder)
  expect(await child.stop()).toEqual({ escaped: [] })
  expect(await survivors([identity], 0)).toEqual([])
})

test.each(['lines', 'one endless line'])(
  'C16: a flood of stderr as %s blocks nothing and keeps 64 KiB',
  async (form) => {
    const child = await supervisor().spawn(spec(process.execPath, [fixture('stderr-flood.mjs'), form]))
    expect(await firstLine(child)).toBe('ready')
    await child.stop()
    expect(Buffer.byteLength(child.stderrTail())).toBeLessThanOrEqual(65_536)
    expect(child.stderrTail()).toMatch(/^\[truncated: \d+ earlier bytes\]\n/)
    expect(child.stderrTail()).not.toContain('\uFFFD')
  },
)

test('a closed supervisor has ended all it started, and starts nothing more', async () => {
  const owner = create()
  const children = await Promise.all([owner.spawn(spec('cat', [])), owner.spawn(spec('sleep', ['1000']))])
  const identities = children.map(({ pid }) => identityOf(pid))
  await owner[Symbol.asyncDispose]()
  expect(await survivors(identities, 0)).toEqual([])
  await expect(owner.spawn(spec('cat', []))).rejects.toMatchObject({ code: 'CLOSED', phase: 'spawn' })
})

test('a folder of state that does not exist yet is made', async () => {
  const dir = join(stateDir(), 'a', 'b')
  const child = await supervisor({ stateDir: dir }).spawn(spec('cat', []))
  expect(recordsIn(dir)).toHaveLength(1)
  await child.stop()
  mkdirSync(dir, { recursive: true })
  expect(recordsIn(dir)).toEqual([])
})
