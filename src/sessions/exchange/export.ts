/** Writes stored sessions as JSON Lines, page by page, so that a long one is never held whole. */
import { SubagentError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import { present } from '../../contract/present.ts'
import { inheritedEventCount } from '../prefix.ts'
import type { Registers } from '../registers.ts'
import type { ListedSession, SessionHeader, SessionIndex, SessionStore } from '../store.ts'
import { FORMAT_VERSION } from './format.ts'
import type { PlainHeader, Policy, SessionLine } from './format.ts'

const PAGE = 256

const gone = (id: SessionId): SubagentError =>
  new SubagentError('SESSION_NOT_FOUND', 'resolve', `No session has the id ${id}.`, { sessionId: id })

/** In one order of keys, so that the same session is always the same text. */
const plainHeader = (header: SessionHeader): PlainHeader => {
  const { id, rootId, parentId, provider, depth, maxDepth, cwd, label, name, chat, createdAt } = header
  return {
    id,
    rootId,
    ...present({ parentId }),
    provider,
    depth,
    ...present({ maxDepth }),
    cwd,
    ...present({ label, name, chat }),
    createdAt,
  }
}

const policyOf = ({ sandbox, permissionPreset, approvalPolicy, approvalSource }: Registers): Policy =>
  present({ sandbox, permissionPreset, approvalPolicy, approvalSource })

/**
 * The lines of one session as it stands now, each with its line feed, some at a time. What is shared with other
 * sessions is written out, so that the file stands alone.
 */
export function* exportLines(store: Pick<SessionStore, 'get' | 'read'>, id: SessionId): Generator<string> {
  const stored = store.get(id)
  if (stored === undefined) throw gone(id)
  const { header, registers, lastSeq } = stored
  const inherited = inheritedEventCount(header)
  const policy = policyOf(registers)
  const first: SessionLine = {
    type: 'session',
    version: FORMAT_VERSION,
    header: plainHeader(header),
    inheritedEventCount: inherited,
    ...(inherited > 0 && Object.keys(policy).length > 0 && { policy }),
    lastSeq,
  }
  yield `${JSON.stringify(first)}\n`
  for (let after = 0; after < lastSeq;) {
    const page = store.read(id, after, Math.min(PAGE, lastSeq - after))
    const last = page.at(-1)
    // It was removed meanwhile.
    if (last === undefined) throw gone(id)
    yield page.map((entry) => `${JSON.stringify(entry)}\n`).join('')
    after = last.seq
  }
}

const byAge = (a: ListedSession, b: ListedSession): number =>
  a.header.createdAt - b.header.createdAt || (a.header.id < b.header.id ? -1 : 1)

function* childrenOf(store: Pick<SessionIndex, 'list'>, parentId: SessionId): Generator<ListedSession> {
  let after: { readonly at: number; readonly id: SessionId } | undefined
  for (;;) {
    const page = store.list({ parentId, limit: PAGE, ...present({ after }) })
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    after = { at: last.at, id: last.header.id }
  }
}

/** A session and what it started, each before its own children, older ones first. */
export const treeOf = (store: Pick<SessionIndex, 'list'>, id: SessionId): readonly SessionId[] => [
  id,
  ...[...childrenOf(store, id)].toSorted(byAge).flatMap(({ header }) => treeOf(store, header.id)),
]
