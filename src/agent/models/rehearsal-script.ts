/** The rehearsal model's script language, parsed: docs/rehearsal.md describes it. Pure. */
import { SubagentError } from '../../contract/errors.ts'
import { closest } from '../../contract/parse.ts'
import { QUESTION_TOOL } from '../tools/tool-names.ts'

export interface Call {
  readonly tool: string
  /** JSON as the model would have written it; a `raw` call's may be none. */
  readonly input: string
}

export type Act =
  | { readonly act: 'say' | 'think'; readonly text: string }
  /** `times` undefined = always. */
  | {
      readonly act: 'fail'
      readonly status: number
      readonly message: string
      readonly times?: number
      readonly afterSeconds?: number
    }
  | { readonly act: 'hang' | 'length' | 'refuse' }

/** One answer of the model: acts in their order, then the calls, all at once. */
export interface Step {
  readonly acts: readonly Act[]
  readonly calls: readonly Call[]
}

export const DELEGATION_TOOL = 'subagent'

const VERBS = ['say', 'think', 'call', 'delegate', 'ask', 'fail', 'hang', 'length', 'refuse'] as const
type Verb = (typeof VERBS)[number]

interface Line {
  readonly number: number
  readonly also: boolean
  readonly verb: Verb
  /** Between verb and colon. */
  readonly words: string
  readonly text: string
}

const DIRECTIVE = /^(?<also>also +)?(?<verb>[a-z]+)(?: +(?<words>[^:{}"]*?))? *:(?: (?<text>.*)|$)/u
const FAILURE =
  /^(?<status>[45]\d\d)(?: +(?:(?<once>once)|(?<always>always)|(?<times>\d+) +times))?(?: +after +(?<after>\d+(?:\.\d+)?)s?)?$/u

const wrong = (number: number, what: string, suggestion?: string): never => {
  const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`
  throw new SubagentError('INVALID_REQUEST', 'prompt', `Rehearsal script, line ${number}: ${what}${hint}`, {
    field: 'prompt',
    ...(suggestion !== undefined && { suggestion }),
  })
}

const isVerb = (word: string): word is Verb => (VERBS as readonly string[]).includes(word)

/** A script is known by its first line; whatever else is typed stays a prompt. */
export const isScript = (text: string): boolean => {
  const first = text.split('\n').find((line) => line.trim() !== '')
  const { verb = '', also } = DIRECTIVE.exec(first ?? '')?.groups ?? {}
  return also === undefined && isVerb(verb)
}

/** Directives with their continuation lines, which are indented by two spaces or a tab. */
const linesOf = (text: string): readonly Line[] => {
  const lines: Line[] = []
  let blank = ''
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.replace(/\r$/u, '')
    const continued = /^(?: {2}|\t)(?<rest>.*)$/u.exec(line)?.groups?.['rest']
    const last = lines.at(-1)
    if (line.trim() === '') blank += '\n'
    else if (continued !== undefined && last !== undefined) {
      lines[lines.length - 1] = { ...last, text: `${last.text}${blank}\n${continued}`.replace(/^\n/u, '') }
      blank = ''
    } else {
      lines.push(directive(line, index + 1))
      blank = ''
    }
  }
  return lines
}

const directive = (line: string, number: number): Line => {
  const { also, verb = '', words = '', text = '' } = DIRECTIVE.exec(line)?.groups ?? {}
  const named = /^[a-z]+/iu.exec(line)?.[0] ?? ''
  const list = VERBS.join(', ')
  if (verb === '')
    return isVerb(named)
      ? wrong(number, `"${named}" wants a colon, then a space.`)
      : wrong(
          number,
          `this is no directive: ${JSON.stringify(line.slice(0, 60))}. Begin with one of ${list}.`,
        )
  if (!isVerb(verb))
    return wrong(number, `unknown directive "${verb}". The known ones are ${list}.`, closest(verb, VERBS))
  return { number, also: also !== undefined, verb, words, text }
}

const callOf = ({ number, words, text }: Line): Call => {
  const [tool = '', raw, ...more] = words.split(/ +/u)
  if (tool === '' || more.length > 0 || (raw !== undefined && raw !== 'raw'))
    return wrong(number, '"call" wants the name of one tool, as in call read: {"path": "a.txt"}')
  if (raw !== undefined) return { tool, input: text }
  const input = text.trim() === '' ? '{}' : text
  try {
    const value: unknown = JSON.parse(input)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { tool, input }
  } catch {
    // Said below: the parser's own words quote the text.
  }
  return wrong(
    number,
    `the input of "${tool}" is no JSON object. To send it as it is, write call ${tool} raw:`,
  )
}

const failOf = ({ number, words, text }: Line): Act => {
  const found = FAILURE.exec(words)?.groups
  if (found === undefined)
    return wrong(
      number,
      '"fail" wants a status from 400 to 599, then "once", "3 times" or "always", then "after 2s"',
    )
  const times = found['once'] === undefined ? found['times'] : 1
  return {
    act: 'fail',
    status: Number(found['status']),
    message: text,
    ...(times !== undefined && { times: Number(times) }),
    ...(found['after'] !== undefined && { afterSeconds: Number(found['after']) }),
  }
}

const read = (line: Line): { readonly acts: readonly Act[]; readonly call?: Call } => {
  const { verb, text, words, number } = line
  const takesWords = verb === 'call' || verb === 'delegate' || verb === 'fail'
  if (words !== '' && !takesWords) return wrong(number, `"${verb}" takes nothing before its colon.`)
  switch (verb) {
    case 'say':
    case 'think':
      return { acts: [{ act: verb, text }] }
    case 'call':
      return { acts: [], call: callOf(line) }
    case 'delegate': {
      if (text.trim() === '') return wrong(number, '"delegate" wants a prompt after its colon.')
      const input = JSON.stringify({ description: words === '' ? 'Rehearsed task' : words, prompt: text })
      return { acts: [], call: { tool: DELEGATION_TOOL, input } }
    }
    case 'ask':
      return { acts: [], call: { tool: QUESTION_TOOL, input: JSON.stringify({ question: text }) } }
    case 'fail':
      return { acts: [failOf(line)] }
    case 'hang':
      return text === '' ? { acts: [{ act: 'hang' }] } : wrong(number, '"hang" takes no text.')
    case 'length':
    case 'refuse': {
      const said: readonly Act[] = text === '' ? [] : [{ act: 'say', text }]
      return { acts: [...said, { act: verb }] }
    }
  }
}

const ends = (act: Act): boolean =>
  act.act === 'hang' ||
  act.act === 'length' ||
  act.act === 'refuse' ||
  (act.act === 'fail' && act.times === undefined)

/** Throws INVALID_REQUEST that names the line. A step ends after its calls; `also` adds one more to them. */
export const parseScript = (text: string): readonly Step[] => {
  const steps: Step[] = []
  let over: number | undefined
  let open: { acts: Act[]; calls: Call[] } | undefined
  for (const line of linesOf(text)) {
    if (over !== undefined) return wrong(line.number, `it is never reached: line ${over} ends the turn.`)
    const { acts, call } = read(line)
    if (line.also && (call === undefined || (open?.calls.length ?? 0) === 0))
      return wrong(line.number, '"also" adds a call to the one before it: it follows a call, and is one.')
    if (open === undefined || (open.calls.length > 0 && !line.also)) {
      open = { acts: [], calls: [] }
      steps.push(open)
    }
    open.acts.push(...acts)
    if (call !== undefined) open.calls.push(call)
    if (acts.some(ends)) over = line.number
  }
  return steps
}
