/** The checker of ACP agents, as people run it, finds every requirement met by our own face. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { PROGRAM } from './built.ts'
import { Rig } from './cli-rig.ts'

interface Report {
  readonly verdict: string
  readonly summary: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly requirements: readonly {
    readonly id: string
    readonly level: string
    readonly status: string
    readonly detail?: string
  }[]
}

/** What was neither passed nor recorded, and is owed. */
const amiss = ({ requirements }: Report): readonly string[] =>
  requirements
    .filter(({ status }) => status === 'failed' || status === 'not_tested')
    .map(({ id, status, detail = '' }) => `${id} ${status}: ${detail}`)

/** It has no modes of its own, no sign-in here, and no other agent behind it. */
const NOT_OWED: readonly string[] = [
  'ACP-MODES-001',
  'ACP-MODES-002',
  'ACP-AUTH-003',
  'ACP-AUTH-004',
  'SUBGATE-GATEWAY-001',
  'SUBGATE-GATEWAY-002',
  'SUBGATE-GATEWAY-003',
  'SUBGATE-GATEWAY-004',
]

const notOwed = ({ requirements }: Report): readonly string[] =>
  requirements.flatMap(({ id, status }) => (status === 'not_advertised' ? [id] : []))

/** Longer than any other call of the program takes. */
const check = async (
  rig: Rig,
  ...words: readonly string[]
): Promise<{ report: Report; code: number | null }> => {
  const child = spawn(process.execPath, [PROGRAM, ...CHECK, ...words], {
    cwd: rig.work,
    env: rig.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [stdout, [code]] = await Promise.all([
    text(child.stdout),
    once(child, 'exit') as Promise<[number | null]>,
  ])
  return { report: JSON.parse(stdout) as Report, code }
}

const CHECK = ['conformance', '--acp', '--json', '--reuse', '--jobs', '3']
const PROMPTS = [
  ['--cancel-prompt', 'say: Once upon a time.\nhang:'],
  ['--files-prompt', 'call write: {"path": "notes.txt", "content": "x"}\ncall bash: {"command": "ls"}'],
  ['--delegate-prompt', 'delegate one: say: It is done.'],
  ['--delegate-long-prompt', 'delegate one: hang:\nalso delegate other: hang:'],
]

test('subgate acp with the built-in agent: every requirement, those on subagents too, is met', async () => {
  await using rig = new Rig()
  rig.configure({ defaultProvider: 'spawn', model: 'rehearsal' })
  const given = ['XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_DATA_HOME', 'NODE_COMPILE_CACHE']
  const { report, code } = await check(
    rig,
    ...PROMPTS.flat(),
    ...given.flatMap((name) => ['--env', name]),
    '--',
    process.execPath,
    PROGRAM,
    'acp',
  )
  expect(amiss(report)).toEqual([])
  expect(notOwed(report)).toEqual(NOT_OWED)
  expect(report.verdict).toBe('conformant')
  expect(code).toBe(0)
}, 240_000)

test('subgate acp before another agent: every requirement, those on gateways too, is met', async () => {
  await using rig = new Rig()
  const { stdout, code } = await rig.run([
    ...CHECK,
    '--gateway',
    '--',
    process.execPath,
    PROGRAM,
    'acp',
    '--',
  ])
  const report = JSON.parse(stdout) as Report
  expect(amiss(report)).toEqual([])
  expect(report.verdict).toBe('conformant')
  expect(code).toBe(0)
}, 240_000)
