/** Files of sessions for tests of import and export, and what becomes of them. */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { LogEntry, SessionEvent } from '../../../../src/contract/events.ts'
import { sessionId } from '../../../../src/contract/ids.ts'
import { exportLines } from '../../../../src/sessions/exchange/export.ts'
import { importSessions } from '../../../../src/sessions/exchange/import.ts'
import type { Imported } from '../../../../src/sessions/exchange/import.ts'
import type { Store } from '../../../../src/sessions/store.ts'
import { memoryStore } from '../../../../src/sessions/memory-store.ts'
import { addSession } from '../../../fixtures/store-file.ts'

export const DSH: string = join(import.meta.dirname, '..', '..', '..', 'fixtures', 'dsh')
export const dsh = (name: string): string => join(DSH, name)

const folder = (): string => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'subgate-exchange-')))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** A file with this in it, gone after the test. */
export const fileOf = (content: string | Uint8Array, name = 'sessions.jsonl'): string => {
  const file = join(folder(), name)
  writeFileSync(file, content)
  return file
}

export const jsonl = (rows: readonly unknown[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('')

export const bring = (
  store: Store,
  files: string | readonly string[],
  newIds = false,
): Promise<readonly Imported[]> => {
  let next = 0
  const newId = (): string => {
    next += 1
    return `new${next}`
  }
  return importSessions(store, [files].flat(), { cwd: '/', newIds, newId })
}

export const textOf = (store: Store, id: string): string => [...exportLines(store, sessionId(id))].join('')

/** The rows of an exported session. */
export const rows = (id = 's'): any[] => {
  using store = memoryStore()
  addSession(store, id, { name: 'n', label: 'L', maxDepth: 3 })
  return textOf(store, id)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
}

export const entriesOf = (store: Store, id: string): readonly LogEntry[] =>
  store.read(sessionId(id), 0, 1_000_000)

export const eventsOf = (store: Store, id: string): readonly SessionEvent[] =>
  entriesOf(store, id).map(({ event }) => event)

/** The child with a persona and a tool filter that a provider named `reviewers` made, record by record. */
export const reviewersChild = (): any[] =>
  readFileSync(dsh('reviewers-child.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)

/** The child of the fixture with one record changed. */
export const changed = (type: string, change: (record: any) => unknown): string =>
  fileOf(jsonl(reviewersChild().map((record) => (record.type === type ? change(record) : record))))
