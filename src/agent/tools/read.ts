/** The `read` tool: a text file, or a large output of the session, by lines. */
import { Buffer } from 'node:buffer'
import { constants } from 'node:fs'
import type { JsonObject } from '../../contract/json.ts'
import { PathRefused, openRegular } from '../../process/confine.ts'
import { isOutputHandle } from '../large-outputs.ts'
import { authorize } from '../sandbox.ts'
import { ToolFailure, attempt } from './failure.ts'
import { checkKeys, count, text } from './input.ts'
import { chunksOf, isBinary } from './lines.ts'
import { locate } from './paths.ts'
import { readWindow } from './read-window.ts'
import { rememberSeen, stampOf } from './seen-files.ts'
import type { Tool, ToolContext } from './tool.ts'

const inputSchema = {
  type: 'object',
  properties: {
    path: {
      type: 'string',
      description: 'The file, absolute or relative to the working directory, or a handle such as output-3.',
    },
    offset: { type: 'integer', minimum: 1, description: 'The first line to read, from 1.' },
    limit: { type: 'integer', minimum: 1, description: 'How many lines to read at most.' },
  },
  required: ['path'],
  additionalProperties: false,
}

interface Range {
  readonly offset: number
  readonly limit: number | undefined
}

async function* textOnly(chunks: AsyncIterable<Buffer>, shown: string): AsyncGenerator<Buffer> {
  let first = true
  for await (const chunk of chunks) {
    if (first && isBinary(chunk))
      throw new ToolFailure(`${shown} is a binary file, which can't be read as text.`)
    first = false
    yield chunk
  }
}

const readFile = async (path: string, range: Range, context: ToolContext): Promise<string> => {
  const place = await locate(path, context)
  const { real, inside, shown } = place
  context.report({ locations: [{ path: real, line: range.offset }] })
  await authorize({ kind: 'read', inside, path: real, title: `Read ${shown}`, toolKind: 'read' }, context)
  await using handle = await openRegular(real, constants.O_RDONLY).catch((error: unknown) => {
    if (error instanceof PathRefused && error.errno === 'ENOENT')
      throw new ToolFailure(`${shown} does not exist. Check the path.`)
    if (error instanceof PathRefused && error.refusal === 'kind')
      throw new ToolFailure(`${shown} is not a regular file, so it can't be read as text.`)
    throw error
  })
  // Before the text: a change while it is being read makes what was read old.
  const stamp = stampOf(await handle.stat({ bigint: true }))
  const read = await readWindow(textOnly(chunksOf(handle, context.signal), shown), range, shown)
  rememberSeen(context.outputs, real, stamp)
  return read
}

const titleOf = (input: JsonObject): string => {
  const [path, offset, limit] = [text(input, 'path'), count(input, 'offset', 1), count(input, 'limit', 1)]
  if (offset === undefined && limit === undefined) return `Read ${path}`
  const from = offset ?? 1
  return `Read ${path} (${limit === undefined ? `from line ${from}` : `lines ${from}–${from + limit - 1}`})`
}

export const readTool: Tool = {
  name: 'read',
  description:
    'Reads a text file, with line numbers before each line. A long file is given in parts: go on with offset. Also takes the handle of an output that was too large, such as output-3.',
  kind: 'read',
  family: 'files',
  inputSchema,
  title: titleOf,
  run: (input, context) =>
    attempt(context.signal, async () => {
      checkKeys(input, inputSchema)
      const path = text(input, 'path')
      const range = { offset: count(input, 'offset', 1) ?? 1, limit: count(input, 'limit', 1) }
      const stored = isOutputHandle(path) ? await context.outputs.find(path) : undefined
      if (stored !== undefined) return { text: await readWindow([Buffer.from(stored)], range, path) }
      return { text: await readFile(path, range, context) }
    }),
}
