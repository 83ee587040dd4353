/** What a built-in agent is composed of: persona, tool filter, and all of it again on resume (B6, B7, B9). */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sessionId } from '../../../src/contract/ids.ts'
import type { SessionEvent, SubagentDescriptor } from '../../../src/contract/events.ts'
import type { Preset, PresetSource } from '../../../src/contract/request.ts'
import { runId } from '../../../src/contract/ids.ts'
import { sharedScopes } from '../../../src/providers/in-process/shared.ts'
import { foldRegisters } from '../../../src/sessions/registers.ts'
import { rejection } from '../../fixtures/house.ts'
import { call, delegate, listening, systemOf, toolResults, toolsIn } from '../../fixtures/in-process.ts'
import type { Agents } from '../../fixtures/in-process.ts'

const presets = (...all: readonly Preset[]): PresetSource => ({
  find: async (name) => all.find((preset) => preset.name === name),
  names: async () => all.map(({ name }) => name),
})

const DESCRIPTOR: SubagentDescriptor = {
  type: 'subagent/descriptor',
  version: 2,
  provider: 'spawn',
  mode: 'kept',
  model: 'rehearsal',
}

const CHILD = sessionId('ses_child')
const resume = { session: { from: 'resume', sessionId: CHILD } } as const

/** A child as an older version stored it. */
const storeChild = (home: Agents, ...events: readonly SessionEvent[]): void => {
  const settled: SessionEvent = { type: 'run/settled', status: 'completed', denied: [], durationMs: 1 }
  const started: SessionEvent = { type: 'run/started', provider: 'spawn', depth: 1 }
  const all = [...events, { type: 'session/native_id', nativeId: CHILD } as const, started, settled]
  const run = runId('run_old')
  const entries = all.map((event, index) => ({
    seq: index + 1,
    at: 0,
    ...(event.type.startsWith('run/') && { runId: run }),
    event,
  }))
  const header = {
    id: CHILD,
    rootId: sessionId('ses_root'),
    parentId: sessionId('ses_root'),
    provider: 'spawn',
    depth: 1,
    cwd: home.workspace,
    createdAt: 0,
    prefix: [],
  }
  home.store.publish(header, entries, foldRegisters(entries))
}

const IDENTITY = 'You are a coding agent.'

test.each([
  [
    'shadows the persona of the deployment for this child alone',
    'You are a gardener.',
    'You are a gardener.',
  ],
  ['that is empty shadows it with nothing', '', ''],
])('B6.1, B9.3: a historical persona %s', async (_title, persona, said) => {
  const { home, asked } = listening()
  await using _ = home
  storeChild(home, { ...DESCRIPTOR, persona })
  expect((await home.play('say: done', resume)).status).toBe('completed')
  await home.play('say: done')
  expect(asked[0] && systemOf(asked[0])).not.toContain(IDENTITY)
  expect(asked[0] && systemOf(asked[0])).toContain(said)
  expect(asked[1] && systemOf(asked[1])).toContain(IDENTITY)
})

test.each<[string, NonNullable<Preset['instructions']>, string]>([
  ['appends', { mode: 'append', text: 'Be brief.' }, 'deployment:persona-prefix, preset:instructions'],
  ['replaces', { mode: 'replace', text: 'Be brief.' }, 'deployment:persona-prefix'],
  ['appends nothing', { mode: 'append', text: '' }, 'deployment:persona-prefix'],
])('the rehearsal model names the sections of a prompt to which a preset %s', async (...row) => {
  const [, instructions, sections] = row
  const { home } = listening({ presets: presets({ name: 'p', instructions }) })
  await using _ = home
  const { text } = await home.play('What is there?', { preset: 'p' })
  expect(text.split('\n')).toContain(`system: ${sections}`)
})

test('B6.1: an omitted persona keeps the composed one', async () => {
  const { home, asked } = listening()
  await using _ = home
  storeChild(home, DESCRIPTOR)
  await home.play('say: done', resume)
  expect(asked[0] && systemOf(asked[0])).toContain(IDENTITY)
})

test.each([
  ['a persona with an unknown variable', { persona: 'Hello {{nobody}}.' }, 'nobody'],
  ['a filter that names no tool of today', { toolFilter: { allow: ['reed'] } }, 'reed'],
] as const)(
  'B6.2, B7.3, B9.3: %s makes a child NOT_RESUMABLE, with the reason',
  async (_title, old, named) => {
    const { home, asked } = listening()
    await using _ = home
    storeChild(home, { ...DESCRIPTOR, ...old })
    const before = home.entries(CHILD)
    const error = await rejection(home.start('say: done', resume))
    expect(error.code).toBe('NOT_RESUMABLE')
    expect(error.message).toContain(named)
    expect(home.entries(CHILD)).toEqual(before)
    expect(asked).toEqual([])
  },
)

test('B7.1, B9.3: a historical filter holds again for a child that is taken up cold', async () => {
  const { home, asked } = listening()
  await using _ = home
  storeChild(home, { ...DESCRIPTOR, toolFilter: { allow: ['read'] } })
  const file = join(home.workspace, 'filtered')
  const { sessionId: id } = await home.play(
    [call('write', { path: file, content: 'x' }), 'say: done'].join('\n'),
    resume,
  )
  expect(toolsIn(asked, 0)).toEqual(['read'])
  expect(toolResults(home.entries(id))[0]).toMatch(/^failed: .*write/u)
  expect(existsSync(file)).toBe(false)
})

test('B3.7: a child that was stored before the pin follows the approval default of the deployment', async () => {
  const { home } = listening()
  await using _ = home
  storeChild(home, DESCRIPTOR)
  await home.play(call('write', { path: '/beyond', content: 'x' }), resume)
  const decided = home
    .entries(CHILD)
    .flatMap(({ event }) => (event.type === 'approval/decided' ? [event] : []))
  expect(decided).toMatchObject([{ decision: 'rejected', by: 'answerer' }])
})

test('B9.3, B14: a child that was created with a preset has its instructions and tools again when it is taken up cold', async () => {
  const preset: Preset = {
    name: 'reader',
    instructions: { mode: 'replace', text: 'You only read.' },
    tools: { allow: ['Read', 'Glob'] },
  }
  const { home, asked } = listening({ presets: presets(preset) })
  await using _ = home
  const parent = { sessionId: (await home.play('say: ready', { keep: true })).sessionId }
  const child = await home.play('say: one', { parent, preset: 'reader', keep: true })
  await home.runtime.close(child.sessionId)
  await home.play('say: two', { parent, session: { from: 'resume', sessionId: child.sessionId } })
  expect(toolsIn(asked, 1)).toEqual(['read', 'glob'])
  expect(toolsIn(asked, 2)).toEqual(['read', 'glob'])
  expect(asked[1] && systemOf(asked[1])).toContain('You only read.')
  expect(asked[2] && systemOf(asked[2])).toBe(asked[1] && systemOf(asked[1]))
})

test('B9.3: a child whose preset is gone is NOT_RESUMABLE, never one without it', async () => {
  const known: Preset[] = [{ name: 'reader', tools: { allow: ['Read'] } }]
  const { home } = listening({
    presets: { find: async () => known[0], names: async () => known.map(({ name }) => name) },
  })
  await using _ = home
  const parent = { sessionId: (await home.play('say: ready', { keep: true })).sessionId }
  const child = await home.play('say: one', { parent, preset: 'reader', keep: true })
  await home.runtime.close(child.sessionId)
  known.pop()
  const again = { parent, session: { from: 'resume', sessionId: child.sessionId } } as const
  const error = await rejection(home.start('say: two', again))
  expect(error.code).toBe('NOT_RESUMABLE')
  expect(error.message).toContain('reader')
})

test('B9.1: the descriptor is hidden from the model, and comes before the first request', async () => {
  const { home, asked } = listening()
  await using _ = home
  await home.play(delegate('subagent', 'say: done'))
  const child = home.entries(home.ids[1]).map(({ event }) => event.type)
  expect(child.indexOf('subagent/descriptor')).toBeLessThan(child.indexOf('run/started'))
  expect(child.filter((type) => type === 'subagent/descriptor')).toHaveLength(1)
  expect(JSON.stringify(asked)).not.toContain('descriptor')
})

test('B7.1, B7.2: a filtered tool is invisible, refuses its exact name, and a schema tool stands beside the filter', async () => {
  const { home, asked } = listening({ presets: presets({ name: 'few', tools: { allow: ['Read'] } }) })
  await using _ = home
  const file = join(home.workspace, 'filtered')
  const prompt = [call('write', { path: file, content: 'x' }), call('submit_result', { n: 1 })].join('\n')
  const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
  const result = await home.play(prompt, { preset: 'few', outputSchema })
  expect(toolsIn(asked, 0)).toEqual(['read', 'submit_result'])
  expect(toolResults(home.entries(result.sessionId))[0]).toMatch(/^failed: .*"?write"?/u)
  expect(existsSync(file)).toBe(false)
  expect(result.structured).toEqual({ n: 1 })
})

test('B7.3: a filter with a typo is refused with the known names, and nothing is published', async () => {
  const { home } = listening({ presets: presets({ name: 'typo', tools: { allow: ['Raed'] } }) })
  await using _ = home
  const error = await rejection(home.start('say: done', { preset: 'typo' }))
  expect(error.code).toBe('INVALID_REQUEST')
  expect(error.message).toContain('Read')
  expect(home.ids).toEqual([])
})

test.each([
  ['a deny-only filter admits', { deny: ['Write'] }, true],
  ['an allow list excludes', { allow: ['Read'] }, false],
] as const)(
  'B7.4: %s a tool that the deployment adds later; once removed it is out of every view',
  async (...row) => {
    const [, tools, admitted] = row
    const shared = sharedScopes()
    const { home, asked } = listening({ presets: presets({ name: 'some', tools }), deployment: { shared } })
    await using _ = home
    const { sessionId: id } = await home.play('say: one', { preset: 'some', keep: true })
    const session = { from: 'resume', sessionId: id } as const
    const added = shared.tools.add({
      name: 'later',
      kind: 'other',
      description: 'A tool that came later.',
      inputSchema: { type: 'object' },
      run: async () => ({ text: 'ran' }),
    })
    await home.play('say: two', { session })
    added[Symbol.dispose]()
    await home.play('say: three', { session })
    expect(asked.map((_request, index) => toolsIn(asked, index).includes('later'))).toEqual([
      false,
      admitted,
      false,
    ])
  },
)

test('B7.5: a preset leaves out the delegation tools at any depth, and the prompt speaks of no tool that is missing', async () => {
  const { home, asked } = listening({ presets: presets({ name: 'alone', tools: { allow: ['Read'] } }) })
  await using _ = home
  await home.play('say: done', { preset: 'alone' })
  expect(toolsIn(asked, 0)).toEqual(['read'])
  const [request] = asked
  for (const absent of ['`edit`', '`write`', '`grep`', 'subagent'])
    expect(request && systemOf(request)).not.toContain(absent)
  await home.play('say: done')
  expect(toolsIn(asked, 1)).toEqual([...FILES, 'subagent', 'clone', ...CONTROL])
})

const FILES = ['read', 'write', 'edit', 'glob', 'grep', 'ask']
const CONTROL = ['send_message', 'interrupt_agent', 'list_agents']

test('B12.1: kept children alone can report; a preset may name the tool for those that have it', async () => {
  const tools = { allow: ['Read', 'report', 'list_agents'] }
  const { home, asked } = listening({ presets: presets({ name: 'teller', tools }) })
  await using _ = home
  const root = await home.play('say: done', { keep: true })
  const parent = { sessionId: root.sessionId }
  await home.play('say: done', { parent })
  await home.play('say: done', { parent, keep: true })
  await home.play('say: done', { parent, preset: 'teller' })
  await home.play('say: done', { parent, preset: 'teller', keep: true })
  const all = [...FILES, 'subagent', 'clone', ...CONTROL]
  expect([1, 2, 3, 4].map((index) => toolsIn(asked, index))).toEqual([
    all,
    [...all, 'report'],
    ['read', 'list_agents'],
    ['read', 'list_agents', 'report'],
  ])
})
