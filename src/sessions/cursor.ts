/** A cursor over one session's committed events: replays, then follows, with no gap and no repeat (law 7). */
import type { LogEntry } from '../contract/events.ts'
import type { SessionId } from '../contract/ids.ts'
import type { SessionLog } from './session-log.ts'
import type { SessionStore } from './store.ts'

const PAGE = 256
const ALIVE_MS = 1000

export interface CursorOptions {
  readonly after: number
  /** The last entry to yield. */
  readonly isLast: (entry: LogEntry) => boolean
  readonly signal?: AbortSignal | undefined
}

const nobody = (): void => {}

/** Ends after the last entry, or when `signal` aborts; the iterator is the reader that holds the agent back. */
export async function* follow(
  store: SessionStore,
  log: SessionLog,
  options: CursorOptions,
): AsyncGenerator<LogEntry, void, undefined> {
  const { after, signal } = options
  const reader = log.readers.attach(after)
  let wake = nobody
  const subscription = store.onCommit(log.id, () => wake())
  const abort = (): void => wake()
  const aborted = (): boolean => signal?.aborted === true
  signal?.addEventListener('abort', abort)
  try {
    while (!aborted()) {
      const page = log.published ? store.read(log.id, reader.cursor, PAGE) : []
      for (const entry of page) {
        yield entry
        reader.advance(entry.seq)
        if (options.isLast(entry)) return
        if (aborted()) return
      }
      if (page.length > 0) continue
      // The store has given the session up since.
      if (log.published && store.get(log.id) === undefined) return
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  } finally {
    signal?.removeEventListener('abort', abort)
    subscription[Symbol.dispose]()
    reader.detach()
  }
}

/** The same of a session that another process writes; nobody here is held back by it. */
export async function* followStored(
  store: SessionStore,
  id: SessionId,
  { after, isLast, signal }: CursorOptions,
): AsyncGenerator<LogEntry, void, undefined> {
  let cursor = after
  let wake = nobody
  using scope = new DisposableStack()
  scope.use(store.onCommit(id, () => wake()))
  const abort = (): void => wake()
  signal?.addEventListener('abort', abort)
  scope.defer(() => signal?.removeEventListener('abort', abort))
  // Who follows keeps this process alive, as nothing else here does.
  const alive = setInterval(() => wake(), ALIVE_MS)
  scope.defer(() => clearInterval(alive))
  const aborted = (): boolean => signal?.aborted === true
  while (!aborted()) {
    const page = store.read(id, cursor, PAGE)
    for (const entry of page) {
      yield entry
      cursor = entry.seq
      if (isLast(entry) || aborted()) return
    }
    if (page.length > 0) continue
    if (store.get(id) === undefined) return
    await new Promise<void>((resolve) => {
      wake = resolve
    })
  }
}

/** A cursor that stands behind the end. */
export async function* nothing(): AsyncGenerator<LogEntry, void, undefined> {}
