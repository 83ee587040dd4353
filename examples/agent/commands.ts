/** The command language that the example agent understands in place of a model (README.md lists it). */

export type Command =
  | { readonly do: 'read'; readonly path: string }
  | { readonly do: 'list'; readonly path: string }
  | { readonly do: 'count'; readonly what: 'words' | 'lines' | 'characters'; readonly path: string }
  | { readonly do: 'write'; readonly path: string; readonly text: string }
  | { readonly do: 'append'; readonly path: string; readonly text: string }
  | { readonly do: 'replace'; readonly path: string; readonly from: string; readonly to: string }
  | { readonly do: 'delegate'; readonly prompt: string }
  | { readonly do: 'sleep'; readonly ms: number }
  | { readonly do: 'hang' }
  | { readonly do: 'fail'; readonly message: string }

export interface Step {
  readonly words: string
  /** Absent when the words are no command. */
  readonly command?: Command
}

type Groups = Readonly<Record<string, string>>
const WORD = String.raw`"[^"]+"|\S+`
const TEXT = '"[^"]*"|.+'

const grammar = (pattern: string, make: (groups: Groups) => Command) => ({
  pattern: new RegExp(`^(?:please )?${pattern}[.!]?$`, 'isv'),
  make,
})

const GRAMMAR = [
  grammar(String.raw`read (?<path>${WORD}?)`, ({ path = '' }) => ({ do: 'read', path })),
  grammar(String.raw`list(?: (?<path>${WORD}?))?`, ({ path = '.' }) => ({ do: 'list', path })),
  grammar(
    String.raw`count (?<what>words|lines|characters) in (?<path>${WORD}?)`,
    ({ what = '', path = '' }) => ({ do: 'count', what: what.toLowerCase() as 'words', path }),
  ),
  grammar(String.raw`write (?<path>"[^"]+"|[^\s":]+): ?(?<text>${TEXT})`, ({ path = '', text = '' }) => ({
    do: 'write',
    path,
    text,
  })),
  grammar(String.raw`append (?<text>"[^"]*"|\S+) to (?<path>${WORD}?)`, ({ path = '', text = '' }) => ({
    do: 'append',
    path,
    text,
  })),
  grammar(
    String.raw`replace (?<from>${WORD}) with (?<to>"[^"]*"|\S+) in (?<path>${WORD}?)`,
    ({ path = '', from = '', to = '' }) => ({ do: 'replace', path, from, to }),
  ),
  grammar(`delegate (?<prompt>${TEXT})`, ({ prompt = '' }) => ({ do: 'delegate', prompt })),
  grammar(String.raw`sleep (?<n>\d+(?:\.\d+)?)(?<unit>ms|s|m)?`, ({ n = '', unit = 's' }) => ({
    do: 'sleep',
    ms: Number(n) * ({ ms: 1, m: 60_000 }[unit] ?? 1000),
  })),
  grammar('hang', () => ({ do: 'hang' })),
  grammar('fail(?: (?<message>.+))?', ({ message = 'told to fail' }) => ({ do: 'fail', message })),
]

const unquoted = (word: string): string => word.replace(/^"([^]*)"$/v, '$1')

const command = (words: string): Command | undefined => {
  const rule = GRAMMAR.find(({ pattern }) => pattern.test(words))
  if (rule === undefined) return undefined
  const groups = Object.entries(rule.pattern.exec(words)?.groups ?? {})
  return rule.make(
    Object.fromEntries(
      groups.flatMap(([name, word]) => (word === undefined ? [] : [[name, unquoted(word)]])),
    ),
  )
}

/** Up to the next `then` outside quotes; an unquoted `delegate` takes all the rest of its line. */
const FIRST_STEP = /^(?:delegate\s+[^\s"].*|(?:"[^"]*"|(?!,?\s+then\s).)*)/iv

const stepsOf = (line: string): readonly string[] => {
  const first = FIRST_STEP.exec(line)?.[0] ?? line
  const rest = line.slice(first.length).replace(/^,?\s+then\s+/iv, '')
  return rest === '' ? [first] : [first, ...stepsOf(rest)]
}

/** One command a line, or several joined by "then". */
export const parseCommands = (prompt: string): readonly Step[] =>
  prompt
    .split('\n')
    .flatMap((line) => stepsOf(line.trim()))
    .map((words) => words.trim())
    .filter((words) => words !== '')
    .map((words) => {
      const found = command(words)
      return found === undefined ? { words } : { words, command: found }
    })

export const HELP = `I am Subgate's example agent: a small coding agent without a model. I understand:
  read notes.md
  list docs
  count words in notes.md            (or lines, characters)
  write notes.md: Any text.
  append "more text" to notes.md
  replace "colour" with "color" in notes.md
  delegate count words in notes.md   (to a subagent, through Subgate)
  sleep 2s
  hang
  fail any message
One command a line, or several joined by "then". I ask before each edit.`
