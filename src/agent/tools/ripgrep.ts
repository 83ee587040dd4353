/** Searches with ripgrep where it is at hand: started without a shell, bounded in time and output. */
import { Buffer } from 'node:buffer'
import { execFile } from 'node:child_process'
import type { ExecFileException } from 'node:child_process'
import { isRecord } from '../../contract/json.ts'
import { holdDirectory } from '../../process/confine.ts'
import { SEARCH_LIMITS, pathFilter } from './search.ts'
import type { Hit, SearchQuery, SearchResult } from './search.ts'

const FIXED = [
  '--json --no-config --hidden --crlf --encoding none --sort path',
  // The same rules as without ripgrep: .gitignore alone, also outside of a repository.
  '--no-require-git --no-ignore-dot --no-ignore-global --no-ignore-exclude --glob !.git',
]
  .join(' ')
  .split(' ')

/** Narrows by name alone: ripgrep's own --glob would bring back what .gitignore leaves out. */
const typeArguments = (glob: string | undefined): readonly string[] => {
  const name = glob?.slice(glob.lastIndexOf('/') + 1) ?? ''
  const plain = /^[\w.*?-]+$/u.test(name) && glob?.startsWith('!') === false
  return plain ? ['--type-add', `wanted:${name}`, '--type', 'wanted'] : []
}

export const ripgrepArguments = (query: SearchQuery): readonly string[] => [
  ...FIXED,
  ...typeArguments(query.file === undefined ? query.glob : undefined),
  ...(query.literal ? ['--fixed-strings'] : []),
  ...(query.ignoreCase ? ['--ignore-case'] : []),
  ...(query.around > 0 ? ['--context', String(query.around)] : []),
  '--max-count',
  String(query.firstOfFile ? 1 : query.most + 1),
  '--regexp',
  query.pattern,
  '--',
  query.file === undefined ? '.' : `./${query.file}`,
]

const textIn = (value: unknown): string => {
  if (!isRecord(value)) return ''
  const { text, bytes } = value
  return typeof text === 'string' ? text : Buffer.from(String(bytes), 'base64').toString('utf8')
}

interface Answer {
  readonly hits: readonly Hit[]
  /** False when the answer breaks off, or is none of ripgrep. */
  readonly whole: boolean
}

/** ripgrep's JSON lines; what isn't a match or its context is dropped. Pure. */
export const hitsIn = (answer: string, query: Pick<SearchQuery, 'glob' | 'most'>): Answer => {
  const wanted = pathFilter(query.glob)
  const hits: Hit[] = []
  let whole = false
  let matches = 0
  for (const line of answer.split('\n')) {
    const said = parsed(line)
    if (said['type'] === 'summary') whole = true
    const { type, data } = said
    if ((type !== 'match' && type !== 'context') || !isRecord(data)) continue
    const path = textIn(data['path']).replace(/^\.\//u, '')
    if (!wanted(path)) continue
    if (type === 'match') matches += 1
    hits.push({
      path,
      line: Number(data['line_number']),
      text: textIn(data['lines']).replace(/\r?\n$/u, ''),
      isMatch: type === 'match',
    })
    if (matches > query.most) break
  }
  return { hits, whole }
}

const parsed = (line: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}

interface Ended {
  readonly error: ExecFileException | null
  readonly answer: string
}

const run = async (query: SearchQuery, signal: AbortSignal): Promise<Ended> => {
  await using held = await holdDirectory(query.directory)
  const options = {
    cwd: held.at('.'),
    env: { PATH: process.env['PATH'] ?? '' },
    maxBuffer: SEARCH_LIMITS.bytes,
    timeout: SEARCH_LIMITS.milliseconds,
    killSignal: 'SIGKILL',
    signal,
    encoding: 'utf8',
  } as const
  return new Promise((resolve) => {
    const args = [...ripgrepArguments(query)]
    const child = execFile('rg', args, options, (error, answer) => resolve({ error, answer }))
    child.stdin?.end()
  })
}

/** Undefined where there is no ripgrep that works, or it doesn't know the pattern's dialect. */
export const searchWithRipgrep = async (
  query: SearchQuery,
  signal: AbortSignal,
): Promise<SearchResult | undefined> => {
  const { error, answer } = await run(query, signal)
  signal.throwIfAborted()
  const { hits, whole } = hitsIn(answer, query)
  if (whole || hits.filter(({ isMatch }) => isMatch).length > query.most)
    return { hits, notes: error?.code === 2 ? ['[Some files could not be read.]'] : [] }
  if (error?.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
    return { hits, notes: ['[There is too much to show: make the pattern narrower.]'] }
  if (error?.killed === true)
    return {
      hits,
      notes: [`[Stopped after ${SEARCH_LIMITS.milliseconds / 1000} s: search a smaller directory.]`],
    }
  return undefined
}
