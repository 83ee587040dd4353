/** Concurrency slots, per provider and in all, with a bounded FIFO queue and lending that can't deadlock. */
import { SubagentError } from '../contract/errors.ts'

export interface SlotLimits {
  readonly total: number
  /** Starts that may wait at once. */
  readonly queue: number
  readonly perProvider: (provider: string) => number | undefined
}

type State = 'queued' | 'running' | 'lent' | 'returning' | 'done'

/**
 * One run's claim to a slot. A run with a live or queued descendant holds none: it lends it when a child is
 * queued and takes it back, ahead of the queue, when its last child has settled.
 */
export class Ticket {
  readonly provider: string
  readonly parent: Ticket | undefined
  state: State = 'queued'
  children = 0
  readonly ready: PromiseWithResolvers<void> = Promise.withResolvers<void>()
  /** Settles when a lent slot is back; the run's children deliver no result before. */
  returned: PromiseWithResolvers<void> | undefined

  constructor(provider: string, parent: Ticket | undefined) {
    this.provider = provider
    this.parent = parent
  }
}

export class Slots {
  readonly #limits: () => SlotLimits
  readonly #queue: Ticket[] = []
  readonly #returning: Ticket[] = []
  readonly #running = new Map<string, number>()
  #active = 0

  constructor(limits: () => SlotLimits) {
    this.#limits = limits
  }

  get active(): number {
    return this.#active
  }

  get queued(): number {
    return this.#queue.length
  }

  /** Resolves with a slot, in order of asking. Rejects at once when the queue is full, or on abort while queued. */
  async acquire(provider: string, parent?: Ticket, signal?: AbortSignal): Promise<Ticket> {
    const ticket = new Ticket(provider, parent)
    if (!this.#fits(ticket, parent) && this.#queue.length >= this.#limits().queue) throw this.#full()
    this.#lend(parent)
    this.#queue.push(ticket)
    this.#serve()
    const abort = (): void => {
      if (ticket.state !== 'queued') return
      ticket.ready.reject(signal?.reason)
      this.release(ticket)
    }
    signal?.addEventListener('abort', abort)
    try {
      if (signal?.aborted === true) abort()
      await ticket.ready.promise
      return ticket
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
    this.#takeBack(ticket.parent)
    this.#serve()
  }

  /** Resolves when the ticket's run holds a slot again, at once when it never lent it. */
  whenReturned(ticket: Ticket): Promise<void> {
    return ticket.children === 0 && ticket.returned !== undefined
      ? ticket.returned.promise
      : Promise.resolve()
  }

  #lend(parent: Ticket | undefined): void {
    if (parent === undefined || parent.state === 'done') return
    parent.children += 1
    if (parent.state === 'running') this.#count(parent.provider, -1)
    if (parent.state === 'returning') this.#returning.splice(this.#returning.indexOf(parent), 1)
    if (parent.state === 'running' || parent.state === 'returning') parent.state = 'lent'
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
    for (const waiting of [this.#returning, this.#queue]) {
      for (const ticket of waiting.slice()) {
        if (!this.#free(ticket.provider)) continue
        waiting.splice(waiting.indexOf(ticket), 1)
        this.#count(ticket.provider, 1)
        ticket.state = 'running'
        ticket.ready.resolve()
        ticket.returned?.resolve()
        ticket.returned = undefined
      }
    }
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
