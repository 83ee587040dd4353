/** One agent process: its connection, the sessions in it, and whose each process below it is. */
import type { Logger } from '../../contract/logger.ts'
import { Attribution } from '../../process/attribution.ts'
import type { Work } from '../../process/attribution.ts'
import { endLeftovers } from '../../process/leftovers.ts'
import type { SupervisedProcess } from '../../process/supervised.ts'
import type { Hosting } from '../../process/warm-pool.ts'
import { Board } from './board.ts'
import { AcpConnection } from './connection.ts'
import type { Handshake } from './handshake.ts'

export interface AgentOptions {
  /** What people are told of it. */
  readonly name: string
  readonly process: SupervisedProcess
  readonly shared: boolean
  readonly log: Logger
}

export class AcpAgent implements Hosting {
  readonly process: SupervisedProcess
  readonly shared: boolean
  readonly board: Board
  readonly connection: AcpConnection
  #attribution: Attribution | undefined

  constructor({ name, process, shared, log }: AgentOptions) {
    this.process = process
    this.shared = shared
    const board = new Board(shared)
    this.board = board
    this.connection = new AcpConnection(
      name,
      process,
      {
        request: (method, params, { signal }) => board.request(method, params, signal),
        notification: (method, params, bytes) => {
          if (method === 'session/update') board.update(params, bytes)
          else if (method === 'elicitation/complete') board.completed(params)
          else log.debug({ agent: name, method }, 'notification ignored')
        },
      },
      log,
    )
  }

  get alive(): boolean {
    return this.connection.alive
  }

  get lost(): Promise<unknown> {
    return this.connection.lost
  }

  async initialize(params: object, signal: AbortSignal): Promise<Handshake> {
    const handshake = await this.connection.initialize(params, signal)
    if (this.shared) this.#attribution = new Attribution(this.process.below())
    return handshake
  }

  begin(work: Work): void {
    this.#attribution?.begin(work, this.process.below())
  }

  end(work: Work): void {
    this.#attribution?.end(work, this.process.below())
  }

  /** Ends what this work alone can have started. Resolves with the pids that survived. */
  async endStartedBy(work: Work): Promise<readonly number[]> {
    const attribution = this.#attribution
    if (attribution === undefined) return []
    return endLeftovers(() => attribution.startedBy(work, this.process.below()))
  }

  /** What it alone can have started ends. Resolves with the pids that survived. */
  async leave(who: object): Promise<readonly number[]> {
    const attribution = this.#attribution
    if (attribution === undefined) return []
    attribution.leave(who, this.process.below())
    return endLeftovers(() => attribution.strays(this.process.below()))
  }

  /** Nothing runs below it that nobody owns. */
  get clean(): boolean {
    return this.#attribution?.strays(this.process.below()).length === 0
  }

  stop(): Promise<readonly number[]> {
    return this.connection.stop()
  }
}
