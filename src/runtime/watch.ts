/** Follows a whole tree in the order of its commits, session by session without gaps (design.md §5). */
import type { SessionId } from '../contract/ids.ts'
import type { SubagentRun, WatchedEvent, WatchOptions } from '../contract/run.ts'
import type { SessionLog } from '../sessions/session-log.ts'
import type { Reader } from '../sessions/readers.ts'
import type { SessionStore } from '../sessions/store.ts'

export interface Watchable {
  readonly log: SessionLog
  readonly run: SubagentRun
}

export interface WatchSource {
  readonly store: SessionStore
  /** Runs that are open, and settled ones that are still held, oldest first. */
  runs(): readonly Watchable[]
  onRun(listener: (run: Watchable) => void): Disposable
  readonly closed: AbortSignal
}

const PAGE = 256

/** One stretch of a session's log that is waiting to be read. */
interface Stretch {
  readonly log: SessionLog
  upTo: number
}

class TreeCursor implements Disposable {
  readonly #source: WatchSource
  readonly #options: WatchOptions
  readonly #readers = new Map<SessionId, Reader>()
  readonly #runs = new Map<string, SubagentRun>()
  readonly #queue: Stretch[] = []
  readonly #scope = new DisposableStack()
  #wake: () => void = () => {}

  constructor(source: WatchSource, options: WatchOptions) {
    this.#source = source
    this.#options = options
    for (const run of source.runs()) this.#add(run)
    this.#scope.use(source.onRun((run) => this.#add(run)))
    for (const signal of [source.closed, options.signal]) {
      const abort = (): void => this.#wake()
      signal?.addEventListener('abort', abort)
      this.#scope.defer(() => signal?.removeEventListener('abort', abort))
    }
  }

  get #ended(): boolean {
    return this.#options.signal?.aborted === true || this.#source.closed.aborted
  }

  async *read(): AsyncGenerator<WatchedEvent, void, undefined> {
    for (;;) {
      const stretch = this.#queue.shift()
      if (stretch !== undefined) yield* this.#stretch(stretch)
      else if (this.#ended) return
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      if (this.#options.signal?.aborted === true) return
    }
  }

  *#stretch({ log, upTo }: Stretch): Generator<WatchedEvent, void, undefined> {
    const reader = this.#readers.get(log.id)
    while (reader !== undefined && reader.cursor < upTo) {
      const page = this.#source.store.read(log.id, reader.cursor, Math.min(PAGE, upTo - reader.cursor))
      for (const event of page) {
        const run = this.#runs.get(event.runId ?? log.id)
        if (run !== undefined) yield { run, event }
        reader.advance(event.seq)
        if (event.event.type === 'run/settled' && event.runId !== undefined) this.#runs.delete(event.runId)
      }
      if (page.length === 0) return
    }
  }

  #add({ log, run }: Watchable): void {
    const { root } = this.#options
    if (root !== undefined && log.header.rootId !== root && log.id !== root) return
    this.#runs.set(run.id, run)
    // Events outside of any run, such as a late update, come with the session's newest run.
    this.#runs.set(log.id, run)
    if (this.#readers.has(log.id)) return
    const cursor = this.#options.after?.[log.id] ?? 0
    this.#readers.set(log.id, log.readers.attach(cursor))
    this.#scope.defer(() => this.#readers.get(log.id)?.detach())
    this.#scope.use(this.#source.store.onCommit(log.id, (lastSeq) => this.#committed(log, lastSeq)))
    if (log.published && log.lastSeq > cursor) this.#committed(log, log.lastSeq)
  }

  #committed(log: SessionLog, upTo: number): void {
    const last = this.#queue.at(-1)
    if (last?.log === log) last.upTo = upTo
    else this.#queue.push({ log, upTo })
    this.#wake()
  }

  [Symbol.dispose](): void {
    this.#scope.dispose()
  }
}

export async function* watchTree(
  source: WatchSource,
  options: WatchOptions = {},
): AsyncGenerator<WatchedEvent, void, undefined> {
  using cursor = new TreeCursor(source, options)
  yield* cursor.read()
}
