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

export const QUESTION_TOOL = 'ask'

export const QUESTION_TOOL_NAMES: Readonly<Record<string, string>> = { AskUserQuestion: QUESTION_TOOL }
