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
  /** A session of which nothing goes on any longer. */
  onForgotten(listener: (log: SessionLog) => void): Disposable
  readonly closed: AbortSignal
}

const PAGE = 256

/** One stretch of a session's log that is waiting to be read. */
interface Stretch {
  readonly log: SessionLog
  upTo: number
  /** Nothing comes after it. */
  last?: boolean
}

/** What a session's events are read with. */
interface Following {
  readonly log: SessionLog
  readonly reader: Reader
  readonly commits: Disposable
}

const stop = ({ reader, commits }: Following): void => {
  reader.detach()
  commits[Symbol.dispose]()
}

class TreeCursor implements Disposable {
  readonly #source: WatchSource
  readonly #options: WatchOptions
  /** A session that is taken up again has a new log, whose agent the reader holds back from then on. */
  readonly #following = new Map<SessionId, Following>()
  /** How far the sessions were read that are forgotten, as they may be taken up again. */
  readonly #left = new Map<SessionId, number>()
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
    this.#scope.use(this.#source.onForgotten((log) => this.#forgotten(log)))
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
      if (stretch !== undefined) {
        for (const event of this.#stretch(stretch)) yield event
        if (stretch.last === true) this.#leave(stretch.log)
      } else if (this.#ended) return
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      if (this.#options.signal?.aborted === true) return
    }
  }

  *#stretch({ log, upTo }: Stretch): Generator<WatchedEvent, void, undefined> {
    const reader = this.#following.get(log.id)?.reader
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
    const before = this.#following.get(log.id)
    if (before?.log === log) return
    const cursor =
      before?.reader.cursor ?? this.#left.get(log.id) ?? this.#options.after?.[log.id] ?? log.firstLiveSeq - 1
    if (before !== undefined) stop(before)
    this.#left.delete(log.id)
    const commits = this.#source.store.onCommit(log.id, (lastSeq) => this.#committed(log, lastSeq))
    this.#following.set(log.id, { log, reader: log.readers.attach(cursor), commits })
    if (log.published && log.lastSeq > cursor) this.#committed(log, log.lastSeq)
  }

  /** Read to its end, and then no longer held. */
  #forgotten(log: SessionLog): void {
    if (this.#following.get(log.id)?.log !== log) return
    if (!log.published) return this.#leave(log)
    this.#committed(log, log.lastSeq)
    const last = this.#queue.at(-1)
    if (last !== undefined) last.last = true
  }

  #leave(log: SessionLog): void {
    const following = this.#following.get(log.id)
    if (following?.log !== log) return
    stop(following)
    this.#following.delete(log.id)
    this.#runs.delete(log.id)
    const { store } = this.#source
    for (const id of this.#left.keys()) {
      if (store.get(id) !== undefined) break
      this.#left.delete(id)
    }
    this.#left.set(log.id, following.reader.cursor)
  }

  /** The root may itself be a child of another process, which its descendants then name as theirs. */
  #belongs({ id, header }: SessionLog): boolean {
    const { root } = this.#options
    const { rootId, parentId } = header
    return (
      root === undefined ||
      rootId === root ||
      id === root ||
      (parentId !== undefined && (this.#following.has(parentId) || this.#left.has(parentId)))
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
    for (const following of this.#following.values()) stop(following)
  }
}

export const watchTree = (
  source: WatchSource,
  options: WatchOptions = {},
): AsyncGenerator<WatchedEvent, void, undefined> => new TreeCursor(source, options).read()
