/** Stored sessions made by hand, in the forms in which a store gives them. */
import type { SessionUpdate } from '../../../../src/contract/content.ts'
import type { LogEntry, SessionEvent } from '../../../../src/contract/events.ts'
import { permissionId, runId, sessionId } from '../../../../src/contract/ids.ts'
import type { RunId, SessionId } from '../../../../src/contract/ids.ts'
import { EMPTY_REGISTERS, foldRegisters } from '../../../../src/sessions/registers.ts'
import type { ListedSession, Owner, SessionHeader, Store, StoredRun } from '../../../../src/sessions/store.ts'
import type { SessionSummary } from '../../../../src/cli/reading/summary.ts'

export const NOW = 1_800_000_000_000
export const ALIVE: Owner = { id: 'o1', pid: 11, startTime: 1, bootId: 'b', seenAt: NOW }

export const update = (fields: Record<string, unknown>): SessionEvent => ({
  type: 'session/update',
  update: fields as SessionUpdate,
})

export const said = (text: string, kind = 'agent_message_chunk'): SessionEvent =>
  update({ sessionUpdate: kind, content: { type: 'text', text } })

export const tool = (toolCallId: string, fields: Record<string, unknown> = {}): SessionEvent =>
  update({ sessionUpdate: 'tool_call', toolCallId, ...fields })

export const started = (prompt?: string, more: { label?: string } = {}): SessionEvent => ({
  type: 'run/started',
  provider: 'p',
  depth: 0,
  ...(prompt !== undefined && { prompt: [{ type: 'text', text: prompt }] }),
  ...more,
})

export const asks = (id: string, title: string): SessionEvent => ({
  type: 'permission/requested',
  id: permissionId(id),
  toolCall: { toolCallId: 't1', title, kind: 'edit' },
  options: [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' }],
  path: ['helper'],
})

export const settled = (
  more: Partial<Extract<SessionEvent, { type: 'run/settled' }>> = {},
): SessionEvent => ({
  type: 'run/settled',
  status: 'completed',
  denied: [],
  durationMs: 65_000,
  ...more,
})

export interface Written {
  readonly id: string
  readonly header?: Partial<SessionHeader>
  /** Events of one run, `run/started` first; its id is the session's with `run` for `ses`. */
  readonly events?: readonly SessionEvent[]
  /** A living process; a dead one owns nothing. */
  readonly owner?: Owner
  /** Of all of its events. */
  readonly at?: number
}

export const run = (id: string): RunId => runId(id.replace('ses', 'run'))

interface Kept {
  readonly listed: ListedSession
  readonly entries: readonly LogEntry[]
  readonly runs: readonly StoredRun[]
}

const keep = ({ id, header = {}, events = [], owner, at = NOW }: Written): Kept => {
  const entries = events.map((event, index): LogEntry => ({ seq: index + 1, at, runId: run(id), event }))
  const ending = entries.find(({ event }) => event.type === 'run/settled')
  const whole: SessionHeader = {
    id: sessionId(id),
    rootId: header.parentId ?? sessionId(id),
    provider: 'p',
    depth: header.parentId === undefined ? 0 : 1,
    cwd: '/w',
    createdAt: at,
    prefix: [],
    ...header,
  }
  const own: StoredRun = {
    id: run(id),
    sessionId: whole.id,
    provider: whole.provider,
    depth: whole.depth,
    firstSeq: 1,
    startedAt: at,
    ...(ending?.event.type === 'run/settled' && {
      lastSeq: ending.seq,
      settledAt: at,
      status: ending.event.status,
      ...(ending.event.usage && { usage: ending.event.usage }),
    }),
  }
  const listed: ListedSession = {
    header: whole,
    registers: entries.length === 0 ? EMPTY_REGISTERS : foldRegisters(entries),
    lastSeq: entries.length,
    at,
    ...(entries.length > 0 && { run: own }),
    ...(owner !== undefined && { owner }),
  }
  return { listed, entries, runs: entries.length > 0 ? [own] : [] }
}

export const listedOf = (written: Written): ListedSession => keep(written).listed

/** What the reading commands need of a store. */
export const storeOf = (
  ...sessions: readonly Written[]
): Pick<Store, 'get' | 'read' | 'list' | 'run' | 'runs' | 'find'> & { readonly reads: number[] } => {
  const all = new Map(sessions.map((written) => [sessionId(written.id), keep(written)]))
  const reads: number[] = []
  return {
    reads,
    get: (id) => all.get(id)?.listed,
    read: (id, after, limit) => {
      reads.push(limit)
      return all.get(id)?.entries.slice(after, after + limit) ?? []
    },
    runs: (id) => all.get(id)?.runs ?? [],
    run: (id) => [...all.values()].flatMap(({ runs }) => runs).find((each) => each.id === id),
    find: (text, limit) =>
      [...all]
        .filter(([id, { runs }]) =>
          [id, ...runs.map((each) => each.id)].some((each) => each.startsWith(text)),
        )
        .map(([id]) => id)
        .slice(0, limit),
    list: ({ cwd, rootId, rootsOnly, openOnly, after, limit }) => {
      const order = [...all.values()]
        .map(({ listed }) => listed)
        .toSorted((one, other) => other.at - one.at || (one.header.id < other.header.id ? 1 : -1))
      const start = after === undefined ? 0 : order.findIndex(({ header }) => header.id === after.id) + 1
      return order
        .slice(start)
        .filter(
          ({ header, registers }) =>
            (cwd === undefined || header.cwd === cwd) &&
            (rootId === undefined || header.rootId === rootId) &&
            (rootsOnly !== true || header.parentId === undefined) &&
            (openOnly !== true || registers.openRun !== undefined),
        )
        .slice(0, limit)
    },
  }
}

export const summary = (id: string, more: Partial<SessionSummary> = {}): SessionSummary => ({
  sessionId: sessionId(id),
  rootSessionId: sessionId(id),
  provider: 'p',
  depth: 0,
  title: id,
  cwd: '/w',
  state: 'running',
  createdAt: NOW,
  changedAt: NOW,
  ...more,
})

export const session = (id: string): SessionId => sessionId(id)
