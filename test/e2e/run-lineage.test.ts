/** Delegation by way of the command line: how deep a child stands, and what it can't pretend (C25, B2). */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import { PROGRAM } from './built.ts'
import { documentOf, EXAMPLE, fake, Rig, shellAgent } from './cli-rig.ts'
import type { Document } from './cli-rig.ts'

const CLI = ['--env', `SUBGATE_CLI=${JSON.stringify([process.execPath, PROGRAM])}`]

const delegate = (rig: Rig, prompt: string, ...flags: readonly string[]) =>
  rig.run(['run', '--json', ...CLI, ...flags, prompt, ...EXAMPLE])

test('C25: a child stands at depth 1, and its own child is refused with the numbers', async () => {
  await using rig = new Rig()
  rig.write('notes.md', 'one two\n')
  expect(documentOf(await delegate(rig, 'delegate count words in notes.md'))).toMatchObject({
    status: 'completed',
    depth: 0,
    text: 'notes.md has 2 words.',
  })
  const deeper = documentOf(await delegate(rig, 'delegate delegate count words in notes.md'))
  expect(deeper.text).toMatch(/^DEPTH_EXCEEDED: /u)
})

test('C25: a configured cap counts on this route, and a child can not raise it', async () => {
  await using rig = new Rig()
  rig.write('notes.md', 'one two\n')
  rig.configure({ subagent: { maxDepth: 2 } })
  const allowed = documentOf(await delegate(rig, 'delegate delegate count words in notes.md'))
  expect(allowed.text).toBe('notes.md has 2 words.')
  rig.configure({ subagent: { maxDepth: 0 } })
  expect(documentOf(await delegate(rig, 'delegate count words in notes.md')).text).toMatch(
    /^DEPTH_EXCEEDED: /u,
  )
})

/** What the child's own command line printed, from within an agent that ran it. */
const childOf = async (rig: Rig, prefix: string, ...flags: readonly string[]): Promise<Document> => {
  const command = [
    process.execPath,
    PROGRAM,
    'run',
    '--json',
    ...flags,
    'x',
    ...fake([...acpHandshake(), ...acpTurn(['hi'])]),
  ]
  const line = `${prefix} ${command.map((word) => `'${word}'`).join(' ')}`
  const { text = '' } = documentOf(await rig.run(['run', '--json', 'go', ...shellAgent(rig, line)]))
  return JSON.parse(text) as Document
}

test('C25: the child knows its place by its token', async () => {
  await using rig = new Rig()
  expect(await childOf(rig, '')).toMatchObject({ type: 'result', depth: 1, text: 'hi', exitCode: 0 })
})

test('C25: without its environment it is found by the recorded process above it', async () => {
  await using rig = new Rig()
  const { HOME, PATH, XDG_STATE_HOME } = rig.env
  const prefix = `env -i HOME='${HOME}' PATH='${PATH}' XDG_STATE_HOME='${XDG_STATE_HOME}'`
  expect(await childOf(rig, prefix)).toMatchObject({ type: 'result', depth: 1 })
})

test('C25: a token that was tampered with, is empty or comes from elsewhere starts nothing: exit 7', async () => {
  await using rig = new Rig()
  for (const token of ['"${SUBGATE_LINEAGE}x"', '"x$SUBGATE_LINEAGE"', '""', 'e30.AAAA']) {
    const child = await childOf(rig, `SUBGATE_LINEAGE=${token}`)
    expect(child).toMatchObject({ type: 'error', error: { code: 'LINEAGE_INVALID' }, exitCode: 7 })
  }
})

test('C25: a token that outlived its run is refused', async () => {
  await using rig = new Rig()
  const dump = fake([...acpHandshake(), ...acpTurn([{ dump: ['env'] }])])
  const { text = '' } = documentOf(await rig.run(['run', '--json', 'x', ...dump]))
  const { env } = JSON.parse(text) as { env: Record<string, string> }
  const token = env['SUBGATE_LINEAGE'] ?? ''
  expect(token).toMatch(/^[\w-]+\.[\w-]+$/u)
  const ended = await rig.run(['run', '--json', 'x', ...dump], { env: { SUBGATE_LINEAGE: token } })
  expect(ended.code).toBe(7)
  expect(documentOf(ended)).toMatchObject({ error: { code: 'LINEAGE_INVALID' } })
})

test('C25: --max-depth asks for more than this agent can promise, and is refused by name', async () => {
  await using rig = new Rig()
  const log = join(rig.root, 'log')
  const ended = await rig.run(['run', '--json', '--max-depth', '1', 'x', ...fake([{ log }])])
  expect(documentOf(ended)).toMatchObject({ error: { data: { missing: ['depthLimit'] } }, exitCode: 6 })
})
