/** What the letters of children say to a model. Pure. */
import type { ContentBlock } from './content.ts'
import { text } from './content.ts'
import type { Letter } from './letters.ts'
import type { RunStatus } from './result.ts'

/** Only a completed one is called finished (B11.2). */
export const ENDED: Readonly<Record<RunStatus, string>> = {
  completed: 'finished',
  empty: 'ended without an answer',
  truncated: 'was cut off at a limit',
  refused: 'declined the task',
  cancelled: 'was cancelled',
  timed_out: 'ran into a time limit',
  failed: 'failed',
  interrupted: 'was interrupted',
}

type Settled = Extract<Letter, { kind: 'settled' }>

const tagged = (tag: string, { from }: Letter, label: string | undefined, words: string): string => {
  const agent = from === undefined ? '' : ` agent=${JSON.stringify(from)}`
  const description = label === undefined ? '' : ` description=${JSON.stringify(label)}`
  return `<${tag}${agent}${description}>\n${words}\n</${tag}>`
}

const ending = ({ status, category, runId, text: said = '' }: Settled): string => {
  const words = said.trim() === '' ? '' : `\n\n${said}`
  if (runId === undefined) return `Your message to it was not taken: it ${ENDED[status]}.${words}`
  const why = category === undefined || status === 'completed' ? '' : ` (${category})`
  return `It ${ENDED[status]}${why}.${words}`
}

/** Undefined for what isn't for the model to read in passing: follow-ups are prompts, and a stop has no words. */
export const letterWords = (letter: Letter): string | undefined => {
  switch (letter.kind) {
    case 'report':
      return tagged('subagent-report', letter, letter.label, letter.text)
    case 'settled':
      return tagged('subagent-notice', letter, letter.label, ending(letter))
    case 'message':
    case 'interrupt':
      return undefined
  }
}

/** The prompt that a letter is, for a run that it starts. */
export const letterPrompt = (letter: Letter): readonly ContentBlock[] => {
  if (letter.kind === 'message') return letter.content
  const words = letterWords(letter)
  return words === undefined ? [] : [text(words)]
}
