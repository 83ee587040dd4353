/** A cursor over one session's committed events: replays, then follows, with no gap and no repeat (law 7). */
import type { LogEntry } from '../contract/events.ts'
import type { SessionLog } from './session-log.ts'
import type { SessionStore } from './store.ts'

const PAGE = 256

export interface CursorOptions {
  readonly after: number
  /** The last entry to yield. */
  isLast(entry: LogEntry): boolean
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

/** A cursor that stands behind the end. */
export async function* nothing(): AsyncGenerator<LogEntry, void, undefined> {}
