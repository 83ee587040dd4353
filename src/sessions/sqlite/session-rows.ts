/** A session and its row: the header's facts, the registers, and what is listed and searched. */
import type { RunId, SessionId } from '../../contract/ids.ts'
import { present } from '../../contract/present.ts'
import type { Registers } from '../registers.ts'
import type { ChatLink, PrefixPart, SessionHeader, StoredSession } from '../store.ts'
import type { Connection } from './connection.ts'
import { takeName } from './names.ts'

export interface SessionRow {
  readonly key: number
  readonly id: SessionId
  readonly root_id: SessionId
  readonly parent_id: SessionId | null
  readonly provider: string
  readonly depth: number
  readonly max_depth: number | null
  readonly cwd: string
  readonly label: string | null
  readonly name: string | null
  readonly chat: string | null
  readonly chat_from: string | null
  readonly created_at: number
  readonly prefix: string
  readonly registers: string
  readonly last_seq: number
  readonly updated_at: number
  readonly open_run: RunId | null
  readonly owner: string | null
}

const chatOf = ({ chat, chat_from: from }: SessionRow): ChatLink | undefined =>
  chat === null
    ? undefined
    : { id: chat, ...(from !== null && { from: JSON.parse(from) as NonNullable<ChatLink['from']> }) }

export const headerOf = (row: SessionRow): SessionHeader => ({
  id: row.id,
  rootId: row.root_id,
  ...present({ parentId: row.parent_id ?? undefined }),
  provider: row.provider,
  depth: row.depth,
  ...present({ maxDepth: row.max_depth ?? undefined }),
  cwd: row.cwd,
  ...present({ label: row.label ?? undefined, name: row.name ?? undefined, chat: chatOf(row) }),
  createdAt: row.created_at,
  prefix: JSON.parse(row.prefix) as readonly PrefixPart[],
})

export const storedOf = (row: SessionRow): StoredSession => ({
  header: headerOf(row),
  registers: JSON.parse(row.registers) as Registers,
  lastSeq: row.last_seq,
})

export const sessionRow = (connection: Connection, id: SessionId): SessionRow | undefined =>
  connection.one<SessionRow>('select * from sessions where id = ?', id)

/** The key of a log, also of one whose session was removed. */
export const logKey = (connection: Connection, id: SessionId): number | undefined =>
  connection.one<{ key: number }>('select key from logs where id = ?', id)?.key

export interface NewSession {
  readonly header: SessionHeader
  readonly registers: Registers
  readonly lastSeq: number
  readonly at: number
  /** Absent = held by nobody. */
  readonly owner?: string
  /** Its log, where that is there before it. */
  readonly log?: number
}

/** Writes the row of a new session; returns its key. */
export const insertSession = (
  connection: Connection,
  { header, registers, lastSeq, at, owner, log }: NewSession,
): number => {
  const { id, rootId, parentId, provider, depth, maxDepth, cwd, label, name, createdAt, prefix } = header
  if (name !== undefined) takeName(connection, { name, provider, cwd, sessionId: id })
  const key = log ?? connection.run('insert into logs (id) values (?)', id).id
  connection.run(
    `insert into sessions (key, id, root_id, parent_id, provider, depth, max_depth, cwd, label, name, created_at,
      prefix, registers, last_seq, updated_at, open_run, owner)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    key,
    id,
    rootId,
    parentId ?? null,
    provider,
    depth,
    maxDepth ?? null,
    cwd,
    label ?? null,
    name ?? null,
    createdAt,
    JSON.stringify(prefix),
    JSON.stringify(registers),
    lastSeq,
    at,
    registers.openRun ?? null,
    owner ?? null,
  )
  if (header.chat !== undefined) joinChat(connection, key, header.chat)
  share(connection, key, prefix)
  return key
}

const joinChat = (connection: Connection, key: number, { id, from }: ChatLink): void => {
  const origin = from === undefined ? null : JSON.stringify(from)
  connection.run('update sessions set chat = ?, chat_from = ? where key = ?', id, origin, key)
}

const share = (connection: Connection, fork: number, prefix: readonly PrefixPart[]): void => {
  let through = 0
  for (const { sessionId, count } of prefix) {
    through += count
    const log = logKey(connection, sessionId)
    if (log === undefined) throw new Error(`Session ${sessionId} was never published.`)
    connection.run('insert into shares (log, fork, through) values (?, ?, ?)', log, fork, through)
  }
}
