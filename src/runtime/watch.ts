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
  /** A session that is taken up again has a log of its own, and the reader holds that one back too. */
  readonly #logs = new Set<SessionLog>()
  readonly #runs = new Map<string, SubagentRun>()
  readonly #queue: Stretch[] = []
  readonly #scope = new DisposableStack()
  #wake: () => void = () => {}

  constructor(source: WatchSource, options: WatchOptions) {
    this.#source = source
    this.#options = options
  }

  #attach(): void {
    const { closed } = this.#source
    for (const run of this.#source.runs()) this.#add(run)
    this.#scope.use(this.#source.onRun((run) => this.#add(run)))
    for (const signal of [closed, this.#options.signal]) {
      const abort = (): void => this.#wake()
      signal?.addEventListener('abort', abort)
      this.#scope.defer(() => signal?.removeEventListener('abort', abort))
    }
  }

  get #ended(): boolean {
    return this.#options.signal?.aborted === true || this.#source.closed.aborted
  }

  async *read(): AsyncGenerator<WatchedEvent, void, undefined> {
    using _ = { [Symbol.dispose]: () => this[Symbol.dispose]() }
    this.#attach()
    for (;;) {
      const stretch = this.#queue.shift()
      // Not `yield*`: handing each event through a second asynchronous iterator would double its cost.
      if (stretch !== undefined) for (const event of this.#stretch(stretch)) yield event
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
    if (reader === undefined) return
    for (let left = upTo - reader.cursor; left > 0; left = upTo - reader.cursor) {
      const page = this.#source.store.read(log.id, reader.cursor, Math.min(PAGE, left))
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
    if (!this.#belongs(log)) return
    this.#runs.set(run.id, run)
    // Events outside of any run, such as a late update, come with the session's newest run.
    this.#runs.set(log.id, run)
    if (this.#logs.has(log)) return
    this.#logs.add(log)
    const before = this.#readers.get(log.id)
    const cursor = before?.cursor ?? this.#options.after?.[log.id] ?? 0
    this.#readers.set(log.id, log.readers.attach(cursor))
    if (before !== undefined) return
    this.#scope.defer(() => this.#readers.get(log.id)?.detach())
    this.#scope.use(this.#source.store.onCommit(log.id, (lastSeq) => this.#committed(log, lastSeq)))
    if (log.published && log.lastSeq > cursor) this.#committed(log, log.lastSeq)
  }

  /** The root may itself be a child of another process, which its descendants then name as theirs. */
  #belongs({ id, header }: SessionLog): boolean {
    const { root } = this.#options
    const { rootId, parentId } = header
    return (
      root === undefined ||
      rootId === root ||
      id === root ||
      (parentId !== undefined && this.#readers.has(parentId))
    )
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

export const watchTree = (
  source: WatchSource,
  options: WatchOptions = {},
): AsyncGenerator<WatchedEvent, void, undefined> => new TreeCursor(source, options).read()
