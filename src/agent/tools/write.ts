/** The `write` tool: a whole new file, with its directories; over an existing one only what was looked at. */
import { Buffer } from 'node:buffer'
import { changeFile } from './change-file.ts'
import type { CurrentFile } from './current-file.ts'
import { ToolFailure, attempt } from './failure.ts'
import { checkKeys, flag, text } from './input.ts'
import type { Place } from './paths.ts'
import type { Tool } from './tool.ts'

const inputSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'The file, absolute or relative to the working directory.' },
    content: { type: 'string', description: 'The whole new text of the file.' },
    overwrite: {
      type: 'boolean',
      description: 'Replace an existing file that was not read in this session, or has changed since.',
    },
  },
  required: ['path', 'content'],
  additionalProperties: false,
}

const checkSeen = (now: CurrentFile | undefined, seen: string | undefined, { shown }: Place): void => {
  if (now === undefined || now.stamp === seen) return
  throw new ToolFailure(
    seen === undefined
      ? `${shown} exists and was not read in this session. Read it first, or set overwrite to replace it unseen.`
      : `${shown} has changed since it was read. Read it again, or set overwrite to replace it unseen.`,
  )
}

export const writeTool: Tool = {
  name: 'write',
  description:
    'Writes a file with the given text and makes missing directories. An existing file is replaced as a whole; it must have been read in this session and be unchanged since, unless overwrite is set.',
  kind: 'edit',
  family: 'files',
  inputSchema,
  title: (input) => `Write ${text(input, 'path')}`,
  run: (input, context) =>
    attempt(context.signal, async () => {
      checkKeys(input, inputSchema)
      const [path, content, overwrite] = [
        text(input, 'path'),
        text(input, 'content'),
        flag(input, 'overwrite'),
      ]
      const change = {
        path,
        verb: 'Write',
        sketch: (real: string) => ({ type: 'diff', path: real, newText: content }) as const,
        propose: (now: CurrentFile | undefined, seen: string | undefined, place: Place) => {
          if (!overwrite) checkSeen(now, seen, place)
          return content
        },
      }
      const done = await changeFile(change, context)
      context.report({ locations: [{ path: done.place.real, line: done.line }] })
      const what = done.created ? 'Created' : 'Replaced'
      return {
        text: `${what} ${done.place.shown} (${Buffer.byteLength(content)} bytes).`,
        content: [done.content],
      }
    }),
}
