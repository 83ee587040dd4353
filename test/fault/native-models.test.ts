/** Models that an agent with an interface of its own lists: learnt when it is started, known before the next start. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { rememberedOffers } from '../../src/capabilities/remembered.ts'
import type { RememberedOffers } from '../../src/capabilities/remembered.ts'
import type { LogEntry } from '../../src/contract/events.ts'
import type { AgentOffer } from '../../src/contract/offer.ts'
import { claude } from '../fixtures/claude/house.ts'
import { codex } from '../fixtures/codex/house.ts'
import { until } from '../fixtures/house.ts'

const disk = (): RememberedOffers => {
  const dir = mkdtempSync(join(tmpdir(), 'subgate-models-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return rememberedOffers(dir)
}

/** As Codex 0.171.0 gives them, shortened. */
const CODEX_MODELS = [
  {
    id: 'gpt-6.2-sol',
    model: 'gpt-6.2-sol',
    displayName: 'GPT-6.2-Sol',
    description: 'Fast, go-to model for coding and everyday work.',
    hidden: false,
    supportedReasoningEfforts: [
      { reasoningEffort: 'low', description: 'Fast responses with lighter reasoning' },
      { reasoningEffort: 'high', description: 'Greater reasoning depth for complex problems' },
    ],
    defaultReasoningEffort: 'low',
    isDefault: true,
  },
  {
    id: 'gpt-old',
    model: 'gpt-old',
    displayName: 'GPT-Old',
    description: null,
    hidden: false,
    supportedReasoningEfforts: [],
    isDefault: false,
  },
  { id: 'secret', model: 'secret', displayName: 'Secret', hidden: true },
]

const CODEX_EFFORTS = [
  { value: 'low', name: 'low', description: 'Fast responses with lighter reasoning' },
  { value: 'high', name: 'high', description: 'Greater reasoning depth for complex problems' },
]

const CODEX_OFFER: AgentOffer = {
  models: [
    {
      value: 'gpt-6.2-sol',
      name: 'GPT-6.2-Sol',
      efforts: CODEX_EFFORTS,
      description: 'Fast, go-to model for coding and everyday work.',
    },
    { value: 'gpt-old', name: 'GPT-Old', efforts: [] },
  ],
  efforts: CODEX_EFFORTS,
}

describe('Codex', () => {
  test('lists its models when it is first started; later they are known without a process, and not asked for again', async () => {
    const offers = disk()
    const house = codex({ models: CODEX_MODELS }, { offers, warm: false })
    expect(house.provider.offer()).toEqual({})
    expect(house.log()).toEqual([])
    expect((await house.run('hello')).result.status).toBe('completed')
    await until(() => house.provider.offer().models !== undefined)
    expect(house.provider.offer()).toEqual(CODEX_OFFER)
    await house.run('hello')
    expect(house.calls('model/list')).toHaveLength(1)
  })

  test('a list in pages is read to its last page', async () => {
    const pages = [CODEX_MODELS.slice(0, 1), [], CODEX_MODELS.slice(1)]
    const house = codex({ modelPages: { pages } }, { offers: disk() })
    await house.run('hello')
    await until(() => house.provider.offer().models !== undefined)
    expect(house.provider.offer()).toEqual(CODEX_OFFER)
    expect(house.log().flatMap(({ got, params }) => (got === 'model/list' ? [params] : []))).toEqual([
      {},
      { cursor: '1' },
      { cursor: '2' },
    ])
  })

  test('a list whose pages never end is read for twenty pages', async () => {
    const house = codex(
      { modelPages: { pages: [[], CODEX_MODELS.slice(1)], endless: true } },
      { offers: disk() },
    )
    await house.run('hello')
    await until(() => house.provider.offer().models !== undefined)
    expect(house.provider.offer().models?.length).toBe(10)
    expect(house.calls('model/list')).toHaveLength(20)
  })

  test('a list that never comes holds nobody back', async () => {
    const house = codex({ silent: ['model/list'] }, { offers: disk() })
    expect((await house.run('hello')).result.status).toBe('completed')
    expect(house.provider.offer()).toEqual({})
  })

  test('the model and the effort that are chosen are sent with the turn', async () => {
    const house = codex()
    await house.run('hello', { model: 'gpt-old', effort: 'high' })
    expect(house.calls('turn/start')).toMatchObject([{ model: 'gpt-old', effort: 'high' }])
  })
})

/** As Claude Code 2.1.332 gives them, shortened. */
const CLAUDE_MODELS = [
  {
    value: 'default',
    resolvedModel: 'claude-opus-5-5',
    displayName: 'Default (recommended)',
    supportedEffortLevels: ['low', 'medium'],
  },
  {
    value: 'opus',
    resolvedModel: 'claude-opus-5-5',
    displayName: 'Opus',
    description: 'Opus 5.5 · Best for everyday, complex tasks',
    supportsEffort: true,
    supportedEffortLevels: ['low', 'max'],
  },
  { value: 'haiku', displayName: 'Haiku' },
]

describe('Claude Code', () => {
  test('names its models in its greeting; later they are known without a process', async () => {
    const offers = disk()
    const house = claude({ greeting: { models: CLAUDE_MODELS } }, { offers })
    expect(house.provider.offer()).toEqual({})
    expect(house.starts()).toEqual([])
    expect((await house.run('hello')).result.status).toBe('completed')
    expect(house.provider.offer()).toEqual({
      models: [
        {
          value: 'opus',
          name: 'Opus',
          efforts: [
            { value: 'low', name: 'low' },
            { value: 'max', name: 'max' },
          ],
          description: 'Opus 5.5 · Best for everyday, complex tasks',
        },
        { value: 'haiku', name: 'Haiku', efforts: [] },
      ],
      efforts: [
        { value: 'low', name: 'low' },
        { value: 'medium', name: 'medium' },
      ],
    })
  })

  test('names its slash commands too, in its greeting and as each turn begins', async () => {
    const commands = [
      { name: 'review', description: 'Review a change', argumentHint: '<change>' },
      { name: 'clear', description: 'Begin anew', argumentHint: '' },
      { name: 'exit', description: 'Leave', argumentHint: '' },
      { name: 'two words', description: 'Never typed', argumentHint: '' },
    ]
    const review = { name: 'review', description: 'Review a change', input: { hint: '<change>' } }
    const later = { name: 'tidy', description: 'Tidy up' }
    const init = {
      type: 'system',
      subtype: 'init',
      slash_commands: ['review', 'clear', 'exit', 'mine', 'two words'],
      terminal_slash_commands: ['exit'],
    }
    const changed = { type: 'system', subtype: 'commands_changed', commands: [later] }
    const house = claude(
      {
        greeting: { commands },
        turns: {
          hello: [{ line: init }, { say: 'hi' }],
          again: [{ line: { ...init, slash_commands: ['review', 'mine'] } }, { line: changed }],
        },
      },
      { offers: disk() },
    )
    const run = await house.start('hello', { keep: true })
    const told = async (events: AsyncIterable<LogEntry>): Promise<readonly unknown[]> =>
      (await Array.fromAsync(events)).flatMap(({ event }) =>
        event.type === 'session/update' && event.update.sessionUpdate === 'available_commands_update'
          ? [event.update.availableCommands]
          : [],
      )
    const mine = { name: 'mine', description: 'mine' }
    expect(await told(run.events())).toEqual([[review, mine]])
    const session = { from: 'resume', sessionId: run.sessionId } as const
    const next = await house.start('again', { session })
    expect(await told(next.events({ after: 0 }))).toContainEqual([later])
    expect(house.provider.offer()).toEqual({ commands: [later] })
  })

  test('a command of its own reaches it as it was typed', async () => {
    const house = claude()
    await house.run('/review the last change')
    expect(house.log().flatMap(({ prompt }) => prompt ?? [])).toEqual(['/review the last change'])
  })

  test('a greeting without models leaves what was known', async () => {
    const offers = disk()
    const house = claude({}, { offers })
    expect((await house.run('hello')).result.status).toBe('completed')
    expect(house.provider.offer()).toEqual({})
  })
})
