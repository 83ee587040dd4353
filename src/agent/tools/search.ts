/** What a search for lines asks and finds, whoever carries it out. */
import picomatch from 'picomatch'

export interface SearchQuery {
  /** Real path of the directory that is searched, or that holds `file`. */
  readonly directory: string
  readonly file?: string
  readonly pattern: string
  readonly literal: boolean
  readonly ignoreCase: boolean
  /** Lines before and after each match. */
  readonly around: number
  readonly glob?: string
  /** Matching lines to find at most. */
  readonly most: number
  /** One match of a file is enough. */
  readonly firstOfFile: boolean
}

export interface Hit {
  /** Relative to the directory. */
  readonly path: string
  readonly line: number
  readonly text: string
  readonly isMatch: boolean
}

export interface SearchResult {
  readonly hits: readonly Hit[]
  /** Why there may be more. */
  readonly notes: readonly string[]
}

export const SEARCH_LIMITS: Readonly<
  Record<'matches' | 'lineBytes' | 'shown' | 'milliseconds' | 'bytes', number>
> = {
  matches: 200,
  /** Bytes of a line that are searched where ripgrep isn't at hand. */
  lineBytes: 64 * 1024,
  /** Characters of a line that are shown. */
  shown: 500,
  milliseconds: 30_000,
  /** Of ripgrep's answer. */
  bytes: 16 * 1024 * 1024,
}

/** A glob without a slash is for the file's name; a leading `!` leaves out. */
export const pathFilter = (glob: string | undefined): ((path: string) => boolean) => {
  if (glob === undefined) return () => true
  const leavesOut = glob.startsWith('!')
  const pattern = (leavesOut ? glob.slice(1) : glob).replace(/^\//u, '')
  const matches = picomatch(pattern, { dot: true, ...(!glob.includes('/') && { basename: true }) })
  return (path) => matches(path) !== leavesOut
}
