/** The slash commands of a chat. */
import { describe, expect, test } from 'vitest'
import { agentsText, commandsOf, readCommand } from '../../../src/acp/commands.ts'
import type { ContentBlock } from '../../../src/contract/content.ts'

const text = (words: string): ContentBlock => ({ type: 'text', text: words })
const presets = [{ name: 'review', description: 'Reviews' }, { name: 'test' }]

test("an agent's commands stand behind Subgate's own and the presets, and never in their place", () => {
  const theirs = [
    { name: 'stop', description: 'theirs' },
    { name: 'review', description: 'theirs' },
    { name: 'compact', description: 'Compact', input: { hint: 'how' } },
  ]
  const commands = commandsOf(presets, theirs)
  expect(commands.map(({ name }) => name)).toEqual([
    'delegate',
    'agents',
    'stop',
    'review',
    'test',
    'compact',
  ])
  expect(commands.at(-1)).toEqual(theirs[2])
  expect(commands.find(({ name }) => name === 'review')?.description).toBe('Reviews')
})

describe('what is typed', () => {
  test('/delegate names an agent and a task, of several lines and with attachments', () => {
    const link: ContentBlock = { type: 'resource_link', name: 'a', uri: 'file:///a' }
    expect(readCommand([text('/delegate codex fix\nthe test'), link], presets)).toEqual({
      kind: 'delegate',
      agent: 'codex',
      task: [text('fix\nthe test'), link],
    })
    expect(readCommand([text('/delegate codex'), link], presets)).toEqual({
      kind: 'delegate',
      agent: 'codex',
      task: [link],
    })
  })

  test('too few words are answered with how it is typed', () => {
    for (const words of ['/delegate', '/delegate codex', '/delegate codex  ', '/review', '/review '])
      expect(readCommand([text(words)], presets)?.kind).toBe('usage')
  })

  test('a preset is called by its name', () => {
    expect(readCommand([text('/review the diff')], presets)).toEqual({
      kind: 'preset',
      preset: 'review',
      task: [text('the diff')],
    })
  })

  test('/agents and /stop are answered here, and everything else is for the agent', () => {
    expect(readCommand([text('/agents')], presets)).toEqual({ kind: 'agents' })
    expect(readCommand([text('/stop now')], presets)).toEqual({ kind: 'stop' })
    for (const words of ['/compact', 'hello', ' /stop', '/usr/bin/env', ''])
      expect(readCommand([text(words)], presets)).toBeUndefined()
    expect(readCommand([], presets)).toBeUndefined()
  })
})

test('/agents lists those that can start by the name to type, and those at work', () => {
  const usable = [
    { name: 'spawn', title: 'Built-in agent' },
    { name: 'mine', title: 'mine' },
  ]
  expect(agentsText(usable, [{ title: 'Codex', label: 'tests' }])).toBe(
    [
      'Agents for /delegate:',
      '- spawn (Built-in agent)',
      '- mine',
      '',
      'At work for this chat:',
      '- Codex: tests',
    ].join('\n'),
  )
  expect(agentsText([], [])).toBe('No agent can start here.')
})
