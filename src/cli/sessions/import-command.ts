/** `subgate sessions import`: brings sessions from files into the store, all of them or none. */
import { randomUUID } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { SubagentError } from '../../contract/errors.ts'
import { importSessions, openOrMake } from '../../gateway-store.ts'
import type { Imported } from '../../gateway-store.ts'
import type { Io } from '../io.ts'

export interface ImportFlags {
  readonly newIds?: true
  readonly json?: true
}

export const importCommand = async (
  paths: readonly string[],
  flags: ImportFlags,
  io: Io,
): Promise<number> => {
  const found = await Promise.all(paths.map((path) => filesAt(resolve(io.cwd, path))))
  using store = openOrMake({ env: io.env })
  const imported = await importSessions(store, found.flat(), {
    cwd: io.cwd,
    newIds: flags.newIds === true,
    newId: randomUUID,
  })
  if (flags.json === true) {
    io.stdout.json({ type: 'import', sessions: imported.map(documentOf) })
    return 0
  }
  for (const { id } of imported) io.stdout.write(`${id}\n`)
  await io.stdout.flushed()
  io.say(`${imported.length} ${imported.length === 1 ? 'session' : 'sessions'} imported.`)
  warn(imported, (id) => store.get(id)?.registers.sandbox === 'danger-full-access', io)
  return 0
}

const documentOf = ({ id, from, rootId, parentId, provider, depth, label, cwd }: Imported): object => ({
  sessionId: id,
  ...(from !== id && { from }),
  rootSessionId: rootId,
  ...(parentId !== undefined && { parentSessionId: parentId }),
  provider,
  depth,
  ...(label !== undefined && { label }),
  cwd,
})

/** A file from elsewhere may say so without anybody here having agreed to it. */
const warn = (imported: readonly Imported[], unconfined: (id: Imported['id']) => boolean, io: Io): void => {
  for (const { id } of imported.filter((session) => unconfined(session.id)))
    io.say(`${id} stands under danger-full-access: resumed, nothing confines it. --sandbox narrows that.`)
}

/** Names of dsh's session files; whatever else lies in its folders isn't read. */
const DSH_FILE = /^session\.jsonl(?:\.zstd)?$/u

/** A file itself; of a folder the session files of dsh below it. */
const filesAt = async (path: string): Promise<readonly string[]> => {
  const stats = await stat(path).catch(() => undefined)
  if (stats?.isDirectory() !== true) return [path]
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile() && DSH_FILE.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
  if (files.length > 0) return files.toSorted()
  throw new SubagentError(
    'INVALID_REQUEST',
    'request',
    `${path} is a folder without session files of dsh (session.jsonl, session.jsonl.zstd). Name a file.`,
    { field: 'file' },
  )
}
