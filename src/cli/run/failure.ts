/** Tells a person how a run ended that was not simply completed. Pure. */
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

/** What the agent wrote on stderr, and which variables it didn't get: the two things that explain most failures. */
export const errorHints = ({ data }: ErrorJson): readonly string[] => {
  const { stderr, withheld } = data
  const tail = typeof stderr === 'string' ? stderr.trimEnd().split('\n').slice(-TAIL_LINES) : []
  const names = Array.isArray(withheld) ? withheld.map(String).filter((name) => !BOOKKEEPING.has(name)) : []
  return [
    ...(tail.length > 0 && tail[0] !== ''
      ? ['The agent wrote on stderr:', ...tail.map((line) => `  ${line}`)]
      : []),
    ...(names.length > 0
      ? [`Variables that the agent didn't get (pass one with --env NAME): ${names.join(', ')}`]
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
