/** Reads stored events page by page, and finds one session with what belongs to it. */
import type { LogEntry } from '../../contract/events.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { ListedSession, Store, StoredRun } from '../../gateway-store.ts'

const PAGE = 256
const LIST_PAGE = 200

/** Committed entries with `after < seq <= through`. */
export function* entriesOf(
  store: Pick<Store, 'read'>,
  id: SessionId,
  after: number,
  through: number = Number.POSITIVE_INFINITY,
): Generator<LogEntry, void, undefined> {
  let cursor = after
  while (cursor < through) {
    const page = store.read(id, cursor, Math.min(PAGE, through - cursor))
    yield* page
    const last = page.at(-1)
    if (last === undefined) return
    cursor = last.seq
  }
}

/** All that a filter finds, newest change first, read in pages. */
export function* listed(
  store: Pick<Store, 'list'>,
  filter: Omit<Parameters<Store['list']>[0], 'limit' | 'after'>,
): Generator<ListedSession, void, undefined> {
  let page = store.list({ ...filter, limit: LIST_PAGE })
  while (page.length > 0) {
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < LIST_PAGE) return
    page = store.list({ ...filter, after: { at: last.at, id: last.header.id }, limit: LIST_PAGE })
  }
}

/** A session as a list has it, which knows its owner; undefined when it was removed meanwhile. */
export const listedSession = (
  store: Pick<Store, 'get' | 'list'>,
  id: SessionId,
): ListedSession | undefined => {
  const rootId = store.get(id)?.header.rootId
  if (rootId === undefined) return undefined
  return listed(store, { rootId }).find(({ header }) => header.id === id)
}

/** The run that was meant, where the text is a run's id or the beginning of just one. */
export const runMeant = (runs: readonly StoredRun[], text: string): StoredRun | undefined => {
  const exact = runs.find(({ id }) => id === text)
  const beginning = runs.filter(({ id }) => id.startsWith(text))
  return exact ?? (beginning.length === 1 && text !== '' ? beginning[0] : undefined)
}
