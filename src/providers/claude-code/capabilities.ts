/** What Claude Code can be asked for; docs/providers/claude-code.md gives the reason for each row. */
import type { SubagentCapabilities } from '../../contract/capabilities.ts'

export const CLAUDE_ROWS: SubagentCapabilities = {
  depthLimit: 'native',
  persona: 'native',
  toolFilter: 'native',
  sandbox: 'emulated',
  permissions: 'native',
  outputSchema: 'native',
  images: 'native',
  audio: 'none',
  resources: 'emulated',
  additionalDirectories: 'native',
  model: 'native',
  effort: 'native',
  mcpServers: 'native',
  resume: 'native',
  fork: 'native',
  steer: 'none',
  maxTurns: 'native',
  maxTokens: 'none',
  maxCostUsd: 'native',
}

/** Its own names, which presets use as well. */
const TOOLS = [
  'Read',
  'Write',
  'Edit',
  'NotebookEdit',
  'Glob',
  'Grep',
  'Bash',
  'BashOutput',
  'KillShell',
  'WebFetch',
  'WebSearch',
  'TodoWrite',
  'Task',
  'Skill',
] as const

export const TOOL_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  TOOLS.map((name) => [name, name]),
)

/** Tools by which it starts agents of its own. */
export const DELEGATION_TOOLS: readonly string[] = ['Task', 'Agent', 'TeamCreate', 'SendMessage', 'Workflow']

/** All that it may use under `read-only`. */
export const READING_TOOLS: readonly string[] = ['Read', 'Glob', 'Grep']
