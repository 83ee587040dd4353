/** The registries of a deployment that every session's own scopes stand on. */
import { PERSONA_ORDER, PERSONA_SECTION, PromptSections } from '../../agent/prompt/sections.ts'
import { askTool } from '../../agent/tools/ask.ts'
import { FILE_FAMILY, FILE_TOOLS, fileGuidance } from '../../agent/tools/file-tools.ts'
import { ToolRegistry } from '../../agent/tools/registry.ts'

const IDENTITY =
  "You are a coding agent. You work on files in the user's workspace with your tools, and answer in plain text when " +
  'you are done. Be brief and exact; say what you did and what you could not do.'

export interface Shared {
  readonly tools: ToolRegistry
  readonly sections: PromptSections
}

export const sharedScopes = (): Shared => {
  const tools = new ToolRegistry()
  for (const tool of [...FILE_TOOLS, askTool]) tools.add(tool)
  tools.guide(FILE_FAMILY, fileGuidance)
  const sections = new PromptSections()
  sections.section({ name: PERSONA_SECTION, order: PERSONA_ORDER, text: IDENTITY })
  return { tools, sections }
}
