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
  'Agent',
  'Bash',
  'Edit',
  'EnterPlanMode',
  'EnterWorktree',
  'ExitPlanMode',
  'Glob',
  'Grep',
  'Monitor',
  'NotebookEdit',
  'Read',
  'ReportFindings',
  'SendMessage',
  'Skill',
  'TaskCreate',
  'TaskStop',
  'WebFetch',
  'WebSearch',
  'Workflow',
  'Write',
] as const

/** Names that presets know from earlier versions, with what does the same today. */
const FORMER = { Task: 'Agent', KillShell: 'TaskStop', TodoWrite: 'TaskCreate' } as const

export const TOOL_NAMES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(TOOLS.map((name) => [name, name])),
  ...FORMER,
}

/** A tool of an MCP server, or the server whole: `mcp__server__tool`, `mcp__server`. */
export const isMcpName = (name: string): boolean => /^mcp__./u.test(name)

export const ownName = (name: string): string =>
  Object.hasOwn(TOOL_NAMES, name) ? (TOOL_NAMES[name] ?? name) : name

/** Its list of things to do is one tool to people and four to it. */
export const LIST_TOOLS: readonly string[] = ['TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate']

/** Tools by which it starts agents of its own; a skill may run in one as well. */
export const DELEGATION_TOOLS: readonly string[] = [
  'Agent',
  'Task',
  'Workflow',
  'SendMessage',
  'ListAgents',
  'TeamCreate',
  'Skill',
]

/** Never offered, as nothing may start between two runs. */
export const UNATTENDED_TOOLS: readonly string[] = ['CronCreate', 'CronDelete', 'CronList', 'ScheduleWakeup']

/** They change nothing outside of the conversation. */
export const INNER_TOOLS: readonly string[] = [
  'StructuredOutput',
  'TodoWrite',
  ...LIST_TOOLS,
  'TaskStop',
  'ToolSearch',
  'ReportFindings',
]

/** All that it may use under `read-only`. */
export const READING_TOOLS: readonly string[] = ['Read', 'Glob', 'Grep']

/**
 * All that it may use under `workspace-write`: its shell is held by its own sandbox, its file tools by the hook. Left
 * out is what runs commands or writes files in other ways.
 */
export const WORKSPACE_TOOLS: readonly string[] = [
  ...READING_TOOLS,
  'Write',
  'Edit',
  'NotebookEdit',
  'Bash',
  'WebFetch',
  'WebSearch',
  'Agent',
  'SendMessage',
  'ListAgents',
  'Skill',
  'TaskStop',
  ...LIST_TOOLS,
]

/** Another word would be ignored by it, with a line on stderr. */
export const EFFORTS: readonly string[] = ['low', 'medium', 'high', 'xhigh', 'max']
