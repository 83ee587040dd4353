/** Codex as a provider: threads of `codex app-server`, with its own sandbox, approvals, schema and sessions. */
import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SubagentCapabilities } from '../../contract/capabilities.ts'
import { SubagentError } from '../../contract/errors.ts'
import type { Logger } from '../../contract/logger.ts'
import { present } from '../../contract/present.ts'
import type { ProviderSession, SetupScope, SubagentProvider } from '../../contract/provider.ts'
import type { ResolvedStartRequest } from '../../contract/request.ts'
import { endMarked } from '../../process/marked.ts'
import { childEnvironment } from '../../process/environment.ts'
import type { Graces } from '../../process/graces.ts'
import type { Supervisor } from '../../process/supervisor.ts'
import { CODEX_ROWS } from './capabilities.ts'
import { CODEX_VARIABLES } from './environment.ts'
import { CodexPool } from './pool.ts'
import { read, threadAnswer } from './protocol.ts'
import { CodexServer } from './server.ts'
import { CodexSession } from './session.ts'
import { PROCESS_OVERRIDES, threadCall } from './thread.ts'

export interface CodexOptions {
  /** The program and what stands before `app-server`. */
  readonly command: readonly [string, ...string[]]
  readonly version: string
  readonly supervisor: Supervisor
  readonly log: Logger
  readonly inherited: Readonly<Record<string, string | undefined>>
  /** From configuration and `--env`. */
  readonly env?: Readonly<Record<string, string | true>>
  readonly graces?: Partial<Graces>
  /** Whether an app-server without threads is kept for the next start. */
  readonly warm?: boolean
}

/** Two app-servers that start at once may find each other's database locked. */
const LOCK_TRIES = 6
const LOCKED = /database is locked|resource temporarily unavailable/iu

export class CodexProvider implements SubagentProvider, AsyncDisposable {
  readonly name: string = 'codex'
  readonly capabilities: SubagentCapabilities = CODEX_ROWS
  readonly negotiated: readonly [] = []
  readonly inheritsParentContext: boolean = false
  readonly #options: CodexOptions
  readonly #pool: CodexPool

  constructor(options: CodexOptions) {
    this.#options = options
    this.#pool = new CodexPool(options.warm ?? true)
  }

  async open(request: ResolvedStartRequest, setup: SetupScope): Promise<ProviderSession> {
    await using unwind = new AsyncDisposableStack()
    const { env, withheld } = childEnvironment({
      inherited: this.#options.inherited,
      agentNames: CODEX_VARIABLES,
      given: this.#options.env ?? {},
      extra: {},
    })
    const start = (): Promise<CodexServer> => this.#start(request, env, withheld, setup)
    const lease = await this.#pool.lease(poolKey(request, env), start)
    unwind.defer(async () => void (await lease.release()))
    const { server } = lease
    setup.signal.throwIfAborted()
    const threadId = await this.#openThread(server, request, setup)
    const session = new CodexSession(
      {
        name: this.name,
        server,
        setup,
        release: () => lease.release(),
        endCommands: (thread) => endMarked(`CODEX_THREAD_ID=${thread}`, server.process.pid),
      },
      threadId,
    )
    unwind.move()
    return session
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]()
  }

  async #start(
    request: ResolvedStartRequest,
    env: Record<string, string>,
    withheld: readonly string[],
    setup: SetupScope,
  ): Promise<CodexServer> {
    const { command, supervisor, log, version, graces, env: given = {} } = this.#options
    const [program, ...before] = command
    const { sessionId, rootSessionId, depth, maxDepth } = request
    const process = await supervisor.spawn({
      command: program,
      args: [...before, 'app-server', ...PROCESS_OVERRIDES],
      cwd: request.cwd,
      env,
      withheld,
      given: Object.keys(given),
      owner: { sessionId, rootSessionId, depth, ...present({ maxDepth }) },
      ...present({ graces }),
    })
    const server = new CodexServer({ name: this.name, process, clientVersion: version, log })
    try {
      await server.initialize(setup.signal)
      return server
    } catch (error) {
      await server.stop()
      throw error
    }
  }

  async #openThread(server: CodexServer, request: ResolvedStartRequest, setup: SetupScope): Promise<string> {
    const { method, params } = threadCall(request, setup.env)
    for (let attempt = 1; ; attempt += 1) {
      try {
        const answer = read(threadAnswer, await server.request(method, params, setup.signal))
        if (answer !== undefined) return answer.thread.id
        throw new SubagentError(
          'PROTOCOL_ERROR',
          'session',
          `Codex answered ${method} without a thread. Update it.`,
          { method },
        )
      } catch (error) {
        if (!SubagentError.is(error) || error.code !== 'AGENT_ERROR') throw error
        if (attempt < LOCK_TRIES && LOCKED.test(error.message)) {
          await sleep(2 ** attempt * (10 + Math.random() * 10), undefined, { signal: setup.signal })
          continue
        }
        throw request.origin.from === 'new' ? error : notResumable(request, error)
      }
    }
  }
}

/** Never a silent fresh thread (B9.3). */
const notResumable = ({ sessionId }: ResolvedStartRequest, cause: SubagentError): SubagentError =>
  new SubagentError(
    'NOT_RESUMABLE',
    'session',
    `The session ${sessionId} can't be taken up again: ${cause.message}. Start a new session.`,
    { sessionId, reason: cause.message },
    { cause },
  )

/**
 * What a process is shared by. Lineage goes with each thread; depth and cap are part of the key, so that a command
 * that loses its environment is still found at the depth of its own process.
 */
const poolKey = (
  { depth, maxDepth, sandbox }: ResolvedStartRequest,
  env: Readonly<Record<string, string>>,
): string =>
  hash('sha256', JSON.stringify([depth, maxDepth ?? null, sandbox ?? null, Object.entries(env).toSorted()]))
