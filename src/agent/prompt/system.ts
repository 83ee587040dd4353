/** The system prompt of one agent: its sections, then the guidance for the tools that it has. */
import type { ToolView } from '../tools/registry.ts'
import type { PromptSections } from './sections.ts'

/** What is policy or may change isn't here but in runtime context, so that the prompt stays the same (B4.3). */
export const systemPrompt = (
  sections: Pick<PromptSections, 'render'>,
  tools: Pick<ToolView, 'guidance'>,
): string => [sections.render(), tools.guidance()].filter((part) => part !== '').join('\n\n')
