/** What the model reads of delegation: the tool's description and the ends of its children. Pure. */
import { ENDED } from '../contract/letter-words.ts'
import type { Denial, SubagentResult } from '../contract/result.ts'

export interface Described {
  readonly provider: string
  readonly inheritsParentContext: boolean
  /** The operator's number. */
  readonly maxDepth?: number
  /** How many may run in the background at once. */
  readonly background: number
}

export const describe = ({ provider, inheritsParentContext, maxDepth, background }: Described): string =>
  [
    `Delegates a task to a subagent (${provider}), which works by itself and answers once.`,
    inheritsParentContext
      ? 'It knows the completed turns of this conversation, but not the turn that is running now.'
      : 'It knows nothing of this conversation: the prompt must hold all that it needs.',
    'Several calls in one step run side by side.',
    maxDepth === undefined
      ? `Whether it delegates further is ${provider}'s own affair.`
      : `It may delegate further down to depth ${maxDepth} of this tree.`,
    'With run_in_background the call returns at once with the name of an agent that stays: its reports and its ' +
      'answer come to you as messages, and your turn waits for them. ' +
      `At most ${background} run in the background at a time.`,
  ].join(' ')

/** Said before each request while the limit holds (B2.6). */
export const atCap = (tool: string, depth: number): string =>
  `The depth limit of this tree is reached (depth ${depth}): ${tool} can't start a subagent here. ` +
  'Do the work directly.'

export const inBackgroundWords = (agent: string): string =>
  `The subagent works in the background as agent ${agent}. Its reports and its answer come to you as messages.`

const deniedWords = (denied: readonly Denial[]): string =>
  denied.length === 0 ? '' : `\n\nPolicy denied it: ${denied.map(({ title }) => title).join('; ')}.`

/** Only `completed` is success (B12.2): any other end says what happened and keeps what was said till then. */
export const answerOf = ({ status, category, text, structured, error, denied }: SubagentResult): string => {
  const said = structured === undefined ? text : JSON.stringify(structured)
  if (status === 'completed') return `${said}${deniedWords(denied)}`
  const detail = error?.message ?? category
  const diagnostic = `The subagent ${ENDED[status]}${detail === undefined ? '.' : `: ${detail}`}`
  const partial = text.trim() === '' ? '' : `\n\nWhat it had said till then:\n${text}`
  return `${diagnostic}${partial}${deniedWords(denied)}`
}
