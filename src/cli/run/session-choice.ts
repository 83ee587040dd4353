/** Which stored session a run goes on with: `--resume`, `-s NAME`, `--fork`. */
import { SubagentError } from '../../contract/errors.ts'
import type { JsonObject } from '../../contract/json.ts'
import { present } from '../../contract/present.ts'
import type { SubagentStartRequest } from '../../contract/request.ts'
import type { SessionId } from '../../contract/ids.ts'
import { lookUp } from '../../gateway-store.ts'
import type { Store } from '../../gateway-store.ts'
import type { RunFlags } from './arguments.ts'

export type SessionFlags = Pick<RunFlags, 'resume' | 'session' | 'fork'>

export interface Resumed {
  readonly sessionId: SessionId
  readonly provider: string
  readonly cwd: string
}

/** What `--resume` means here; undefined without it. Throws `SESSION_NOT_FOUND`, or `INVALID_REQUEST` for a prefix of several. */
export const resumedSession = async (
  { resume, session, fork }: SessionFlags,
  { store, recovered }: { readonly store: Store; readonly recovered: Promise<unknown> },
  cwd: string,
): Promise<Resumed | undefined> => {
  if (resume !== undefined && session !== undefined)
    throw usage('--resume', 'Both --resume and -s were given. Leave one out.')
  if (fork === true && resume === undefined && session === undefined)
    throw usage('--fork', '--fork was given without a session to copy. Name it with --resume or -s.')
  if (resume === undefined) return undefined
  await recovered
  const sessionId = lookUp(store, resume, cwd)
  const header = store.get(sessionId)?.header
  if (header === undefined) throw noSuch(resume)
  return { sessionId, provider: header.provider, cwd: header.cwd }
}

/** The prompt's words, without a first one that only repeats the session's provider. */
export const promptWords = (
  words: readonly string[],
  provider: string,
  canonical: (name: string) => string | undefined,
): readonly string[] => (words[0] !== undefined && canonical(words[0]) === provider ? words.slice(1) : words)

/** The parts of a request that take a session up, copy it, or name a new one. */
export const sessionRequest = (
  { session, fork }: SessionFlags,
  resumed: Resumed | undefined,
  { provider, cwd }: { readonly provider: string; readonly cwd: string },
  store: () => Pick<Store, 'list'>,
): Pick<SubagentStartRequest, 'session' | 'keep'> => {
  const from = fork === true ? 'fork' : 'resume'
  if (resumed !== undefined) return { session: { from, sessionId: resumed.sessionId } }
  if (session === undefined) return {}
  const [known] = store().list({ name: session, provider, cwd, limit: 1 })
  if (known !== undefined)
    return { session: { from, sessionId: known.header.id }, ...(fork === undefined && { keep: true }) }
  if (fork === true) throw noSuch(session)
  return { session: { from: 'new', name: session }, keep: true }
}

/**
 * What was asked, with the session as it was typed; undefined where none was. What that means may be another session
 * by the time that the same is asked again.
 */
export const askedWith = (
  { resume, session, fork }: SessionFlags,
  rest: Readonly<Record<string, unknown>>,
): JsonObject | undefined =>
  resume === undefined && session === undefined
    ? undefined
    : (present({ ...rest, session: present({ resume, name: session, fork }) }) as JsonObject)

const noSuch = (text: string): SubagentError =>
  new SubagentError(
    'SESSION_NOT_FOUND',
    'resolve',
    `No session is known as "${text}" here. See: subgate sessions list`,
    { sessionId: text },
  )

const usage = (field: string, message: string): SubagentError =>
  new SubagentError('INVALID_REQUEST', 'request', message, { field })
