/** Kept agents as those who may control them see them: written to, stopped, listed (B11.1). */
import type { ContentBlock } from '../contract/content.ts'
import { SubagentError } from '../contract/errors.ts'
import type { SessionId } from '../contract/ids.ts'
import { present } from '../contract/present.ts'
import type { KeptAgent, KeptAgents } from '../contract/provider.ts'
import type { ListedSession, SessionHeader, Store, StoredSession } from '../sessions/store.ts'
import { authorize, isAbove } from './authority.ts'
import type { Inboxes } from './inboxes.ts'
import type { LiveSession } from './live-session.ts'

export interface ControlHouse {
  readonly store: Store
  readonly sessions: ReadonlyMap<SessionId, LiveSession>
  readonly inboxes: Inboxes
  readonly now: () => number
}

/** The most that one look at a tree reads. */
const MOST = 1000

/** `caller` undefined: the user. */
export const keptAgents = (caller: SessionId | undefined, house: ControlHouse): KeptAgents => {
  const { store, sessions, inboxes, now } = house
  const header = (id: SessionId): SessionHeader | undefined =>
    sessions.get(id)?.log.header ?? store.get(id)?.header
  const from = present({ from: caller })

  const authorized = (id: SessionId): StoredSession => {
    const stored = store.get(id)
    if (stored === undefined) throw unknown(id)
    authorize(caller, stored.header, header)
    if (stored.registers.descriptor?.mode !== 'kept') throw notKept(id)
    return stored
  }

  return {
    send: (to: SessionId, content: readonly ContentBlock[]) => {
      authorized(to)
      store.post({ to, ...from, at: now(), kind: 'message', content })
      inboxes.expect(to)
    },
    interrupt: (id) => {
      const { registers } = authorized(id)
      const works = sessions.get(id)?.run !== undefined || registers.openRun !== undefined
      if (!works && !inboxes.starts(id)) return false
      store.post({ to: id, ...from, at: now(), kind: 'interrupt' })
      return true
    },
    list: () => {
      const rootId = caller && header(caller)?.rootId
      const rows = store.list({ ...present({ rootId }), limit: MOST })
      const places = new Map(rows.map((row) => [row.header.id, row.header]))
      const find = (id: SessionId): SessionHeader | undefined => places.get(id) ?? header(id)
      return rows
        .filter((row) => caller === undefined || isAbove(caller, row.header, find))
        .toSorted((a, b) => a.header.createdAt - b.header.createdAt)
        .flatMap((row) => agentOf(row))
    },
  }
}

const agentOf = ({ header, registers, owner }: ListedSession): readonly KeptAgent[] => {
  const { id, parentId, label, provider } = header
  const { descriptor, openRun, lastStatus } = registers
  if (parentId === undefined || descriptor?.mode !== 'kept') return []
  const held = openRun === undefined ? 'idle' : 'running'
  const state = owner === undefined ? 'ready' : held
  return [{ id, parentId, provider, state, ...present({ label, lastStatus }) }]
}

const unknown = (sessionId: SessionId): SubagentError =>
  new SubagentError('SESSION_NOT_FOUND', 'resolve', `No agent has the id ${sessionId}. List the agents.`, {
    sessionId,
  })

const notKept = (id: SessionId): SubagentError =>
  new SubagentError(
    'INVALID_REQUEST',
    'resolve',
    `The session ${id} is no kept agent: it had one task and takes no messages. Start another one, in the background.`,
    { field: 'agent' },
  )
