/** The `glob` tool: the files and directories whose path matches a pattern, sorted and bounded. */
import { stat } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import picomatch from 'picomatch'
import { authorize } from '../sandbox.ts'
import { ToolFailure, attempt } from './failure.ts'
import { checkKeys, optionalText, text } from './input.ts'
import { locate, shownPath } from './paths.ts'
import type { Tool, ToolContext, ToolResult } from './tool.ts'
import { walk } from './walk.ts'

export const GLOB_LIMITS: Readonly<Record<'results' | 'entries', number>> = {
  results: 1000,
  entries: 200_000,
}

const inputSchema = {
  type: 'object',
  properties: {
    pattern: { type: 'string', description: 'A glob such as src/**/*.{ts,tsx}, or * to list a directory.' },
    path: { type: 'string', description: 'The directory to search; otherwise the working directory.' },
  },
  required: ['pattern'],
  additionalProperties: false,
}

/** Where the walk begins, and what is left of the pattern to match below it. Pure. */
export const splitPattern = (
  pattern: string,
  from: string,
): { readonly start: string; readonly glob: string } => {
  const { base, glob, isGlob } = picomatch.scan(pattern)
  if (isGlob) return { start: resolve(from, base), glob }
  const at = pattern.replace(/\/+$/u, '').lastIndexOf('/')
  const [folder, name] = at === -1 ? ['', pattern] : [pattern.slice(0, at + 1), pattern.slice(at + 1)]
  return { start: resolve(from, folder), glob: name.replace(/\/+$/u, '') || '*' }
}

const find = async (pattern: string, asked: string, context: ToolContext): Promise<ToolResult> => {
  const { cwd, signal } = context
  if (pattern === '') throw new ToolFailure('pattern is empty. Give a glob such as src/**/*.ts.')
  const { start, glob } = splitPattern(pattern, isAbsolute(pattern) ? '/' : resolve(cwd, asked))
  const place = await locate(start, context)
  const { real, inside, shown } = place
  context.report({ locations: [{ path: real }] })
  const title = `Find ${pattern} in ${shown}`
  await authorize({ kind: 'read', inside, path: real, title, toolKind: 'search' }, context)
  if (!place.exists) throw new ToolFailure(`${shown} does not exist. Check the path.`)
  if (!(await stat(real)).isDirectory()) throw new ToolFailure(`${shown} is not a directory.`)
  const matches = picomatch(glob, { dot: true })
  const found: string[] = []
  const notes: string[] = []
  let unreadable = 0
  let entries = 0
  for await (const { path, kind } of walk(real, { signal, unreadable: () => void (unreadable += 1) })) {
    entries += 1
    if (entries > GLOB_LIMITS.entries) {
      notes.push(`[Stopped after ${GLOB_LIMITS.entries} files and directories: search a smaller directory.]`)
      break
    }
    if (!matches(path)) continue
    if (found.length === GLOB_LIMITS.results) {
      notes.push(`[There are more than these ${GLOB_LIMITS.results}: make the pattern narrower.]`)
      break
    }
    found.push(shownPath(join(place.path, path), cwd) + (kind === 'directory' ? '/' : ''))
  }
  if (unreadable > 0) notes.push(`[${unreadable} directories could not be read.]`)
  if (found.length === 0) notes.unshift(`Nothing in ${shown} matches ${glob}.`)
  return { text: await context.outputs.fit([...found, ...notes].join('\n')) }
}

export const globTool: Tool = {
  name: 'glob',
  description:
    'Finds files and directories by a glob, sorted by path. Directories end with a slash. What .gitignore leaves out is left out; links are not followed.',
  kind: 'search',
  family: 'files',
  inputSchema,
  title: (input) => `Find ${text(input, 'pattern')}`,
  run: (input, context) =>
    attempt(context.signal, () => {
      checkKeys(input, inputSchema)
      return find(text(input, 'pattern'), optionalText(input, 'path') ?? '.', context)
    }),
}
