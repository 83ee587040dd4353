/**
 * Concurrency slots, per provider and in all, with a bounded FIFO queue and lending that can't deadlock. Here is
 * decided who is next in this process; the ledger counts the slots of all processes of the user.
 */
import { SubagentError } from '../contract/errors.ts'
import { after } from '../contract/timer.ts'
import type { StartWait } from '../contract/run.ts'
import type { SlotLedger } from '../sessions/ledgers.ts'
import { retryAfter, Ticket } from './ticket.ts'
import type { SlotPlace } from './ticket.ts'

export interface SlotLimits {
  readonly total: number
  /** Starts that may wait at once. */
  readonly queue: number
  readonly perProvider: (provider: string) => number | undefined
}

export interface AcquireOptions {
  readonly signal?: AbortSignal | undefined
  readonly onWait?: ((wait: StartWait) => void) | undefined
}

/** What of the store the slots need. */
export interface Ledger extends SlotLedger {
  onChange(listener: () => void): Disposable
}

const LOOK_AGAIN_MS = 1000
/** How soon a ledger that was another's is asked again; no two processes keep the same step. */
const LOCKED_MS = 8
/** So many commits of others are one look. */
const LOOK_MS = 50

export class Slots {
  readonly #limits: () => SlotLimits
  readonly #queue: Ticket[] = []
  readonly #returning: Ticket[] = []
  readonly #running = new Map<string, number>()
  readonly #ledger: Ledger
  readonly #now: () => number
  /** While somebody could run but for slots that other processes hold, or for a pause. */
  #watching: Disposable | undefined
  /** The ledger was another's just now. */
  #locked: Disposable | undefined
  #active = 0

  constructor(limits: () => SlotLimits, ledger: Ledger, now: () => number) {
    this.#limits = limits
    this.#ledger = ledger
    this.#now = now
  }

  get active(): number {
    return this.#active
  }

  get queued(): number {
    return this.#queue.length
  }

  /** Resolves with a slot, in order of asking. Rejects at once when the queue is full, or on abort while queued. */
  async acquire(place: SlotPlace, parent?: Ticket, { signal, onWait }: AcquireOptions = {}): Promise<Ticket> {
    const ticket = new Ticket(place, parent)
    if (!this.#fits(ticket, parent) && this.#queue.length >= this.#limits().queue) throw this.#full()
    this.#lend(parent)
    this.#queue.push(ticket)
    const abort = (): void => {
      if (ticket.state !== 'queued') return
      ticket.ready.reject(signal?.reason)
      this.release(ticket)
    }
    signal?.addEventListener('abort', abort)
    try {
      ticket.onRefusal = () => onWait?.(this.#reason(place.provider))
      this.#serve()
      if (signal?.aborted === true) abort()
      await ticket.ready.promise
      return ticket
    } catch (error) {
      this.release(ticket)
      throw error
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  /** Idempotent. */
  release(ticket: Ticket): void {
    const before = ticket.state
    if (before === 'done') return
    ticket.state = 'done'
    if (before === 'running') this.#count(ticket.provider, -1)
    if (before === 'queued') this.#queue.splice(this.#queue.indexOf(ticket), 1)
    if (before === 'returning') this.#returning.splice(this.#returning.indexOf(ticket), 1)
    ticket.returned?.resolve()
    this.#leave(ticket)
    this.#takeBack(ticket.parent)
    this.#serve()
  }

  #reason(provider: string): StartWait {
    const until = this.#ledger.pausedUntil(provider, this.#now())
    return until === undefined ? { provider, reason: 'capacity' } : { provider, reason: 'paused', until }
  }

  /** A provider that says when it can be asked again gets no start before, in any process. */
  heed(provider: string, error: unknown): void {
    const waitMs = retryAfter(error)
    if (waitMs !== undefined) this.#ledger.pauseProvider(provider, this.#now() + waitMs)
  }

  [Symbol.dispose](): void {
    this.#locked?.[Symbol.dispose]()
    this.#unwatch()
  }

  #unwatch(): void {
    this.#watching?.[Symbol.dispose]()
    this.#watching = undefined
  }

  /** Resolves when the ticket's run holds a slot again, at once when it never lent it. */
  async whenReturned(ticket: Ticket | undefined): Promise<void> {
    if (ticket?.children === 0) await ticket.returned?.promise
  }

  #lend(parent: Ticket | undefined): void {
    if (parent === undefined || parent.state === 'done') return
    parent.children += 1
    if (parent.state === 'running') this.#count(parent.provider, -1)
    if (parent.state === 'returning') this.#returning.splice(this.#returning.indexOf(parent), 1)
    if (parent.state === 'running' || parent.state === 'returning') {
      parent.state = 'lent'
      this.#tell(() => this.#ledger.lendSlot(parent.id))
    }
    parent.returned ??= Promise.withResolvers<void>()
  }

  #takeBack(parent: Ticket | undefined): void {
    if (parent === undefined) return
    parent.children -= 1
    if (parent.children > 0 || parent.state !== 'lent') return
    parent.state = 'returning'
    this.#returning.push(parent)
  }

  #serve(): void {
    if (this.#locked !== undefined) return
    let blocked: Ticket | undefined
    /** Providers for which the ledger has said no: who stands behind is told the same. */
    const refused = new Set<string>()
    for (const waiting of [this.#returning, this.#queue]) {
      for (const ticket of waiting.slice()) {
        const free = this.#free(ticket.provider) && !refused.has(ticket.provider)
        // Its place in the queue of all processes counts from when it came.
        if (!free && ticket.entered) continue
        const taken = this.#take(ticket)
        if (taken === undefined) return this.#askAgain()
        if (!taken) this.#refused(ticket)
        if (!taken && free) {
          blocked = ticket
          refused.add(ticket.provider)
        }
        if (!taken || !waiting.includes(ticket)) continue
        waiting.splice(waiting.indexOf(ticket), 1)
        this.#count(ticket.provider, 1)
        ticket.state = 'running'
        ticket.ready.resolve()
        ticket.returned?.resolve()
        ticket.returned = undefined
      }
    }
    this.#watch(blocked)
  }

  #refused(ticket: Ticket): void {
    const { onRefusal } = ticket
    ticket.onRefusal = undefined
    if (ticket.state === 'queued') onRefusal?.()
  }

  /** Nobody waits for the lock with the event loop held; who stands behind, or comes meanwhile, would be told the same. */
  #askAgain(): void {
    this.#locked = after(LOCKED_MS * (0.5 + Math.random()), () => {
      this.#locked = undefined
      this.#serve()
    })
  }

  /** False when the ledger says no, or fails: then the ticket's start is rejected. Undefined when it can't be asked. */
  #take(ticket: Ticket): boolean | undefined {
    const { total, perProvider } = this.#limits()
    const claim = { ticket: ticket.id, ...ticket.place, returning: ticket.state === 'returning' }
    const provider = perProvider(ticket.provider) ?? Number.POSITIVE_INFINITY
    try {
      const taken = this.#ledger.takeSlot(claim, { total, provider })
      if (taken !== undefined) ticket.entered = true
      return taken
    } catch (error) {
      // What had its slot before goes on without a place in the ledger.
      if (ticket.state === 'returning') return true
      ticket.ready.reject(error)
      queueMicrotask(() => this.release(ticket))
      return false
    }
  }

  #leave(ticket: Ticket): void {
    if (!ticket.entered) return
    ticket.entered = false
    this.#tell(() => this.#ledger.giveSlot(ticket.id))
  }

  /** Never throws: what the ledger can't be told now is forgotten with this process. */
  #tell(say: () => void): void {
    try {
      say()
    } catch {
      // Its store is broken, and says so wherever something of it is asked.
    }
  }

  /** What other processes give back is heard of, and the end of a pause is waited for. */
  #watch(blocked: Ticket | undefined): void {
    this.#unwatch()
    if (blocked === undefined) return
    const scope = new DisposableStack()
    // Not at once: what is heard of may be a claim that is being made just now.
    const listener = this.#ledger.onChange(() => {
      listener[Symbol.dispose]()
      scope.use(after(LOOK_MS, () => this.#serve()))
    })
    scope.use(listener)
    // The death of a process that held a slot is no commit; and who waits keeps this process alive.
    scope.use(after(LOOK_AGAIN_MS, () => this.#serve()))
    const until = this.#ledger.pausedUntil(blocked.provider, this.#now())
    if (until !== undefined) scope.use(after(until - this.#now(), () => this.#serve()))
    this.#watching = scope
  }

  /** Whether the start would run at once, its parent's slot counted as free. */
  #fits(ticket: Ticket, parent: Ticket | undefined): boolean {
    const lends = parent?.state === 'running' ? 1 : 0
    // A slot that is only now being lent goes to whoever waits already; a free one that they can't use doesn't.
    if (lends === 1 && this.#queue.length + this.#returning.length > 0) return false
    const { total, perProvider } = this.#limits()
    const own = (this.#running.get(ticket.provider) ?? 0) - (parent?.provider === ticket.provider ? lends : 0)
    return this.#active - lends < total && own < (perProvider(ticket.provider) ?? Number.POSITIVE_INFINITY)
  }

  #free(provider: string): boolean {
    const { total, perProvider } = this.#limits()
    const own = this.#running.get(provider) ?? 0
    return this.#active < total && own < (perProvider(provider) ?? Number.POSITIVE_INFINITY)
  }

  #count(provider: string, by: 1 | -1): void {
    this.#active += by
    this.#running.set(provider, (this.#running.get(provider) ?? 0) + by)
  }

  #full(): SubagentError {
    const { total } = this.#limits()
    return new SubagentError(
      'CAPACITY_EXCEEDED',
      'capacity',
      `All ${total} slots are taken and ${this.#queue.length} starts wait already. Try again when a run has settled, or raise "concurrency".`,
      { active: this.#active, queued: this.#queue.length, max: total },
    )
  }
}
