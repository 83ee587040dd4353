/** What a start has in hand once its agent is set up and before its run is published. */
import type { Delegation, ProviderSession } from '../contract/provider.ts'
import type { ObservedStart } from './observation.ts'
import type { InnerStartOptions } from './options.ts'
import type { SchemaCheck } from './schema-check.ts'
import type { Setup } from './setup.ts'
import type { Ticket } from './ticket.ts'

export interface Opened {
  readonly agent: ProviderSession
  readonly setup: Setup
  readonly delegation: Delegation
  readonly ticket: Ticket
  readonly checkSchema: SchemaCheck | undefined
  readonly options: InnerStartOptions
  readonly observed: ObservedStart
}
