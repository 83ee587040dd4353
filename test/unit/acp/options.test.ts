/** The options of a chat, as an editor shows them. */
import { describe, expect, test } from 'vitest'
import { configOptionsOf, readChoice } from '../../../src/acp/options.ts'
import type { OptionsView } from '../../../src/acp/options.ts'
import { claims } from '../../../src/capabilities/rows.ts'
import { valuesOf } from '../../../src/contract/offer.ts'
import type { AgentOffer } from '../../../src/contract/offer.ts'

const agents = [
  { name: 'spawn', title: 'Built-in agent' },
  { name: 'codex', title: 'Codex' },
]

const view = (more: Partial<OptionsView> = {}): OptionsView => ({
  agents,
  agent: 'codex',
  rows: claims({}),
  offer: {},
  controls: {},
  policy: 'ask',
  booleans: false,
  ...more,
})

const ids = (more: Partial<OptionsView>): readonly string[] => configOptionsOf(view(more)).map(({ id }) => id)

const modes: AgentOffer['modes'] = {
  currentModeId: 'ask',
  availableModes: [
    { id: 'ask', name: 'Ask' },
    { id: 'auto', name: 'Auto', description: 'Edits at once' },
  ],
}

const everything = claims({
  sandbox: 'native',
  permissions: 'native',
  depthLimit: 'native',
  model: 'native',
  effort: 'native',
})

describe('which are there', () => {
  test('of an agent without rows only the choice of the agent, and none where that is given', () => {
    expect(ids({})).toEqual(['agent'])
    expect(ids({ agents: [] })).toEqual([])
  })

  test('agent, mode, model, thought level, and then the rest, each in its category', () => {
    const offer: AgentOffer = {
      modes,
      models: [{ value: 'a', name: 'A' }],
      efforts: [{ value: 'high', name: 'High' }],
      configOptions: [
        { type: 'boolean', id: 'web', name: 'Web search', currentValue: true },
        {
          type: 'select',
          id: 'tone',
          name: 'Tone',
          currentValue: 'dry',
          options: [{ value: 'dry', name: 'Dry' }],
        },
      ],
    }
    const shown = configOptionsOf(view({ offer, rows: everything }))
    expect(shown.map(({ id, category }) => [id, category])).toEqual([
      ['agent', 'other'],
      ['mode', 'mode'],
      ['model', 'model'],
      ['effort', 'thought_level'],
      ['web', undefined],
      ['tone', undefined],
      ['sandbox', 'other'],
      ['permission', 'other'],
      ['maxDepth', 'other'],
    ])
  })

  test('no model is offered where none is listed, or the agent takes none', () => {
    const models = [{ value: 'a', name: 'A' }]
    expect(ids({ rows: everything, agents: [] })).not.toContain('model')
    expect(ids({ offer: { models }, agents: [] })).toEqual([])
    expect(ids({ offer: { models }, rows: claims({ model: 'native' }), agents: [] })).toEqual(['model'])
  })

  test("an agent's own option for the model, the mode or the thought level stands in place of Subgate's", () => {
    const own = (id: string, category: string) => ({
      type: 'select' as const,
      id,
      name: id,
      category,
      currentValue: 'x',
      options: [{ value: 'x', name: 'X' }],
    })
    const offer: AgentOffer = {
      modes,
      models: [{ value: 'a', name: 'A' }],
      efforts: [{ value: 'high', name: 'High' }],
      configOptions: [own('think', 'thought_level'), own('llm', 'model'), own('approval', 'mode')],
    }
    const rows = claims({ model: 'native', effort: 'native' })
    expect(ids({ offer, rows, agents: [] })).toEqual(['approval', 'llm', 'think'])
  })
})

describe('what they show', () => {
  test('ACP-CONFIG-003: a switch of the agent is a choice of two where the editor has no switches', () => {
    const offer: AgentOffer = {
      configOptions: [{ type: 'boolean', id: 'web', name: 'Web search', currentValue: true }],
    }
    expect(configOptionsOf(view({ agents: [], offer }))).toEqual([
      {
        type: 'select',
        id: 'web',
        name: 'Web search',
        currentValue: 'true',
        options: [
          { value: 'true', name: 'On' },
          { value: 'false', name: 'Off' },
        ],
      },
    ])
    expect(configOptionsOf(view({ agents: [], offer, booleans: true }))).toEqual(offer.configOptions)
    expect(readChoice(view({ agents: [], offer }), 'web', 'false')).toEqual({
      own: { configId: 'web', value: false },
    })
  })

  test('models of several makers stand in groups, and one that is not listed is shown too', () => {
    const models = [
      { value: 'o/1', name: 'One', group: 'OpenAI' },
      { value: 'a/1', name: 'Uno', group: 'Anthropic' },
      { value: 'o/2', name: 'Two', group: 'OpenAI' },
    ]
    const [model] = configOptionsOf(
      view({ agents: [], offer: { models }, rows: claims({ model: 'native' }), controls: { model: 'x' } }),
    )
    expect(model).toMatchObject({
      currentValue: 'x',
      options: [
        { group: 'default', options: [{ value: 'default' }, { value: 'x' }] },
        { group: 'OpenAI', options: [{ value: 'o/1' }, { value: 'o/2' }] },
        { group: 'Anthropic', options: [{ value: 'a/1' }] },
      ],
    })
  })

  test('ACP-CONFIG-001: what is chosen is always among the values', () => {
    const controls = {
      sandbox: 'read-only',
      permission: 'deny',
      maxDepth: 7,
      model: 'x',
      effort: 'odd',
    } as const
    const offer = { models: [{ value: 'a', name: 'A' }], efforts: [{ value: 'high', name: 'High' }] }
    for (const chosen of [{}, controls])
      for (const option of configOptionsOf(view({ rows: everything, offer, controls: chosen }))) {
        if (option.type !== 'select') continue
        const values = option.options.flatMap((entry) =>
          'options' in entry ? entry.options.map(({ value }) => value) : [entry.value],
        )
        expect(values).toContain(option.currentValue)
      }
  })
})

describe('what is chosen', () => {
  test('is a control, the agent, or one of its own', () => {
    const all = view({ rows: everything, offer: { modes } })
    expect(readChoice(all, 'agent', 'spawn')).toEqual({ agent: 'spawn' })
    expect(readChoice(all, 'mode', 'auto')).toEqual({ own: { modeId: 'auto' } })
    expect(readChoice(all, 'sandbox', 'read-only')).toEqual({ control: 'sandbox', value: 'read-only' })
    expect(readChoice(all, 'sandbox', 'default')).toEqual({ control: 'sandbox', value: undefined })
    expect(readChoice(all, 'maxDepth', '2')).toEqual({ control: 'maxDepth', value: 2 })
  })

  test("an agent's own option that is called like one of Subgate's is told apart", () => {
    const offer: AgentOffer = {
      configOptions: [
        {
          type: 'select',
          id: 'agent',
          name: 'Persona',
          currentValue: 'a',
          options: [{ value: 'a', name: 'A' }],
        },
      ],
    }
    expect(ids({ offer })).toEqual(['agent', 'agent.agent'])
    expect(readChoice(view({ offer }), 'agent.agent', 'a')).toEqual({
      own: { configId: 'agent', value: 'a' },
    })
  })

  test('an option or a value that is not there is refused with those that are', () => {
    expect(() => readChoice(view(), 'model', 'a')).toThrow('No option has the id "model". Valid ids: agent.')
    expect(() => readChoice(view(), 'agent', 'gemini')).toThrow(
      '"gemini" is no value of the option agent. Valid values: spawn, codex.',
    )
    expect(() => readChoice(view({ agents: [] }), 'agent', 'x')).toThrow(
      'none, as this session has no options',
    )
  })
})

describe('thought levels', () => {
  const low = { value: 'low', name: 'low' }
  const max = { value: 'max', name: 'max' }
  const offer: AgentOffer = {
    models: [
      { value: 'big', name: 'Big', efforts: [low, max] },
      { value: 'plain', name: 'Plain', efforts: [] },
    ],
    efforts: [low],
  }
  const levels = (model?: string): readonly string[] | undefined => {
    const controls = model === undefined ? {} : { model }
    const options = configOptionsOf(view({ rows: everything, offer, controls }))
    const option = options.find(({ category }) => category === 'thought_level')
    return option && valuesOf(option)
  }

  test('are those of the model that is chosen, or of the one that the agent takes by itself', () => {
    expect(levels()).toEqual(['default', 'low'])
    expect(levels('big')).toEqual(['default', 'low', 'max'])
    expect(levels('another')).toEqual(['default', 'low'])
  })

  test('are not shown for a model that takes none', () => {
    expect(levels('plain')).toBeUndefined()
  })
})
