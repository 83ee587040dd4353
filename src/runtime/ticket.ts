/** One run's claim to a slot, from its place in the queue to its end. */
import { randomUUID } from 'node:crypto'
import type { SessionId } from '../contract/ids.ts'
import { isRecord } from '../contract/json.ts'

/** What a slot is for. */
export interface SlotPlace {
  readonly provider: string
  readonly sessionId: SessionId
  readonly parentId?: SessionId
}

type State = 'queued' | 'running' | 'lent' | 'returning' | 'done'

/**
 * One run's claim to a slot. A run with a live or queued descendant holds none: it lends it when a child is
 * queued and takes it back, ahead of the queue, when its last child has settled.
 */
export class Ticket {
  readonly id: string = randomUUID()
  readonly place: SlotPlace
  readonly parent: Ticket | undefined
  state: State = 'queued'
  /** It stands in the ledger: in its queue, or with a slot. */
  entered = false
  children = 0
  /** Hears once that it must wait. */
  onRefusal: (() => void) | undefined
  readonly ready: PromiseWithResolvers<void> = Promise.withResolvers<void>()
  /** Settles when a lent slot is back; the run's children deliver no result before. */
  returned: PromiseWithResolvers<void> | undefined

  constructor(place: SlotPlace, parent: Ticket | undefined) {
    this.place = place
    this.parent = parent
  }

  get granted(): boolean {
    return this.state === 'running'
  }

  get provider(): string {
    return this.place.provider
  }
}

/** How long a provider said that it wants to be left alone. */
export const retryAfter = (error: unknown): number | undefined => {
  if (!isRecord(error) || error['code'] !== 'AGENT_BUSY' || !isRecord(error['data'])) return undefined
  const { retryAfterMs } = error['data']
  return typeof retryAfterMs === 'number' && retryAfterMs > 0 ? retryAfterMs : undefined
}
