/** What a person means by a session: its id, the id of one of its runs, the beginning of either, or `last`. */
import { SubagentError } from '../contract/errors.ts'
import { runId } from '../contract/ids.ts'
import type { SessionId } from '../contract/ids.ts'
import type { SessionIndex } from './store.ts'

/** Candidates that are named when a beginning fits several. */
const MOST_NAMED = 5

/** `last` is the newest root session of the directory. Throws `SESSION_NOT_FOUND`, or `INVALID_REQUEST` for several. */
export const lookUp = (
  store: Pick<SessionIndex, 'list' | 'find' | 'run'>,
  text: string,
  cwd: string,
): SessionId => {
  if (text === 'last') {
    const [newest] = store.list({ cwd, rootsOnly: true, limit: 1 })
    return newest?.header.id ?? missing(text, `No session was started in ${cwd} yet`)
  }
  const found = text === '' ? [] : store.find(text, MOST_NAMED + 1)
  const [only] = found
  if (only === undefined) return missing(text, `No session or run has an id that is or begins with "${text}"`)
  // A whole id counts, also where it is the beginning of another one.
  const whole = found.find((id) => id === text) ?? store.run(runId(text))?.sessionId
  if (whole !== undefined || found.length === 1) return whole ?? only
  const named = found.slice(0, MOST_NAMED).join(', ')
  const more = found.length > MOST_NAMED ? ', …' : ''
  throw new SubagentError(
    'INVALID_REQUEST',
    'request',
    `"${text}" is the beginning of several sessions' ids: ${named}${more}. Give more of the one that you mean.`,
    {},
  )
}

const missing = (sessionId: string, what: string): never => {
  throw new SubagentError('SESSION_NOT_FOUND', 'resolve', `${what}. See: subgate sessions list --all`, {
    sessionId,
  })
}
