/** Starts the agent's processes for the checks: supervised, with the environment that any agent of ours gets. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sessionId } from '../../contract/ids.ts'
import { childEnvironment } from '../../process/environment.ts'
import type { SupervisedProcess } from '../../process/supervised.ts'
import { Supervisor } from '../../process/supervisor.ts'
import type { AgentLink } from './link.ts'

export interface AgentProcessOptions {
  readonly command: readonly [string, ...string[]]
  readonly cwd: string
  /** The environment of who checks. */
  readonly inherited: Readonly<Record<string, string | undefined>>
  /** What the agent gets beside the usual names: a value, or `true` for our own. */
  readonly given: Readonly<Record<string, string | true>>
}

const OWNER = sessionId('conformance')

export class AgentProcesses implements AsyncDisposable {
  readonly #options: AgentProcessOptions
  readonly #records = mkdtempSync(join(tmpdir(), 'subgate-conformance-'))
  readonly #supervisor: Supervisor

  constructor(options: AgentProcessOptions) {
    this.#options = options
    const marker = options.inherited['SUBGATE_RUN']
    this.#supervisor = new Supervisor({
      gatewayId: randomUUID(),
      stateDir: this.#records,
      ...(marker !== undefined && { inheritedMarker: marker }),
    })
  }

  /** Rejects with the typed error of a program that can't be started. */
  async start(): Promise<AgentLink> {
    const { command, cwd, inherited, given } = this.#options
    const [program, ...args] = command
    const { env, withheld } = childEnvironment({ inherited, agentNames: [], given, extra: {} })
    const owner = { sessionId: OWNER, rootSessionId: OWNER, depth: 0 }
    return linkTo(
      await this.#supervisor.spawn({
        command: program,
        args,
        cwd,
        env,
        withheld,
        given: Object.keys(given),
        owner,
        // The end by itself has a requirement of its own; behind it nobody waits.
        graces: { eofMs: 300 },
      }),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#supervisor[Symbol.asyncDispose]()
    rmSync(this.#records, { recursive: true, force: true, maxRetries: 5 })
  }
}

const linkTo = (agent: SupervisedProcess): AgentLink => ({
  write: (line) => void agent.write(line),
  endInput: () => agent.endInput(),
  read: (chunk) => void agent.stdout.on('data', chunk),
  exited: agent.exited.then(() => undefined),
  stderr: () => agent.stderrTail(),
  mask: (text) => agent.mask(text),
  [Symbol.asyncDispose]: async () => {
    await agent.stop()
    // Somebody that escaped may hold it open.
    agent.stdout.destroy()
  },
})
