/** The `grep` tool: the lines of files that match a pattern, by ripgrep where it is at hand. */
import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { JsonObject } from '../../contract/json.ts'
import { authorize } from '../sandbox.ts'
import { ToolFailure, attempt } from './failure.ts'
import { checkKeys, count, flag, optionalText, text } from './input.ts'
import { locate, shownPath } from './paths.ts'
import { searchWithRipgrep } from './ripgrep.ts'
import { firstMatches, searchText } from './search-format.ts'
import type { SearchOutput } from './search-format.ts'
import { searchLines } from './search-lines.ts'
import { SEARCH_LIMITS } from './search.ts'
import type { SearchQuery } from './search.ts'
import type { Tool, ToolContext, ToolResult } from './tool.ts'

const OUTPUTS: readonly string[] = ['lines', 'files', 'count'] satisfies SearchOutput[]

const inputSchema = {
  type: 'object',
  properties: {
    pattern: { type: 'string', description: 'A regular expression, matched line by line.' },
    path: {
      type: 'string',
      description: 'The file or directory to search; otherwise the working directory.',
    },
    glob: {
      type: 'string',
      description: 'Which files, such as *.ts or src/**/*.ts; a leading ! leaves out.',
    },
    literal: { type: 'boolean', description: 'The pattern is plain text.' },
    ignore_case: { type: 'boolean' },
    context: { type: 'integer', minimum: 0, maximum: 20, description: 'Lines around each match.' },
    output: { type: 'string', enum: [...OUTPUTS], description: 'Matching lines, names of files, or counts.' },
    limit: { type: 'integer', minimum: 1, description: 'Matches or files to show at most.' },
  },
  required: ['pattern'],
  additionalProperties: false,
}

interface Asked extends Omit<SearchQuery, 'directory' | 'file'> {
  readonly path: string
  readonly output: SearchOutput
}

const outputOf = (input: JsonObject): SearchOutput => {
  const output = optionalText(input, 'output') ?? 'lines'
  if (output === 'lines' || output === 'files' || output === 'count') return output
  throw new ToolFailure(`output must be one of ${OUTPUTS.join(', ')}.`)
}

const parse = (input: JsonObject): Asked => {
  checkKeys(input, inputSchema)
  const [pattern, glob, output] = [text(input, 'pattern'), optionalText(input, 'glob'), outputOf(input)]
  if (pattern === '') throw new ToolFailure('pattern is empty. Give what to search for.')
  if (pattern.includes('\0') || pattern.includes('\n'))
    throw new ToolFailure('pattern holds a line break or a NUL byte; lines are matched one by one.')
  return {
    path: optionalText(input, 'path') ?? '.',
    pattern,
    ...(glob !== undefined && glob !== '' && { glob }),
    literal: flag(input, 'literal'),
    ignoreCase: flag(input, 'ignore_case'),
    around: output === 'lines' ? Math.min(count(input, 'context', 0) ?? 0, 20) : 0,
    output,
    most: output === 'count' ? 100_000 : (count(input, 'limit', 1) ?? SEARCH_LIMITS.matches),
    firstOfFile: output === 'files',
  }
}

const search = async ({ path, output, ...asked }: Asked, context: ToolContext): Promise<ToolResult> => {
  const place = await locate(path, context)
  const { real, inside, shown } = place
  context.report({ locations: [{ path: real }] })
  const title = `Search for ${asked.pattern} in ${shown}`
  await authorize({ kind: 'read', inside, path: real, title, toolKind: 'search' }, context)
  if (!place.exists) throw new ToolFailure(`${shown} does not exist. Check the path.`)
  const stats = await stat(real)
  if (!stats.isDirectory() && !stats.isFile()) throw new ToolFailure(`${shown} is not a regular file.`)
  const query: SearchQuery = stats.isDirectory()
    ? { ...asked, directory: real }
    : { ...asked, directory: dirname(real), file: basename(real) }
  const { signal, cwd, outputs } = context
  const result = (await searchWithRipgrep(query, signal)) ?? (await searchLines(query, signal))
  const { hits, more } = firstMatches(result.hits, query.most)
  const nameOf = (found: string): string =>
    stats.isDirectory() ? shownPath(join(place.path, found), cwd) : shown
  const lines = searchText(hits, output, nameOf, SEARCH_LIMITS.shown)
  const notes = [
    ...(lines.length === 0 ? [`Nothing in ${shown} matches.`] : []),
    ...(more ? [`[There are more than these ${query.most} matches: make the search narrower.]`] : []),
    ...result.notes,
  ]
  return { text: await outputs.fit([...lines, ...notes].join('\n')) }
}

export const grepTool: Tool = {
  name: 'grep',
  description:
    'Searches the lines of files for a regular expression, sorted by path, as path:line:text. What .gitignore leaves out and binary files are left out; links are not followed.',
  kind: 'search',
  family: 'files',
  inputSchema,
  title: (input) => `Search for ${text(input, 'pattern')}`,
  run: (input, context) => attempt(context.signal, () => search(parse(input), context)),
}
