/** Brings sessions from files into the store: Subgate's own exports and sessions of dsh 0.1, all of them or none. */
import { isAbsolute } from 'node:path'
import { SubagentError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { Intake, SessionStore } from '../store.ts'
import { badFile } from './bad-file.ts'
import { isDshHeader } from './dsh-records.ts'
import { readDshSession } from './dsh-session.ts'
import type { PlainHeader, WholeSession } from './format.ts'
import { withNewIds } from './new-ids.ts'
import { parseLine, readLines } from './read-file.ts'
import { isSessionLine, readSession } from './read-session.ts'
import type { Row } from './read-session.ts'
import { registersOf } from './seeded-registers.ts'
import { settleOpen } from './settle-open.ts'

export interface ImportOptions {
  /** Stands in for the directory of a session that has none. */
  readonly cwd: string
  /** Sessions and runs get ids of their own; else they keep theirs, which must not be taken. */
  readonly newIds?: boolean
  readonly newId: () => string
}

export interface Imported extends PlainHeader {
  /** The id in the file. */
  readonly from: SessionId
  readonly lastSeq: number
}

/** Rows up to the next header. */
const grouped = (rows: readonly Row[]): readonly (readonly Row[])[] => {
  const groups: Row[][] = []
  for (const row of rows) {
    if (isSessionLine(row.value)) groups.push([row])
    else groups.at(-1)?.push(row)
  }
  return groups
}

const sessionsIn = async (file: string, cwd: string): Promise<readonly WholeSession[]> => {
  const { lines, torn } = await readLines(file)
  const rows = lines.map((line): Row => {
    return { place: { file, line: line.number }, value: parseLine(file, line) }
  })
  const [head] = rows
  if (head === undefined || !isSessionLine(head.value)) {
    throw badFile(
      { file, ...(head !== undefined && { line: 1 }) },
      'it does not begin with the header of a session',
    )
  }
  return grouped(rows).map((group, index, groups) => {
    const [first = head, ...rest] = group
    // A process of dsh that died may leave its last record torn; what stands before it is whole.
    if (isDshHeader(first.value)) return readDshSession(first, rest, cwd)
    if (torn && index === groups.length - 1) throw badFile({ file }, 'its end is missing')
    return readSession(first, rest)
  })
}

/** dsh names the parent alone; further up it is looked for among what is imported, then in the store. */
const rootOf = (
  { id, rootId, parentId }: PlainHeader,
  headers: ReadonlyMap<SessionId, PlainHeader>,
  store: Pick<SessionStore, 'get'>,
): SessionId => {
  if (parentId === undefined || rootId !== parentId) return rootId
  const seen = new Set<SessionId>([id])
  let root = parentId
  while (!seen.has(root)) {
    seen.add(root)
    const header = headers.get(root) ?? store.get(root)?.header
    if (header?.parentId === undefined) break
    root = header.parentId
  }
  return root
}

const withRoots = (
  sessions: readonly WholeSession[],
  store: Pick<SessionStore, 'get'>,
): readonly WholeSession[] => {
  const headers = new Map(sessions.map(({ header }) => [header.id, header]))
  return sessions.map((session) => ({
    ...session,
    header: { ...session.header, rootId: rootOf(session.header, headers, store) },
  }))
}

const checkIds = (sessions: readonly WholeSession[], store: Pick<SessionStore, 'get'>): void => {
  const seen = new Set<SessionId>()
  for (const { header } of sessions) {
    if (seen.has(header.id))
      throw refused(`The session ${header.id} stands in these files twice`, 'Name it once.')
    seen.add(header.id)
    if (store.get(header.id) !== undefined)
      throw refused(
        `A session ${header.id} is stored here already`,
        'Import it under ids of its own with --new-ids.',
      )
  }
}

const refused = (what: string, action: string): SubagentError =>
  new SubagentError('INVALID_REQUEST', 'request', `${what}. Nothing was imported. ${action}`, {
    field: '--new-ids',
  })

const checkDirectory = ({ header }: WholeSession, file: string): void => {
  if (!isAbsolute(header.cwd)) throw badFile({ file, line: 1 }, 'its "cwd" must be an absolute path', 'cwd')
}

/** All is read and checked before anything is written. Returns what was imported, in the order of the files. */
export const importSessions = async (
  store: Pick<SessionStore, 'get'> & Intake,
  files: readonly string[],
  { cwd, newIds = false, newId }: ImportOptions,
): Promise<readonly Imported[]> => {
  const read: WholeSession[] = []
  for (const file of files) {
    const sessions = await sessionsIn(file, cwd)
    for (const session of sessions) checkDirectory(session, file)
    read.push(...sessions)
  }
  const rooted = withRoots(read, store)
  if (!newIds) checkIds(rooted, store)
  const renamed = newIds ? withNewIds(rooted, newId) : rooted
  const ended = renamed.map((session) => ({ ...session, entries: settleOpen(session.entries) }))
  await store.take(
    ended.map((session) => ({
      header: session.header,
      inherited: session.entries.slice(0, session.inheritedEventCount),
      entries: session.entries.slice(session.inheritedEventCount),
      registers: registersOf(session),
    })),
  )
  return ended.map(({ header, entries }, index) => ({
    ...header,
    from: rooted[index]?.header.id ?? header.id,
    lastSeq: entries.length,
  }))
}
