/** Searches without ripgrep: the same files, the same result, JavaScript's regular expressions. */
import type { Buffer } from 'node:buffer'
import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { Script, createContext } from 'node:vm'
import { openRegular } from '../../process/confine.ts'
import { ToolFailure } from './failure.ts'
import { chunksOf, linesOf } from './lines.ts'
import { SEARCH_LIMITS, pathFilter } from './search.ts'
import type { Hit, SearchQuery, SearchResult } from './search.ts'
import { walk } from './walk.ts'

/** Milliseconds for the lines of one chunk. A pattern that needs more would hold up everything else. */
const PATTERN_MS = 250

const compile = ({ pattern, literal, ignoreCase }: SearchQuery): RegExp => {
  const inline = literal ? null : /^\(\?i\)/u.exec(pattern)
  const source = literal ? RegExp.escape(pattern) : pattern.slice(inline?.[0].length ?? 0)
  const flags = ignoreCase || inline !== null ? 'i' : ''
  try {
    return new RegExp(source, `${flags}u`)
  } catch {
    try {
      return new RegExp(source, flags)
    } catch (error) {
      const why = error instanceof Error ? error.message : 'it is malformed'
      throw new ToolFailure(`The pattern can't be used: ${why}. Correct it, or set literal.`)
    }
  }
}

type Matcher = (lines: readonly string[]) => readonly boolean[]

/** In a context of its own, because only there can a pattern that runs away be stopped. */
const matcherOf = (regex: RegExp): Matcher => {
  const scope = createContext({ regex, lines: [] as readonly string[] })
  const script = new Script('lines.map((line) => regex.test(line))')
  return (lines) => {
    scope['lines'] = lines
    try {
      return script.runInContext(scope, { timeout: PATTERN_MS }) as readonly boolean[]
    } catch {
      throw new ToolFailure('The pattern takes too long on these files. Make it simpler, or set literal.')
    }
  }
}

/** Ends at the first NUL byte, as ripgrep does. */
async function* untilBinary(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    if (chunk.includes(0)) return
    yield chunk
  }
}

interface Search {
  readonly query: SearchQuery
  readonly signal: AbortSignal
  readonly matches: Matcher
  readonly hits: Hit[]
  found: number
}

const searchFile = async (path: string, handle: FileHandle, search: Search): Promise<void> => {
  const { query, signal, matches, hits } = search
  let before: Hit[] = []
  let after = 0
  let number = 0
  for await (const lines of linesOf(untilBinary(chunksOf(handle, signal)), SEARCH_LIMITS.lineBytes)) {
    const texts = lines.map(({ text }) => text)
    const verdicts = matches(texts)
    for (const [index, text] of texts.entries()) {
      number += 1
      const isMatch = verdicts[index] === true
      const hit = { path, line: number, text, isMatch }
      if (isMatch) {
        hits.push(...before, hit)
        before = []
        after = query.around
        search.found += 1
        if (query.firstOfFile || search.found > query.most) return
      } else if (after > 0) {
        hits.push(hit)
        after -= 1
      } else if (query.around > 0) before = [...before, hit].slice(-query.around)
    }
  }
}

async function* filesOf({ directory, file, glob }: SearchQuery, signal: AbortSignal): AsyncGenerator<string> {
  const wanted = pathFilter(glob)
  if (file !== undefined) {
    if (wanted(file)) yield file
    return
  }
  for await (const { path, kind } of walk(directory, { signal }))
    if (kind === 'file' && wanted(path)) yield path
}

export const searchLines = async (query: SearchQuery, signal: AbortSignal): Promise<SearchResult> => {
  const search: Search = { query, signal, matches: matcherOf(compile(query)), hits: [], found: 0 }
  const end = performance.now() + SEARCH_LIMITS.milliseconds
  let unreadable = 0
  const notes = (): readonly string[] => (unreadable > 0 ? ['[Some files could not be read.]'] : [])
  for await (const path of filesOf(query, signal)) {
    if (search.found > query.most) break
    if (performance.now() > end)
      return {
        hits: search.hits,
        notes: [
          ...notes(),
          `[Stopped after ${SEARCH_LIMITS.milliseconds / 1000} s: search a smaller directory.]`,
        ],
      }
    const handle = await openRegular(join(query.directory, path), constants.O_RDONLY).catch(() => undefined)
    if (handle === undefined) {
      unreadable += 1
      continue
    }
    await using open = handle
    await searchFile(path, open, search)
  }
  return { hits: search.hits, notes: notes() }
}
