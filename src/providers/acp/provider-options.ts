/** What the ACP provider is made of: one agent's command line, what is known of it, and what is shared by all of them. */
import type { RememberedAnswers, RememberedOffers } from '../../capabilities/remembered.ts'
import type { Logger } from '../../contract/logger.ts'
import type { Graces } from '../../process/graces.ts'
import type { Supervisor } from '../../process/supervisor.ts'
import type { KnownAgent } from './agents.ts'
import type { ConfiguredMethods } from './offered-methods.ts'

export interface AcpProviderOptions {
  readonly name: string
  /** What messages call it; the name when absent. */
  readonly title?: string
  readonly command: readonly [string, ...string[]]
  /** What is known of this agent; decides variables, graces, quirks and how it is made to ask. */
  readonly known?: KnownAgent
  /** The operator states that the agent asks before it acts. */
  readonly asks?: boolean
  /** The command is itself a gateway, whose handshake decides every row. */
  readonly gateway?: boolean
  readonly methods?: ConfiguredMethods
  /** Variables from configuration and `--env`: a value, or true to pass by name. */
  readonly env?: Readonly<Record<string, string | true>>
  readonly graces?: Partial<Graces>
  /** Whether a process without sessions is kept for the next one. */
  readonly warm?: boolean
  /** Milliseconds that it is kept; 0: only sessions at one time share one. */
  readonly idleMs?: number
  readonly version: string
  readonly supervisor: Supervisor
  readonly answers: RememberedAnswers
  /** What its sessions offered, by the same key; absent: that is known while one is open alone. */
  readonly offers?: RememberedOffers
  readonly log: Logger
  /** The gateway's own environment. */
  readonly inherited: Readonly<Record<string, string | undefined>>
}
