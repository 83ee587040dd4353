/** The `edit` tool: an exact text of a file is replaced, once or everywhere. */
import { changeFile } from './change-file.ts'
import type { CurrentFile } from './current-file.ts'
import { replaceText } from './edit-text.ts'
import { ToolFailure, attempt } from './failure.ts'
import { checkKeys, flag, text } from './input.ts'
import type { Place } from './paths.ts'
import type { Tool } from './tool.ts'

const inputSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'The file, absolute or relative to the working directory.' },
    old_text: { type: 'string', description: 'The exact text to replace, without line numbers.' },
    new_text: { type: 'string', description: 'The text that takes its place.' },
    replace_all: { type: 'boolean', description: 'Replace every occurrence; otherwise it must be unique.' },
  },
  required: ['path', 'old_text', 'new_text'],
  additionalProperties: false,
}

const editable = (now: CurrentFile | undefined, { shown }: Place): string => {
  if (now === undefined) throw new ToolFailure(`${shown} does not exist. Check the path.`)
  if (now.text === undefined)
    throw new ToolFailure(`${shown} ${now.unfit ?? 'is not text'}. Nothing was changed.`)
  return now.text
}

export const editTool: Tool = {
  name: 'edit',
  description:
    'Replaces an exact text in a file. The old text must occur exactly once, unless replace_all is set. The file is read afresh, so several edits of one file in one step are all kept.',
  kind: 'edit',
  family: 'files',
  inputSchema,
  title: (input) => `Edit ${text(input, 'path')}`,
  run: (input, context) =>
    attempt(context.signal, async () => {
      checkKeys(input, inputSchema)
      const [oldText, newText] = [text(input, 'old_text'), text(input, 'new_text')]
      const asked = { oldText, newText, all: flag(input, 'replace_all') }
      let count = 0
      const change = {
        path: text(input, 'path'),
        verb: 'Edit',
        sketch: (path: string) => ({ type: 'diff', path, oldText, newText }) as const,
        propose: (now: CurrentFile | undefined, _seen: string | undefined, place: Place) => {
          const replaced = replaceText(editable(now, place), asked)
          count = replaced.count
          return replaced.text
        },
      }
      const done = await changeFile(change, context)
      context.report({ locations: [{ path: done.place.real, line: done.line }] })
      const places = count === 1 ? '1 place' : `${count} places`
      return {
        text: `Edited ${done.place.shown} in ${places}, first at line ${done.line}.`,
        content: [done.content],
      }
    }),
}
