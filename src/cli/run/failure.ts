/** Tells a person how a run ended that was not simply completed. Pure. */
import { SECRET_NAME } from '../../contract/secrets.ts'
import type { ErrorJson } from '../../contract/errors.ts'
import type { StartWait } from '../../contract/run.ts'
import type { ResultDocument } from '../documents.ts'

const WORDS: { readonly [S in ResultDocument['status']]: string } = {
  completed: 'The run completed.',
  empty: 'The run ended without an answer.',
  truncated: 'The run was cut short',
  refused: 'The model declined the task.',
  cancelled: 'Cancelled.',
  timed_out: 'The run timed out.',
  failed: 'The run failed.',
  interrupted: 'The run was interrupted: its owner died.',
}

const TAIL_LINES = 10
/** A shell's own bookkeeping, which explains no failure. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['_', 'SHLVL', 'OLDPWD', 'PS1', 'LS_COLORS'])

const MOST_NAMES = 5
const SIGN_IN =
  /\b(?:40[13]|api.?keys?|auth\w*|unauthori[sz]ed|credentials?|forbidden|log.?in|sign.?in|tokens?)\b/iu

/** A missing variable is a likely reason: the agent gave up at its start, or wasn't let in somewhere. */
const missesVariable = ({ code, phase, message, data }: ErrorJson): boolean => {
  switch (code) {
    case 'AUTH_REQUIRED':
      return true
    case 'AGENT_EXITED':
      return (
        phase !== 'prompt' ||
        SIGN_IN.test(message) ||
        (typeof data['stderr'] === 'string' && SIGN_IN.test(data['stderr']))
      )
    case 'AGENT_ERROR':
    case 'MODEL_ERROR':
      return SIGN_IN.test(message)
    default:
      return false
  }
}

/** Those that are named like keys first, and not those that the message names itself. */
const withheldNames = ({ message, data: { withheld } }: ErrorJson): readonly string[] => {
  const names = Array.isArray(withheld) ? withheld.map(String) : []
  const secret = (name: string): number => Number(SECRET_NAME.test(name))
  return names
    .filter((name) => !BOOKKEEPING.has(name) && !message.includes(name))
    .toSorted((one, other) => secret(other) - secret(one))
}

/** What the agent wrote on stderr, and where that may be the reason, which variables it didn't get. */
export const errorHints = (error: ErrorJson): readonly string[] => {
  const { stderr } = error.data
  const tail = typeof stderr === 'string' ? stderr.trimEnd().split('\n').slice(-TAIL_LINES) : []
  const names = missesVariable(error) ? withheldNames(error) : []
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : ''
  return [
    // One line stands in the message already.
    ...(tail.length > 1 ||
    (tail[0] !== undefined && tail[0] !== '' && !error.message.includes(tail[0].trim()))
      ? ['The agent wrote on stderr:', ...tail.map((line) => `  ${line}`)]
      : []),
    ...(names.length > 0
      ? [
          `Not passed to the agent: ${names.slice(0, MOST_NAMES).join(', ')}${more}. Pass one with --env NAME.`,
        ]
      : []),
  ]
}

/** Why nothing happens yet. */
export const waitLine = ({ provider, reason, until }: StartWait): string =>
  reason === 'paused' && until !== undefined
    ? `${provider} is rate limited until ${new Date(until).toLocaleTimeString()}; waiting (Ctrl-C ends it).`
    : `All slots are taken; waiting for one (see: subgate ps).`

export const failureLines = ({ status, category, error, denied }: ResultDocument): readonly string[] => {
  const denials = denied.map(({ title, flag }) => `Denied by policy: ${title} (${flag} would allow it).`)
  if (status === 'completed') return denials
  const head = error?.message ?? (status === 'truncated' ? `${WORDS[status]} (${category}).` : WORDS[status])
  return [...denials, head, ...(error === undefined ? [] : errorHints(error))]
}
