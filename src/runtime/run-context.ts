/** What a run is given by the runtime that starts it. */
import type { Delegation, ProviderSession } from '../contract/provider.ts'
import type { ResolvedStartRequest } from '../contract/request.ts'
import type { SubagentResult } from '../contract/result.ts'
import type { LiveSession } from './live-session.ts'
import type { InnerStartOptions, Surroundings } from './options.ts'
import type { SchemaCheck } from './schema-check.ts'

export interface RunContext {
  readonly session: LiveSession
  readonly agent: ProviderSession
  readonly request: ResolvedStartRequest
  readonly delegation: Delegation
  readonly answers: boolean
  /** `together`: what is written in the transaction of `run/started`. */
  readonly options: Pick<InnerStartOptions, 'together' | 'toolCallId'>
  readonly checkSchema: SchemaCheck | undefined
  readonly surroundings: Surroundings
  /** Whether it waits for its children, or for its slot after them. */
  waits(): boolean
  /** Children first: ends what this run's session delegated, and waits until it is gone. */
  endChildren(): Promise<void>
  /** Its kept children that are at work. */
  atWork(): number
  /** Resolves when it holds the slot again that it had lent to its children. */
  slotReturned(): Promise<void>
  /** What waits in the inboxes of its descendants goes back: the run is being stopped. */
  dropBelow(): void
  settled(result: SubagentResult): void
}
