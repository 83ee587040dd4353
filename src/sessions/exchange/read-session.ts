/** Reads exported sessions back from the lines of a file: strict in shape, and in the order of events. Pure. */
import type * as z from 'zod/mini'
import type { LogEntry } from '../../contract/events.ts'
import { isRecord } from '../../contract/json.ts'
import { complaint } from '../../contract/parse.ts'
import { present } from '../../contract/present.ts'
import { advance, FRESH, IllegalOrder } from '../automaton.ts'
import type { LifecycleState } from '../automaton.ts'
import { badFile } from './bad-file.ts'
import type { Place } from './bad-file.ts'
import { entrySchema, sessionLineSchema } from './event-schema.ts'
import { FORMAT_VERSION } from './format.ts'
import type { SessionLine, WholeSession } from './format.ts'

/** A line's value, and where it stands. */
export interface Row {
  readonly place: Place
  readonly value: unknown
}

/** Checked, and handed on as it was: so what is exported again is the same text. */
const checked = <T>(schema: z.ZodMiniType<T>, { place, value }: Row): T => {
  const parsed = schema.safeParse(value)
  if (parsed.success) return value as T
  const { path, message } = complaint(parsed.error, [])
  const where = path === '' || message.includes(path) ? '' : `"${path}": `
  throw badFile(place, `${where}${message}`, path === '' ? undefined : path)
}

export const isSessionLine = (value: unknown): boolean => isRecord(value) && value['type'] === 'session'

const readHeader = (row: Row): SessionLine => {
  const version = isRecord(row.value) ? row.value['version'] : undefined
  if (typeof version === 'number' && version > FORMAT_VERSION) {
    throw badFile(
      row.place,
      `it was written by a newer Subgate (format ${version}; this one reads up to ${FORMAT_VERSION})`,
      'version',
    )
  }
  return checked(sessionLineSchema, row)
}

const readEntry = (row: Row, state: LifecycleState): { entry: LogEntry; next: LifecycleState } => {
  const entry = checked(entrySchema, row)
  try {
    return { entry, next: advance(state, entry) }
  } catch (error) {
    if (error instanceof IllegalOrder) throw badFile(row.place, error.message.replace(/\.$/u, ''))
    throw error
  }
}

/** One session: its header's row, then its events' rows up to the next header. */
export const readSession = (first: Row, rows: readonly Row[]): WholeSession => {
  const { header, inheritedEventCount, policy, lastSeq } = readHeader(first)
  const entries: LogEntry[] = []
  let state: LifecycleState = FRESH
  for (const row of rows) {
    const { entry, next } = readEntry(row, state)
    entries.push(entry)
    state = next
    if (entry.seq === inheritedEventCount && state.openRun !== undefined)
      throw badFile(row.place, 'what is inherited ends here, within a run', 'inheritedEventCount')
  }
  if (entries.length !== lastSeq || inheritedEventCount > lastSeq) {
    const told = Math.max(lastSeq, inheritedEventCount)
    throw badFile(
      first.place,
      `${entries.length} events of session ${header.id} follow, but it tells of ${told}`,
      'lastSeq',
    )
  }
  return { header, inheritedEventCount, ...present({ policy }), entries }
}
