/** Whole trees end, whatever their members do about it (C12, law 5). */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import {
  firstLine,
  fixture,
  identityOf,
  node,
  spec,
  supervisor,
  survivors,
} from '../fixtures/process/owned.ts'
import { ancestorsOf } from '../../src/process/ancestry.ts'

const graces = { eofMs: 20, termMs: 60, killMs: 5000 }

test(
  'C12: wrapper, agent, a child that ignores TERM and a grandchild in its own session are gone, 20 times of 20',
  { timeout: 120_000 },
  async () => {
    await using owner = supervisor()
    const command = `'${process.execPath}' '${fixture('tree-agent.mjs')}'; :`
    for (let round = 0; round < 20; round += 1) {
      const child = await owner.spawn(spec('sh', ['-c', command], { graces }))
      const pids = JSON.parse(await firstLine(child)) as Record<'agent' | 'child' | 'away', number>
      const members = [child.pid, pids.agent, pids.child, pids.away].map((pid) => identityOf(pid))
      expect(await child.stop()).toEqual({ escaped: [] })
      expect(await survivors(members, 0)).toEqual([])
    }
  },
)

test('C12: the tree ends also when its leader is dead already', async () => {
  await using owner = supervisor()
  const child = await owner.spawn(spec(process.execPath, [fixture('tree-agent.mjs')], { graces }))
  const pids = JSON.parse(await firstLine(child)) as Record<'agent' | 'child' | 'away', number>
  const members = [pids.child, pids.away].map((pid) => identityOf(pid))
  process.kill(child.pid, 'SIGKILL')
  expect(await child.exited).toEqual({ signal: 'SIGKILL' })
  expect(await child.stop()).toEqual({ escaped: [] })
  expect(await survivors(members, 0)).toEqual([])
})

test('a process that left session, parent and environment behind is not found, and nothing claims it was', async () => {
  await using owner = supervisor()
  const away = `
    const { spawn } = require('child_process')
    const child = spawn('sleep', ['1000'], { env: { PATH: process.env.PATH }, detached: true, stdio: 'ignore' })
    console.log(child.pid)
    process.exit(0)`
  const child = await owner.spawn(node(away, { graces }))
  const escapee = identityOf(Number(await firstLine(child)))
  onTestFinished(() => {
    process.kill(escapee.pid, 'SIGKILL')
  })
  await child.exited
  expect(await child.stop()).toEqual({ escaped: [] })
  expect(await survivors([escapee], 0)).toEqual([escapee.pid])
})

test('a process that scrubbed its environment is found as long as its parent lives', async () => {
  await using owner = supervisor()
  const code = `
    const { spawn } = require('child_process')
    const child = spawn('sleep', ['1000'], { env: { PATH: process.env.PATH }, detached: true, stdio: 'ignore' })
    console.log(child.pid)
    setInterval(() => {}, 1000)`
  const child = await owner.spawn(node(code, { graces }))
  const scrubbed = identityOf(Number(await firstLine(child)))
  expect(await child.stop()).toEqual({ escaped: [] })
  expect(await survivors([scrubbed], 0)).toEqual([])
})

test('no signal goes to a process outside the tree, though its command line is the same', async () => {
  const bystander = spawn('sleep', ['1000'], { stdio: 'ignore', detached: true })
  onTestFinished(() => {
    bystander.kill('SIGKILL')
  })
  await once(bystander, 'spawn')
  await using owner = supervisor()
  const [child, sibling] = await Promise.all([
    owner.spawn(spec('sleep', ['1000'], { graces })),
    owner.spawn(spec('sleep', ['1000'], { graces })),
  ])
  await child.stop()
  const others = [bystander.pid ?? 0, sibling.pid].map((pid) => identityOf(pid))
  expect(await survivors(others, 0)).toEqual(others.map(({ pid }) => pid))
})

test('stop is one: a second call gives the same answer, and a process that ends at EOF gets no signal', async () => {
  await using owner = supervisor()
  const child = await owner.spawn(spec('cat', [], { graces: { eofMs: 20_000 } }))
  const stops = [child.stop(), child.stop()]
  expect(await Promise.all(stops)).toEqual([{ escaped: [] }, { escaped: [] }])
  expect(await child.exited).toEqual({ exitCode: 0 })
})

test('an agent is given its grace to flush between TERM and KILL', async () => {
  await using owner = supervisor()
  const code = `
    process.on('SIGTERM', () => setTimeout(() => process.exit(7), 300))
    console.log('up'); setInterval(() => {}, 1000)`
  const child = await owner.spawn(node(code, { graces: { eofMs: 10, termMs: 20_000 } }))
  await firstLine(child)
  await child.stop()
  expect(await child.exited).toEqual({ exitCode: 7 })
})

test('the ancestors of a process are named from the nearest on, with their start times', async () => {
  await using owner = supervisor()
  const child = await owner.spawn(spec('sh', ['-c', 'sleep 1000 & echo $!; wait'], { graces }))
  const below = Number(await firstLine(child))
  expect(ancestorsOf(below).slice(0, 2)).toEqual([identityOf(child.pid), identityOf(process.pid)])
})
