/** What was said in a chat, from the logs of its sessions, in the order of time. Reads alone. */
import type { LogEntry } from '../contract/events.ts'
import type { RunId, SessionId } from '../contract/ids.ts'
import { present } from '../contract/present.ts'
import type { ChatStore, StoredChat } from './host.ts'
import { isDelegated, sessionsOf, treeOf } from './stored-chats.ts'

/** A part of one session's log that belongs to the chat. */
export interface Stretch {
  readonly sessionId: SessionId
  readonly provider: string
  /** A person delegated it; the chat's own agent had no part in it. */
  readonly delegated: boolean
  /** Events behind this one; what is shared with another chat is told by that. */
  readonly after: number
  /** Nothing later than this, in epoch milliseconds. */
  readonly until: number
  /** Of a session below the chat's own: what hangs on it is a child. */
  readonly below?: { readonly openRun?: RunId }
}

const inherited = ({ header }: StoredChat): number =>
  header.prefix.reduce((count, part) => count + part.count, 0)

/** A copy begins with what the chat held that it is a copy of, as long as that is there. */
export const stretchesOf = (
  store: ChatStore,
  chat: string,
  until: number = Infinity,
  from?: { readonly id: string; readonly until: number },
): readonly Stretch[] => {
  const sessions = sessionsOf(store, chat)
  const origin = from ?? sessions.find(({ header }) => header.chat?.from !== undefined)?.header.chat?.from
  const before = origin === undefined ? [] : stretchesOf(store, origin.id, Math.min(origin.until, until))
  const own = sessions.map((session) => ({
    sessionId: session.header.id,
    provider: session.header.provider,
    delegated: isDelegated(session, sessions),
    after: before.length > 0 ? inherited(session) : 0,
    until,
  }))
  return [...before, ...own]
}

/** With what worked below the chat's own sessions, each behind the one that it hangs on. */
export const withDescendants = (store: ChatStore, stretches: readonly Stretch[]): readonly Stretch[] => {
  const delegated = new Set(stretches.filter((each) => each.delegated).map(({ sessionId }) => sessionId))
  return stretches.flatMap((stretch) =>
    stretch.delegated ? [] : [stretch, ...below(store, stretch, (id) => delegated.has(id))],
  )
}

const below = (
  store: ChatStore,
  { sessionId, until }: Stretch,
  isDelegatedTask: (id: SessionId) => boolean,
): readonly Stretch[] => {
  const root = store.get(sessionId)?.header.rootId
  const within = new Set([sessionId])
  const found: Stretch[] = []
  for (const session of root === undefined ? [] : treeOf(store, root)) {
    const { id, parentId, provider } = session.header
    if (parentId === undefined || !within.has(parentId)) continue
    within.add(id)
    const { openRun } = session.registers
    const after = inherited(session)
    found.push({
      sessionId: id,
      provider,
      delegated: isDelegatedTask(id),
      after,
      until,
      below: present({ openRun }),
    })
  }
  return found
}

export interface Told {
  readonly stretch: Stretch
  readonly entry: LogEntry
}

const PAGE = 256

function* read(store: ChatStore, stretch: Stretch): Generator<LogEntry, undefined> {
  for (let { after } = stretch; ;) {
    const page = store.read(stretch.sessionId, after, PAGE)
    for (const entry of page) {
      if (entry.at > stretch.until) return
      yield entry
    }
    const last = page.at(-1)
    if (last === undefined) return
    after = last.seq
  }
}

/** Page by page, so that a long chat is never held whole. */
export function* historyOf(store: ChatStore, stretches: readonly Stretch[]): Generator<Told> {
  const readers = stretches.map((stretch) => {
    const entries = read(store, stretch)
    return { stretch, entries, next: entries.next().value }
  })
  for (;;) {
    let first: (typeof readers)[number] | undefined
    for (const reader of readers) {
      if (reader.next === undefined) continue
      if (first?.next === undefined || reader.next.at < first.next.at) first = reader
    }
    if (first?.next === undefined) return
    yield { stretch: first.stretch, entry: first.next }
    first.next = first.entries.next().value
  }
}
