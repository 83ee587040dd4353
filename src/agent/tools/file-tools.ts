/** The file tools together: the list, the names that presets use for them, and their guidance (B7.5). */
import { editTool } from './edit.ts'
import { globTool } from './glob.ts'
import { grepTool } from './grep.ts'
import { readTool } from './read.ts'
import type { Tool } from './tool.ts'
import { writeTool } from './write.ts'

export const FILE_TOOLS: readonly Tool[] = [readTool, writeTool, editTool, globTool, grepTool]

export const FILE_FAMILY = 'files'

export { FILE_TOOL_NAMES } from './tool-names.ts'

const SENTENCES: readonly { readonly needs: readonly string[]; readonly text: string }[] = [
  { needs: ['read'], text: 'Read a file with `read` before you rely on what it holds.' },
  { needs: ['glob', 'grep'], text: 'Find files by name with `glob` and by content with `grep`.' },
  {
    needs: ['edit'],
    text: 'Change a file with `edit`, with just enough text around the place to be unique.',
  },
  {
    needs: ['edit', 'write'],
    text: 'Use `write` for new files or when most of a file changes, and `edit` for the rest.',
  },
]

/** Speaks only of tools in view, so that no prompt describes one that the agent lacks. */
export const fileGuidance = (names: readonly string[]): string =>
  [
    'Paths of the file tools are absolute, or relative to the working directory.',
    ...SENTENCES.filter(({ needs }) => needs.every((name) => names.includes(name))).map(({ text }) => text),
  ].join(' ')
