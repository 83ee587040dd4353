/** Reads what `ps` shows from the store: open and held sessions, their ancestors, and what each does now. */
import { STARTING } from '../terminal/doing.ts'
import type { ListedSession, Store } from '../../gateway-store.ts'
import type { SessionId } from '../../contract/ids.ts'
import { activityOf } from './activity.ts'
import type { Activity } from './activity.ts'
import { isOpen, stateOf } from './state.ts'
import { startedEntry, summaryOf } from './summary.ts'
import type { SessionSummary } from './summary.ts'

export interface RunningSession extends SessionSummary {
  /** What its agent does; only of an open run. */
  readonly activity?: Activity
}

export interface Gathering {
  /** Also what settled within the last day. */
  readonly all: boolean
  readonly now: number
}

type Source = Pick<Store, 'list' | 'read' | 'runs'>

const DAY_MS = 86_400_000
/** A list is read so far, and its newest part is shown. */
const MOST = 1000
/** The last events of a run tell what it does; a question that was asked before them is looked for in all. */
const TAIL = 512

export const gather = (store: Source, { all, now }: Gathering): readonly RunningSession[] => {
  const found = new Map<SessionId, ListedSession>()
  const add = (sessions: readonly ListedSession[]): void => {
    for (const session of sessions) found.set(session.header.id, session)
  }
  const recent = store.list({ limit: MOST }).filter(({ at }) => at >= now - DAY_MS)
  add(all ? recent : recent.filter((session) => stateOf(session) === 'idle'))
  add(store.list({ openOnly: true, limit: MOST }))
  add(ancestors(store, found))
  const sessions = [...found.values()].toSorted((one, other) => other.at - one.at)
  const openChildren = Map.groupBy(
    sessions.filter(({ registers }) => registers.openRun !== undefined),
    ({ header }) => header.parentId,
  )
  return sessions.map((session) => {
    const summary = summaryOf(store, session)
    if (!isOpen(summary.state)) return summary
    const children = openChildren.get(session.header.id)?.length ?? 0
    return { ...summary, activity: readActivity(store, session, children) }
  })
}

/** Those above what was found, so that no branch hangs in the air. */
const ancestors = (
  store: Pick<Store, 'list'>,
  found: ReadonlyMap<SessionId, ListedSession>,
): readonly ListedSession[] => {
  const above = new Map<SessionId, ListedSession>()
  const trees = new Map<SessionId, ReadonlyMap<SessionId, ListedSession>>()
  const treeWith = (rootId: SessionId): ReadonlyMap<SessionId, ListedSession> => {
    const known = trees.get(rootId)
    if (known !== undefined) return known
    const tree = new Map(store.list({ rootId, limit: MOST }).map((session) => [session.header.id, session]))
    trees.set(rootId, tree)
    return tree
  }
  for (const { header } of found.values()) {
    let { parentId } = header
    while (parentId !== undefined && !found.has(parentId) && !above.has(parentId)) {
      const parent = treeWith(header.rootId).get(parentId)
      if (parent !== undefined) above.set(parentId, parent)
      parentId = parent?.header.parentId
    }
  }
  return [...above.values()]
}

/** Of a session with an open run. */
export const readActivity = (
  store: Pick<Store, 'read'>,
  { header, lastSeq, run, registers }: ListedSession,
  openChildren: number,
): Activity => {
  if (run === undefined) return { doing: STARTING.doing, needsYou: false }
  const { id } = header
  const started = startedEntry(store, run)
  const from = Math.max(run.firstSeq, lastSeq - TAIL)
  const begin = started === undefined ? [] : [started]
  const seen = activityOf([...begin, ...store.read(id, from, TAIL)], openChildren)
  const asked = (registers.asked ?? []).length > 0 || registers.forms !== undefined
  if (!asked || seen.needsYou || from === run.firstSeq) return seen
  return activityOf([...begin, ...store.read(id, run.firstSeq, lastSeq - run.firstSeq)], openChildren)
}
