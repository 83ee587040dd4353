/** Follows a stored session until its open run has settled, also where another process runs it. */
import type { LogEntry } from '../../contract/events.ts'
import { followStored } from '../../gateway-store.ts'
import type { Store } from '../../gateway-store.ts'
import type { RunId, SessionId } from '../../contract/ids.ts'

/** How often it is looked whether the process that runs it still lives. */
const LOOK_MS = 1000

export interface Following {
  readonly id: SessionId
  readonly run: RunId
  readonly after: number
  /** Ends it at once. */
  readonly signal: AbortSignal
  /** Told once when the run's process is gone: then nothing comes any longer. */
  readonly onLost: () => void
}

export async function* followed(
  store: Store,
  { id, run, after, signal, onLost }: Following,
): AsyncGenerator<LogEntry, void, undefined> {
  const lost = new AbortController()
  // It also keeps this process alive: the store's own look-out doesn't.
  const timer = setInterval(() => {
    if (!store.lost().includes(id)) return
    clearInterval(timer)
    lost.abort()
    onLost()
  }, LOOK_MS)
  try {
    yield* followStored(store, id, {
      // What lies behind the end hasn't happened yet, and may be the end of the run.
      after: Math.min(after, store.get(id)?.lastSeq ?? 0),
      isLast: ({ event, runId }) => event.type === 'run/settled' && runId === run,
      signal: AbortSignal.any([signal, lost.signal]),
    })
  } finally {
    clearInterval(timer)
  }
}
