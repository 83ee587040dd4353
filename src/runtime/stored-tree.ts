/** The sessions of a tree that other processes write: found by the store's feed, settled when their process dies. */
import type { SessionId } from '../contract/ids.ts'
import type { Logger } from '../contract/logger.ts'
import { monotonicMs } from '../contract/monotonic.ts'
import { present } from '../contract/present.ts'
import type { ListedSession, Store, StoredSession } from '../sessions/store.ts'
import { recoverLost } from './recover.ts'

export interface StoredTreeOptions {
  readonly store: Store
  readonly now: () => number
  readonly log: Logger
  /** As the headers of its sessions name it. */
  readonly rootId: SessionId
  /** How far the session was read, or ever will be by other means; undefined: never. */
  read(id: SessionId): number | undefined
  /** Something of it is unread. Parents before their children. */
  found(session: StoredSession): void
  /** It is over, and nobody here has seen it. */
  skip(session: ListedSession): void
  /** Sessions that somebody has read to some point, and reads on from there. */
  begun(): readonly SessionId[]
  /** Sessions that are being followed. */
  followed(): readonly SessionId[]
}

const PAGE = 64
/** Looks that follow each other sooner are one. */
const LOOK_MS = 25
/** So late a change may become visible after the time that it bears. */
const MARGIN_MS = 10_000
const OWNERS_MS = 1000

const topFirst = (a: ListedSession, b: ListedSession): number =>
  a.header.depth - b.header.depth || a.header.createdAt - b.header.createdAt

export class StoredTree implements Disposable {
  readonly #options: StoredTreeOptions
  readonly #scope = new DisposableStack()
  #since: number
  #lookedAt = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: StoredTreeOptions) {
    this.#options = options
    this.#since = options.now()
    const { store, rootId } = options
    this.#scope.use(store.onChange((elsewhere) => elsewhere && this.stir()))
    const open = store.list({ rootId, openOnly: true, limit: Infinity })
    for (const session of open.toSorted(topFirst)) this.#take(session)
    for (const id of options.begun()) {
      const session = store.get(id)
      if (session !== undefined) this.#take(session)
    }
    for (const session of this.#changed()) {
      if (session.registers.openRun === undefined && this.#isNews(session)) options.skip(session)
    }
    const owners = setInterval(() => void this.#recover(), OWNERS_MS).unref()
    this.#scope.defer(() => clearInterval(owners))
  }

  /** Looks soon. */
  stir(): void {
    if (this.#timer !== undefined || this.#scope.disposed) return
    const wait = Math.max(LOOK_MS - (monotonicMs() - this.#lookedAt), 0)
    this.#timer = setTimeout(() => this.#look(), wait).unref()
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#scope.dispose()
  }

  #look(): void {
    this.#timer = undefined
    this.#lookedAt = monotonicMs()
    try {
      const at = this.#options.now()
      for (const session of this.#changed().toSorted(topFirst)) this.#take(session)
      this.#since = at
    } catch (error) {
      // A store that can't be read now is read at the next change.
      this.#options.log.debug({ error }, 'the sessions of other processes could not be listed')
    }
  }

  #take(session: StoredSession): void {
    if (this.#isNews(session)) this.#options.found(session)
  }

  #isNews({ header, lastSeq }: StoredSession): boolean {
    return (this.#options.read(header.id) ?? -1) < lastSeq
  }

  /** The list begins with what changed last. */
  #changed(): readonly ListedSession[] {
    const { store, rootId } = this.#options
    const changed: ListedSession[] = []
    let after: { at: number; id: SessionId } | undefined
    for (;;) {
      const page = store.list({ rootId, limit: PAGE, ...present({ after }) })
      const recent = page.filter(({ at }) => at >= this.#since - MARGIN_MS)
      changed.push(...recent)
      const last = page.at(-1)
      if (last === undefined || recent.length < PAGE) return changed
      after = { at: last.at, id: last.header.id }
    }
  }

  /** A process that dies tells nobody: whoever shows its run settles it. */
  async #recover(): Promise<void> {
    const { store, now, log } = this.#options
    try {
      const open = this.#options.followed()
      if (open.length === 0) return
      const lost = store.lost()
      if (open.some((id) => lost.includes(id))) await recoverLost({ store, now, log })
    } catch (error) {
      log.debug({ error }, 'the owners of runs in other processes could not be looked for')
    }
  }
}
