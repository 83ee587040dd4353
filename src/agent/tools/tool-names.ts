/** The names that presets use for the agent's own tools, and the tools' own. Apart, so that naming them loads none. */

export const FILE_TOOL_NAMES: Readonly<Record<string, string>> = {
  Read: 'read',
  Write: 'write',
  Edit: 'edit',
  MultiEdit: 'edit',
  Glob: 'glob',
  Grep: 'grep',
  LS: 'glob',
}

/** Beside the delegation tools, wherever there are any. */
export const CONTROL_TOOL_NAMES: readonly string[] = ['send_message', 'interrupt_agent', 'list_agents']
/** In kept children alone. */
export const REPORT_TOOL_NAME = 'report'
export const QUESTION_TOOL = 'ask'

export const QUESTION_TOOL_NAMES: Readonly<Record<string, string>> = { AskUserQuestion: QUESTION_TOOL }
