/**
 * Follows a whole tree in the order of its commits, session by session without gaps (design.md §5); with a root also
 * what other processes write of it.
 */
import type { LogEntry } from '../contract/events.ts'
import type { SessionId } from '../contract/ids.ts'
import type { Logger } from '../contract/logger.ts'
import type { SubagentRun, WatchedEvent, WatchOptions } from '../contract/run.ts'
import type { SessionLog } from '../sessions/session-log.ts'
import type { Reader } from '../sessions/readers.ts'
import type { SessionHeader, Store, StoredSession } from '../sessions/store.ts'
import { StoredRun } from './stored-run.ts'
import { StoredTree } from './stored-tree.ts'

export interface Watchable {
  readonly log: SessionLog
  readonly run: SubagentRun
}

export interface WatchSource {
  readonly store: Store
  readonly now: () => number
  readonly log: Logger
  /** Runs that are open, and settled ones that are still held, oldest first. */
  runs(): readonly Watchable[]
  onRun(listener: (run: Watchable) => void): Disposable
  /** A session of which nothing goes on any longer. */
  onForgotten(listener: (log: SessionLog) => void): Disposable
  readonly closed: AbortSignal
}

const PAGE = 256

/** What a session's events are read with. */
interface Following {
  /** Absent: another process writes it. */
  readonly log?: SessionLog
  readonly reader: Pick<Reader, 'cursor' | 'advance' | 'detach'>
  readonly commits: Disposable
}

/** One stretch of a session's log that is waiting to be read. */
interface Stretch {
  readonly id: SessionId
  upTo: number
  /** With it ends what is read so. */
  last?: Following
}

const stop = ({ reader, commits }: Following): void => {
  reader.detach()
  commits[Symbol.dispose]()
}

/** Nobody here is held back by it. */
const storedReader = (after: number): Following['reader'] => {
  const reader = {
    cursor: after,
    advance: (seq: number): void => {
      reader.cursor = seq
    },
    detach: (): void => {},
  }
  return reader
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
  #stored: StoredTree | undefined
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
    this.#stored = this.#scope.adopt(this.#elsewhere(), (tree) => tree?.[Symbol.dispose]())
    for (const signal of [closed, this.#options.signal]) {
      const abort = (): void => this.#wake()
      signal?.addEventListener('abort', abort)
      this.#scope.defer(() => signal?.removeEventListener('abort', abort))
    }
  }

  #elsewhere(): StoredTree | undefined {
    const { store, now, log } = this.#source
    const { root, after = {} } = this.#options
    if (root === undefined) return undefined
    return new StoredTree({
      store,
      now,
      log,
      rootId: store.get(root)?.header.rootId ?? root,
      read: (id) => (this.#following.has(id) ? Infinity : (this.#left.get(id) ?? after[id])),
      found: (session) => this.#found(session),
      skip: ({ header, lastSeq }) => this.#left.set(header.id, lastSeq),
      begun: () => Object.keys(after) as SessionId[],
      followed: () => [...this.#following].flatMap(([id, { log: own }]) => (own === undefined ? [id] : [])),
    })
  }

  get #ended(): boolean {
    return this.#options.signal?.aborted === true || this.#source.closed.aborted
  }

  /** Each stretch is read as far as its reader goes. */
  async *read(): AsyncGenerator<Iterable<WatchedEvent>, void, undefined> {
    using _ = { [Symbol.dispose]: () => this[Symbol.dispose]() }
    this.#attach()
    for (;;) {
      const stretch = this.#queue.shift()
      if (stretch !== undefined) {
        yield this.#stretch(stretch)
        if (stretch.last !== undefined) this.#leave(stretch.id, stretch.last)
      } else if (this.#ended) return
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      if (this.#options.signal?.aborted === true) return
    }
  }

  *#stretch(stretch: Stretch): Generator<WatchedEvent, void, undefined> {
    const { id, upTo } = stretch
    const following = this.#following.get(id)
    if (following === undefined) return
    const { reader, log } = following
    for (let left = upTo - reader.cursor; left > 0; left = upTo - reader.cursor) {
      const page = this.#source.store.read(id, reader.cursor, Math.min(PAGE, left))
      for (const event of page) {
        const run =
          this.#runs.get(event.runId ?? id) ?? (log === undefined ? this.#storedRun(id, event) : undefined)
        if (run !== undefined) yield { run, event }
        reader.advance(event.seq)
        if (event.event.type !== 'run/settled' || event.runId === undefined) continue
        this.#runs.delete(event.runId)
        if (log === undefined) stretch.last = following
      }
      if (page.length === 0) return
    }
  }

  #storedRun(id: SessionId, { runId }: LogEntry): SubagentRun | undefined {
    const { store, now } = this.#source
    const row = runId === undefined ? store.runs(id).at(-1) : store.run(runId)
    if (row === undefined) return undefined
    const run = new StoredRun(row, store, now)
    this.#runs.set(run.id, run)
    this.#runs.set(id, run)
    return run
  }

  #add({ log, run }: Watchable): void {
    if (!this.#belongs(log.header)) return
    this.#runs.set(run.id, run)
    // Events outside of any run, such as a late update, come with the session's newest run.
    this.#runs.set(log.id, run)
    const before = this.#following.get(log.id)
    if (before?.log === log) return
    const cursor =
      before?.reader.cursor ?? this.#left.get(log.id) ?? this.#options.after?.[log.id] ?? log.firstLiveSeq - 1
    if (before !== undefined) stop(before)
    this.#left.delete(log.id)
    const commits = this.#source.store.onCommit(log.id, (lastSeq) => this.#committed(log.id, lastSeq))
    this.#following.set(log.id, { log, reader: log.readers.attach(cursor), commits })
    if (log.published && log.lastSeq > cursor) this.#committed(log.id, log.lastSeq)
  }

  /** Another process writes it. */
  #found({ header, lastSeq }: StoredSession): void {
    if (!this.#belongs(header)) return
    const { id } = header
    const cursor = this.#left.get(id) ?? this.#options.after?.[id] ?? this.#firstUnseen(header)
    this.#left.delete(id)
    const commits = this.#source.store.onCommit(id, (upTo) => this.#committed(id, upTo))
    this.#following.set(id, { reader: storedReader(cursor), commits })
    this.#committed(id, lastSeq)
  }

  /** A new session is seen from its own beginning, an older one from its newest run on. */
  #firstUnseen({ id, prefix }: SessionHeader): number {
    const runs = this.#source.store.runs(id)
    const newest = runs.at(-1)
    if (newest !== undefined && runs.length > 1) return newest.firstSeq - 1
    return prefix.reduce((sum, { count }) => sum + count, 0)
  }

  /** Read to its end, and then no longer held. */
  #forgotten(log: SessionLog): void {
    const following = this.#following.get(log.id)
    if (following?.log !== log) return
    if (!log.published) return this.#leave(log.id, following)
    this.#committed(log.id, log.lastSeq)
    const last = this.#queue.at(-1)
    if (last !== undefined) last.last = following
  }

  /** Unless the session has been taken up again since. */
  #leave(id: SessionId, following: Following): void {
    if (this.#following.get(id) !== following) return
    stop(following)
    this.#following.delete(id)
    this.#runs.delete(id)
    const { store } = this.#source
    for (const left of this.#left.keys()) {
      if (store.get(left) !== undefined) break
      this.#left.delete(left)
    }
    this.#left.set(id, following.reader.cursor)
    // What came since is found again.
    this.#stored?.stir()
  }

  /** The root may itself be a child of another process, which its descendants then name as theirs. */
  #belongs({ id, rootId, parentId }: SessionHeader): boolean {
    const { root } = this.#options
    return (
      root === undefined ||
      rootId === root ||
      id === root ||
      (parentId !== undefined && (this.#following.has(parentId) || this.#left.has(parentId)))
    )
  }

  #committed(id: SessionId, upTo: number): void {
    const last = this.#queue.at(-1)
    if (last?.id === id) last.upTo = upTo
    else this.#queue.push({ id, upTo })
    this.#wake()
  }

  [Symbol.dispose](): void {
    this.#scope.dispose()
    for (const following of this.#following.values()) stop(following)
  }
}

/** In stretches: what was committed together comes together, and whoever takes it needn't wait for each event. */
export const watchStretches = (
  source: WatchSource,
  options: WatchOptions = {},
): AsyncIterable<Iterable<WatchedEvent>> => new TreeCursor(source, options).read()

export async function* eachOf<T>(stretches: AsyncIterable<Iterable<T>>): AsyncGenerator<T, void, undefined> {
  for await (const stretch of stretches) for (const each of stretch) yield each
}
