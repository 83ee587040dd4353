/** A chat that is opened again: what it held is told as it was shown, and what works below it still is named (acp.md §3.7). */
import type { SessionUpdate } from '../contract/content.ts'
import type { RunStarted } from '../contract/events.ts'
import type { RunId, SessionId } from '../contract/ids.ts'
import type { SubagentRun } from '../contract/run.ts'
import type { ChildView } from './children.ts'
import { historyOf, withDescendants } from './history.ts'
import type { Stretch } from './history.ts'
import type { ChatStore, FaceHost } from './host.ts'
import type { Takes } from './params.ts'
import { replayOf } from './replay.ts'
import type { Start } from './subagents/child-of.ts'

export interface Retelling {
  readonly host: Pick<FaceHost, 'store' | 'storedRun'>
  readonly stretches: readonly Stretch[]
  readonly takes: Takes
  readonly children: Pick<ChildView, 'anew' | 'own' | 'take' | 'shown' | 'name' | 'adopt' | 'lose'>
  /** In the chat itself. */
  readonly say: (update: SessionUpdate) => Promise<void>
  /** How far each session is told: what comes behind that is followed. Absent where all is followed already. */
  readonly upTo?: Readonly<Record<SessionId, number>>
}

/** Questions of another time are over: nobody is asked them again. */
const OVER: ReadonlySet<string> = new Set(['permission/requested', 'permission/resolved'])

/** Of what is followed already, and works, nothing is told here: it goes on by itself, once it was named. */
export const retell = async ({ host, stretches, takes, children, say, upTo }: Retelling): Promise<void> => {
  const runOf = runsOf(host)
  // Another gateway has a store of its own, and takes none of this for news.
  const all = takes.echoes ? stretches : withDescendants(host.store, stretches)
  children.anew()
  for (const told of historyOf(host.store, all)) {
    const { stretch, entry } = told
    const { below, sessionId } = stretch
    const isOpen = below?.openRun !== undefined && entry.runId === below.openRun
    if (below !== undefined && (upTo === undefined ? isOpen : entry.seq > (upTo[sessionId] ?? 0))) continue
    for (const update of replayOf(told, takes)) {
      const said = below === undefined ? children.shown(sessionId, update) : update
      if (said !== undefined) await say(said)
    }
    const run = takes.echoes ? undefined : runOf(entry.runId)
    if (run === undefined || OVER.has(entry.event.type)) continue
    await (below === undefined ? children.own(run, entry) : children.take(run, entry, isOpen))
  }
  if (upTo !== undefined) await children.lose()
}

/** What works now, with all that it hangs on up to the chat's own sessions, parents first. */
export const continuing = ({
  host: { store },
  stretches,
}: Pick<Retelling, 'host' | 'stretches'>): readonly Stretch[] => {
  const all = withDescendants(store, stretches)
  const needed = aboveOpen(store, all)
  return all.filter(({ sessionId }) => needed.has(sessionId))
}

/** Resolves with whose trees have news to come. */
export const nameContinuing = async (
  found: readonly Stretch[],
  { host, children }: Pick<Retelling, 'host' | 'children'>,
): Promise<readonly SessionId[]> => {
  const runOf = runsOf(host)
  for (const { sessionId, below } of found) {
    if (below === undefined) await children.adopt(sessionId)
    const start = below === undefined ? undefined : startOf(host.store, sessionId, runOf)
    if (start !== undefined) await children.name(start)
  }
  return found.filter(({ below }) => below === undefined).map(({ sessionId }) => sessionId)
}

/** The sessions below that are at work, and those that they hang on. */
const aboveOpen = (store: ChatStore, all: readonly Stretch[]): ReadonlySet<SessionId> => {
  const needed = new Set<SessionId>()
  // From below: a parent stands before its children.
  for (const { sessionId, below } of all.toReversed()) {
    const session = store.get(sessionId)
    if (below !== undefined && session?.registers.openRun !== undefined) needed.add(sessionId)
    const parent = session?.header.parentId
    if (below !== undefined && parent !== undefined && needed.has(sessionId)) needed.add(parent)
  }
  return needed
}

const startOf = (store: ChatStore, id: SessionId, runOf: ReturnType<typeof runsOf>): Start | undefined => {
  const row = store.runs(id).at(-1)
  const run = runOf(row?.id)
  if (row === undefined || run === undefined) return undefined
  const [entry] = store.read(id, row.firstSeq - 1, 1)
  if (entry?.event.type !== 'run/started') return undefined
  const started: RunStarted = entry.event
  return { run, started, live: store.get(id)?.registers.openRun === row.id }
}

const runsOf = ({
  store,
  storedRun,
}: Retelling['host']): ((id: RunId | undefined) => SubagentRun | undefined) => {
  const runs = new Map<RunId, SubagentRun | undefined>()
  return (id) => {
    if (id === undefined) return undefined
    if (!runs.has(id)) {
      const row = store.run(id)
      runs.set(id, row && storedRun(row))
    }
    return runs.get(id)
  }
}
