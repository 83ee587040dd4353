/** The slash commands of a chat: Subgate's own, presets by name, and the agent's as it says them. Pure. */
import type * as acp from '@agentclientprotocol/sdk/unstable'
import type { ContentBlock } from '../contract/content.ts'
import type { UsableAgent } from '../gateway.ts'

export interface OfferedPreset {
  readonly name: string
  readonly description?: string
}

const OWN: readonly acp.AvailableCommand[] = [
  {
    name: 'delegate',
    description: 'Hand a task to another agent, as a subagent of this chat',
    input: { hint: '<agent> <task>' },
  },
  { name: 'agents', description: 'List the agents that a task can be handed to, and those at work' },
  { name: 'stop', description: 'Stop the subagents of this chat' },
]

/** Subgate's own go before a preset, and a preset before a command of the agent, of the same name. */
export const commandsOf = (
  presets: readonly OfferedPreset[],
  agents: readonly acp.AvailableCommand[],
): acp.AvailableCommand[] => {
  const named = presets.map(({ name, description }) => ({
    name,
    description: description ?? `Hand a task to a subagent with the preset ${name}`,
    input: { hint: '<task>' },
  }))
  const all = new Map<string, acp.AvailableCommand>()
  for (const command of [...OWN, ...named, ...agents])
    if (!all.has(command.name)) all.set(command.name, command)
  return [...all.values()]
}

export type Command =
  | { readonly kind: 'delegate'; readonly agent: string; readonly task: readonly ContentBlock[] }
  | { readonly kind: 'preset'; readonly preset: string; readonly task: readonly ContentBlock[] }
  | { readonly kind: 'agents' | 'stop' }
  /** It was begun, but says too little. */
  | { readonly kind: 'usage'; readonly words: string }

/** Undefined: it is for the agent, like everything else that is said. */
export const readCommand = (
  prompt: readonly ContentBlock[],
  presets: readonly OfferedPreset[],
): Command | undefined => {
  const [first, ...rest] = prompt
  if (first?.type !== 'text') return undefined
  const [, name, words = ''] = /^\/(\S+)\s*([\s\S]*)$/u.exec(first.text) ?? []
  switch (name) {
    case undefined:
      return undefined
    case 'agents':
    case 'stop':
      return { kind: name }
    case 'delegate': {
      const [, agent, task = ''] = /^(\S+)\s*([\s\S]*)$/u.exec(words) ?? []
      if (agent === undefined || (task.trim() === '' && rest.length === 0))
        return {
          kind: 'usage',
          words: 'Type /delegate, the name of an agent, and the task. /agents lists them.',
        }
      return { kind: 'delegate', agent, task: taskOf(task, rest) }
    }
    default: {
      if (presets.every((preset) => preset.name !== name)) return undefined
      if (words.trim() === '' && rest.length === 0)
        return { kind: 'usage', words: `Type /${name} and the task for it.` }
      return { kind: 'preset', preset: name, task: taskOf(words, rest) }
    }
  }
}

const taskOf = (words: string, rest: readonly ContentBlock[]): readonly ContentBlock[] =>
  words.trim() === '' ? rest : [{ type: 'text', text: words }, ...rest]

export interface AtWork {
  readonly title: string
  readonly label?: string
}

/** The answer to `/agents`. */
export const agentsText = (agents: readonly UsableAgent[], atWork: readonly AtWork[]): string => {
  const here = agents.map(({ name, title }) => (name === title ? `- ${name}` : `- ${name} (${title})`))
  const working = atWork.map(({ title, label }) => `- ${title}${label === undefined ? '' : `: ${label}`}`)
  return [
    here.length === 0 ? 'No agent can start here.' : 'Agents for /delegate:',
    ...here,
    ...(working.length === 0 ? [] : ['', 'At work for this chat:', ...working]),
  ].join('\n')
}
