/** Chats as the store knows them: sessions that belong together, and sessions that were made without a chat. Reads alone. */
import type { ContentBlock } from '../contract/content.ts'
import type { SessionId } from '../contract/ids.ts'
import { present } from '../contract/present.ts'
import { invalid } from './errors.ts'
import type { ChatStore, StoredChat } from './host.ts'
import { promptOf } from './said.ts'

const PAGE = 256
const LISTED = 50

/** A session without a chat is a chat of its own, by its own id. */
export const chatOf = ({ header }: Pick<StoredChat, 'header'>): string => header.chat?.id ?? header.id

/** The session that a chat is called by, where it began as one. */
const founder = (store: ChatStore, chat: string): readonly StoredChat[] =>
  store.list({ rootId: chat as SessionId, rootsOnly: true, limit: 1 }).filter((each) => chatOf(each) === chat)

/** All of its sessions, oldest first; none: there is no such chat. */
export const sessionsOf = (store: ChatStore, chat: string): readonly StoredChat[] => {
  const found = [...founder(store, chat), ...pagesOf(store, { chat })]
  return found.toSorted((one, other) => one.header.createdAt - other.header.createdAt)
}

/** Every session that fits. */
const pagesOf = (
  store: ChatStore,
  filter: { readonly chat: string } | { readonly rootId: SessionId },
): readonly StoredChat[] => {
  const found: StoredChat[] = []
  for (let after: { at: number; id: SessionId } | undefined; ;) {
    const page = store.list({ ...filter, limit: PAGE, ...present({ after }) })
    found.push(...page)
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return found
    after = { at: last.at, id: last.header.id }
  }
}

/** A session with all below it, parents first. */
export const treeOf = (store: ChatStore, rootId: SessionId): readonly StoredChat[] =>
  pagesOf(store, { rootId }).toSorted(
    ({ header: one }, { header: other }) => one.depth - other.depth || one.createdAt - other.createdAt,
  )

/** How far these sessions and all below them go by now, by session: what a chat that is opened again need not tell anew. */
export const endsOf = (
  store: ChatStore,
  sessions: readonly StoredChat[],
): Readonly<Record<SessionId, number>> =>
  Object.fromEntries(
    sessions
      .flatMap((session) => [session, ...treeOf(store, session.header.rootId)])
      .map(({ header, lastSeq }) => [header.id, lastSeq]),
  )

/** A task that a person delegated: a child of the chat's own agent that belongs to the chat itself. */
export const isDelegated = ({ header }: Pick<StoredChat, 'header'>, all: readonly StoredChat[]): boolean =>
  all.some((other) => other.header.id === header.parentId)

/** The process that holds something of it open, unless that is this one. */
export const heldBy = (sessions: readonly StoredChat[]): number | undefined =>
  sessions.find(({ owner }) => owner !== undefined && owner.pid !== process.pid)?.owner?.pid

export interface ChatInfo {
  readonly id: string
  readonly cwd: string
  readonly title: string
  readonly at: number
}

export interface ChatFilter {
  readonly cwd?: string
  readonly cursor?: string
  /** Chats in which this provider spoke last alone. */
  readonly provider?: string
}

/** Newest change first. A chat stands where its newest session does. */
export const listChats = (
  store: ChatStore,
  { cwd, cursor, provider }: ChatFilter,
): { readonly chats: readonly ChatInfo[]; readonly next?: string } => {
  const chats: ChatInfo[] = []
  let after = cursor === undefined ? undefined : readCursor(cursor)
  for (;;) {
    const page = store.list({ rootsOnly: true, limit: LISTED, ...present({ cwd, after }) })
    for (const session of page) {
      after = { at: session.at, id: session.header.id }
      if (!isNewest(store, session)) continue
      if (provider !== undefined && session.header.provider !== provider) continue
      chats.push(infoOf(store, session))
      if (chats.length === LISTED) return { chats, next: cursorOf(after) }
    }
    if (page.length < LISTED) return { chats }
  }
}

const isNewest = (store: ChatStore, session: StoredChat): boolean => {
  const chat = chatOf(session)
  const [newest] = [...store.list({ chat, rootsOnly: true, limit: 1 }), ...founder(store, chat)].toSorted(
    (one, other) => other.at - one.at || (one.header.id < other.header.id ? 1 : -1),
  )
  return newest === undefined || newest.header.id === session.header.id
}

const infoOf = (store: ChatStore, session: StoredChat): ChatInfo => {
  const id = chatOf(session)
  return { id, cwd: session.header.cwd, title: titleOf(store, id), at: session.at }
}

/** The agent's own title, else the first line of what was asked first. */
export const titleOf = (store: ChatStore, chat: string): string => {
  const [first] = sessionsOf(store, chat)
  if (first === undefined) return ''
  const { header } = first
  let asked = ''
  let said: string | undefined
  for (const { event } of store.read(header.id, 0, PAGE)) {
    if (event.type === 'run/started' && asked === '') asked = promptTitle(promptOf(event))
    if (event.type !== 'session/update' || event.update.sessionUpdate !== 'session_info_update') continue
    const { title } = event.update as { readonly title?: unknown }
    if (typeof title === 'string' && title.trim() !== '') said = title
  }
  return said ?? header.label ?? header.name ?? asked
}

const TITLE_CHARACTERS = 80

export const promptTitle = (prompt: readonly ContentBlock[]): string => {
  const text = prompt.find((block) => block.type === 'text' && block.text.trim() !== '')
  const [line = ''] = text?.type === 'text' ? text.text.trim().split('\n') : []
  const words = Array.from(line.trim())
  return words.length > TITLE_CHARACTERS
    ? `${words.slice(0, TITLE_CHARACTERS - 1).join('')}…`
    : words.join('')
}

const cursorOf = (after: { readonly at: number; readonly id: SessionId }): string =>
  Buffer.from(JSON.stringify([after.at, after.id])).toString('base64url')

const readCursor = (cursor: string): { readonly at: number; readonly id: SessionId } => {
  try {
    const read: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (Array.isArray(read) && typeof read[0] === 'number' && typeof read[1] === 'string')
      return { at: read[0], id: read[1] as SessionId }
  } catch {
    // Said below.
  }
  throw invalid('cursor', '"cursor" is none that this list gave. Leave it out to begin at the newest.')
}
