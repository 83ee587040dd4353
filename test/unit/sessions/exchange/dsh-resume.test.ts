/** A child of dsh 0.1.0-rc.8 goes on here as it was composed there, or not at all (B9.3, B9.4). */
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { expect, test } from 'vitest'
import { claims } from '../../../../src/capabilities/rows.ts'
import { sessionId } from '../../../../src/contract/ids.ts'
import type { SubagentProvider } from '../../../../src/contract/provider.ts'
import { memoryStore } from '../../../../src/sessions/memory-store.ts'
import type { Store } from '../../../../src/sessions/store.ts'
import { agents, call, overheard, systemOf, toolResults, toolsIn } from '../../../fixtures/in-process.ts'
import type { Agents, AgentsOptions, Asked } from '../../../fixtures/in-process.ts'
import { bring, dsh, entriesOf, textOf } from './rig.ts'

const CHILD = sessionId('child-1')
const PERSONA = 'You are a proofreader. You read, and you never write.'

/** A house with imported sessions of dsh, its model overheard and played by the rehearsal model. */
const importing = async (
  file: string,
  options: AgentsOptions = {},
): Promise<{ home: Agents; store: Store; asked: Asked; models: string[] }> => {
  const store = memoryStore()
  await bring(store, [dsh('root.jsonl.zstd'), dsh(file)])
  const asked: Asked = []
  const models: string[] = []
  const loadModel = (ref: string) => {
    models.push(ref)
    return overheard(asked)('rehearsal')
  }
  return { home: agents({ ...options, store, deployment: { loadModel } }), store, asked, models }
}

const resume = { session: { from: 'resume', sessionId: CHILD } } as const

const conversation = ({ prompt }: LanguageModelV4CallOptions): readonly string[] =>
  prompt.flatMap(({ role, content }) =>
    typeof content === 'string'
      ? []
      : content.map((part) => {
          if (part.type === 'tool-call') return `${role} calls ${part.toolName} ${JSON.stringify(part.input)}`
          if (part.type === 'tool-result') return `${role} ${JSON.stringify(part.output)}`
          return part.type === 'text' ? `${role}: ${part.text.split('\n', 1)[0]}` : `${role} ${part.type}`
        }),
  )

test('it is resumed under its persona, its tool filter and its model, with its whole conversation', async () => {
  const { home, store, asked, models } = await importing('child.jsonl.zstd')
  await using _ = home
  const script = [call('write', { path: 'notes.txt', content: 'x' }), 'say: I only read.'].join('\n')
  const result = await home.play(script, resume)
  expect(result).toMatchObject({
    status: 'completed',
    sessionId: 'child-1',
    parentSessionId: 'root-1',
    depth: 1,
    text: 'I only read.',
  })
  expect(models).toEqual(['deepseek/deepseek-chat'])
  const [first] = asked as [LanguageModelV4CallOptions]
  expect(systemOf(first)).toMatch(new RegExp(`^${PERSONA}`, 'u'))
  expect(toolsIn(asked, 0).toSorted()).toEqual(['grep', 'read'])
  expect(conversation(first).slice(0, 10)).toEqual([
    'user: Find the typo in notes.txt.',
    'user: Current runtime context. This snapshot supersedes earlier runtime-context snapshots.',
    'assistant: I read the file first.',
    'assistant calls read {"path":"notes.txt"}',
    'tool {"type":"text","value":"The quick brown fox\\njumps over teh lazy dog.\\n"}',
    'assistant calls read {"path":"missing.txt"}',
    'tool {"type":"error-text","value":"Error: There is no file missing.txt."}',
    'assistant: The typo is "teh" in line 2 of notes.txt.',
    'user: Is there another one?',
    'assistant: No, that was the only one in the file.',
  ])
  // Filtered means that it also refuses to run when it is called by its exact name (B7.1).
  expect(toolResults(entriesOf(store, CHILD)).at(-1)).toMatch(/^failed: .*write/u)
  expect(store.get(CHILD)?.registers).toMatchObject({ sandbox: 'read-only', approvalPolicy: 'never' })
})

const without = (provider: SubagentProvider): SubagentProvider => ({
  ...provider,
  capabilities: { ...provider.capabilities, persona: 'none', toolFilter: 'none' },
})

test('a provider without persona and tool filter refuses it by name, and it stays as it was (B1.5)', async () => {
  const opened: string[] = []
  const wrap = (provider: SubagentProvider): SubagentProvider => ({
    ...without(provider),
    open: (request, setup) => {
      opened.push(provider.name)
      return provider.open(request, setup)
    },
  })
  const { home, store } = await importing('child.jsonl.zstd', { wrap })
  await using _ = home
  const before = textOf(store, CHILD)
  await expect(home.start('say: Hello.', resume)).rejects.toMatchObject({
    code: 'UNSUPPORTED_CAPABILITY',
    data: { provider: 'spawn', missing: ['persona', 'toolFilter'] },
  })
  expect(opened).toEqual([])
  expect(textOf(store, CHILD)).toBe(before)
})

test('one that only appends instructions refuses its persona, since a persona replaces (B6.1)', async () => {
  const wrap = (provider: SubagentProvider): SubagentProvider => ({
    ...provider,
    capabilities: { ...provider.capabilities, persona: 'emulated' },
  })
  const { home } = await importing('child.jsonl.zstd', { wrap })
  await using _ = home
  await expect(home.start('say: Hello.', resume)).rejects.toMatchObject({
    code: 'UNSUPPORTED_CAPABILITY',
    data: { missing: ['persona'] },
  })
})

test('under another name in dsh it belongs to the provider of that name here, whose gate is the same', async () => {
  const reviewers: SubagentProvider = {
    name: 'reviewers',
    capabilities: claims({ resume: 'native', sandbox: 'native', model: 'native' }),
    negotiated: [],
    inheritsParentContext: false,
    open: () => Promise.reject(new Error('not to be opened')),
  }
  const { home } = await importing('reviewers-child.jsonl', { providers: [{ provider: reviewers }] })
  await using _ = home
  await expect(home.start('say: Hello.', resume)).rejects.toMatchObject({
    code: 'NOT_RESUMABLE',
    data: { reason: 'it belongs to the provider reviewers' },
  })
  await expect(home.start('say: Hello.', { ...resume, provider: 'reviewers' })).rejects.toMatchObject({
    code: 'UNSUPPORTED_CAPABILITY',
    data: { provider: 'reviewers', missing: ['persona', 'toolFilter'], alternatives: ['spawn'] },
  })
})

test('its parent is resumed too, and may go on with it; another session may not (B11.1)', async () => {
  const { home, store } = await importing('child.jsonl.zstd')
  await using _ = home
  const parent = await home.start('hang:', { session: { from: 'resume', sessionId: sessionId('root-1') } })
  const child = await home.start('say: For you.', { ...resume, parent: { sessionId: sessionId('root-1') } })
  expect(await child.result).toMatchObject({
    status: 'completed',
    text: 'For you.',
    parentSessionId: 'root-1',
  })
  const other = await home.start('hang:')
  await expect(
    home.start('say: For me.', { ...resume, parent: { sessionId: other.sessionId } }),
  ).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  parent.cancel()
  other.cancel()
  await Promise.all([parent.result, other.result])
  expect(store.get(CHILD)?.registers.lastStatus).toBe('completed')
})

test('a child that was forked there goes on with what it inherited', async () => {
  const { home, asked } = await importing('fork.jsonl.zstd')
  await using _ = home
  const result = await home.play('say: On it goes.', {
    provider: 'fork',
    session: { from: 'resume', sessionId: sessionId('fork-1') },
  })
  expect(result).toMatchObject({ status: 'completed', text: 'On it goes.' })
  expect(conversation(asked[0] as LanguageModelV4CallOptions).slice(0, 5)).toEqual([
    'user: Look after the proofreading of notes.txt.',
    'user: Current runtime context. This snapshot supersedes earlier runtime-context snapshots.',
    'assistant: Heard: Look after the proofreading of notes.txt.',
    'user: Run out of room.',
    'user: Current runtime context. This snapshot supersedes earlier runtime-context snapshots.',
  ])
})

test('a one-shot child, whose composition dsh never wrote down, can be read and not resumed', async () => {
  const { home, store } = await importing('one-shot.jsonl.zstd')
  await using _ = home
  const [one] = store.list({ parentId: sessionId('root-1'), limit: 5 })
  expect(one?.header).toMatchObject({ label: 'greeter', depth: 1, rootId: 'root-1' })
  await expect(
    home.start('say: Hello.', { session: { from: 'resume', sessionId: one?.header.id ?? CHILD } }),
  ).rejects.toMatchObject({ code: 'NOT_RESUMABLE' })
})
