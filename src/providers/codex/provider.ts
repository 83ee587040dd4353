/** Codex as a provider: threads of `codex app-server`, with its own sandbox, approvals, schema and sessions. */
import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { commandKey } from '../../capabilities/remembered.ts'
import type { RememberedOffers } from '../../capabilities/remembered.ts'
import type { SubagentCapabilities } from '../../contract/capabilities.ts'
import { SubagentError } from '../../contract/errors.ts'
import type { Logger } from '../../contract/logger.ts'
import type { AgentOffer } from '../../contract/offer.ts'
import { present } from '../../contract/present.ts'
import { ownerOf } from '../../contract/process-record.ts'
import type { ProcessOwner } from '../../contract/process-record.ts'
import type { ProviderSession, SetupScope, SubagentProvider } from '../../contract/provider.ts'
import type { PermissionPolicy, ResolvedStartRequest } from '../../contract/request.ts'
import { childEnvironment } from '../../process/environment.ts'
import type { ChildEnvironment } from '../../process/environment.ts'
import type { Graces } from '../../process/graces.ts'
import { descendantsOf, endMarked } from '../../process/marked.ts'
import type { Supervisor } from '../../process/supervisor.ts'
import { WarmPool } from '../../process/warm-pool.ts'
import { CODEX_ROWS } from './capabilities.ts'
import { CODEX_VARIABLES } from './environment.ts'
import { refuseConflict } from './policy.ts'
import type { CodexServer } from './server.ts'
import { injected, PROCESS_OVERRIDES, threadCall, threadConfig, turnInput } from './thread.ts'
import type { ThreadCall } from './thread.ts'

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
  /** The agent's configured policy: as binding as a caller's. */
  readonly permission?: PermissionPolicy
  /** Whether an app-server without threads is kept for the next start. */
  readonly warm?: boolean
  /** Its models, as an app-server listed them; absent: none is asked for them. */
  readonly offers?: RememberedOffers
}

/** App-servers that start at once may find their database locked, and a thread its last writer still there. */
const LOCK_TRIES = 6
const LOCKED = /database is locked|resource temporarily unavailable/iu
const WRITTEN = /already has an active writer/iu

export class CodexProvider implements SubagentProvider, AsyncDisposable {
  readonly name: string = 'codex'
  readonly title: string = 'Codex'
  readonly capabilities: SubagentCapabilities = CODEX_ROWS
  readonly negotiated: readonly [] = []
  readonly inheritsParentContext: boolean = false
  readonly #options: CodexOptions
  readonly #pool: WarmPool<CodexServer>

  constructor(options: CodexOptions) {
    this.#options = options
    const { supervisor, warm = true } = options
    this.#pool = new WarmPool({
      warm,
      host: (server, owners) => supervisor.host(server.process.pid, owners),
      isClean: (server) => descendantsOf(server.process.pid).length === 0,
    })
  }

  /** Known from an earlier start: none is made for it. */
  offer(): AgentOffer {
    return this.#options.offers?.recall(this.#key) ?? {}
  }

  /** What can't be said to Codex at all, or can't be held together. */
  check(request: ResolvedStartRequest): void {
    refuseConflict(request, this.#options.permission)
    turnInput(request.prompt, 'resolve')
    threadConfig(request, {})
  }

  async open(request: ResolvedStartRequest, setup: SetupScope): Promise<ProviderSession> {
    const call = threadCall(request, setup.env, this.#options.permission)
    const [session, reused] = await this.#attempt(request, call, setup)
    if (session !== undefined) return session
    // At most one crash away from a fresh start: only one that was kept may have died unseen.
    const [second, still] = await this.#attempt(request, call, setup)
    if (second !== undefined) return second
    throw still ?? reused
  }

  /** A session; or why a process that was there before couldn't give one. */
  async #attempt(
    request: ResolvedStartRequest,
    call: ThreadCall,
    setup: SetupScope,
  ): Promise<readonly [ProviderSession] | readonly [undefined, SubagentError]> {
    await using unwind = new AsyncDisposableStack()
    const { inherited, env: given = {}, permission: configured } = this.#options
    const { env, withheld } = childEnvironment({ inherited, agentNames: CODEX_VARIABLES, given, extra: {} })
    const owner = ownerOf(request)
    const start = (): Promise<CodexServer> =>
      patiently(LOCKED, setup.signal, () => this.#start(request.cwd, owner, { env, withheld }, setup.signal))
    const lease = await this.#pool.lease(poolKey(request, env), owner, start)
    unwind.defer(async () => void (await lease.release()))
    const server = lease.host
    setup.signal.throwIfAborted()
    try {
      const threadId = await this.#openThread(server, request, call, setup.signal)
      const { CodexSession } = await import('./session.ts')
      const endProcesses = (thread: string, all: boolean): Promise<readonly number[]> =>
        endMarked(marks(thread, all ? setup.env : {}), server.process.pid)
      const session = new CodexSession(
        { name: this.name, server, setup, lease, configured, endProcesses },
        threadId,
      )
      unwind.move()
      return [session]
    } catch (error) {
      if (lease.reused && SubagentError.is(error) && error.code === 'AGENT_EXITED') return [undefined, error]
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]()
  }

  async #start(
    cwd: string,
    owner: ProcessOwner,
    { env, withheld }: ChildEnvironment,
    signal: AbortSignal,
  ): Promise<CodexServer> {
    const { command, supervisor, log, version, graces, env: given = {} } = this.#options
    const [program, ...before] = command
    // Loaded when it is needed: most gateways never start one.
    const loading = import('./server.ts')
    const process = await supervisor.spawn({
      command: program,
      args: [...before, 'app-server', ...PROCESS_OVERRIDES],
      cwd,
      env,
      withheld,
      given: Object.keys(given),
      owner,
      ...present({ graces }),
    })
    const { CodexServer } = await loading
    const server = new CodexServer({ name: this.name, process, clientVersion: version, log })
    try {
      await server.initialize(signal)
      void this.#learn(server)
      return server
    } catch (error) {
      await server.stop()
      throw error
    }
  }

  /** Beside its first thread, which doesn't wait for it. */
  async #learn(server: CodexServer): Promise<void> {
    const { offers, log } = this.#options
    if (offers === undefined || offers.recall(this.#key) !== undefined) return
    try {
      const { listModels } = await import('./models.ts')
      const offer = await listModels((params) =>
        server.request('model/list', params, { phase: 'initialize' }),
      )
      if (offer !== undefined) offers.remember(this.#key, offer)
    } catch (error) {
      log.debug({ agent: this.name, error }, 'the models could not be listed')
    }
  }

  /** Its models are those of an account, which is where it is told to keep it. */
  get #key(): string | undefined {
    const { command, inherited, env = {} } = this.#options
    const [program, ...args] = command
    const place = [inherited['CODEX_HOME'], inherited['OPENAI_BASE_URL'], env]
    return commandKey(program, [], process.cwd(), ['models', args, place])
  }

  async #openThread(
    server: CodexServer,
    request: ResolvedStartRequest,
    { method, params }: ThreadCall,
    signal: AbortSignal,
  ): Promise<string> {
    const { from } = request.origin
    try {
      const phase = 'session'
      const answer = await patiently(from === 'new' ? LOCKED : EITHER, signal, () =>
        server.request(method, params, { phase, signal }),
      )
      const { read, threadAnswer } = await import('./protocol.ts')
      const threadId = read(threadAnswer, answer)?.thread.id
      if (threadId === undefined)
        throw new SubagentError(
          'PROTOCOL_ERROR',
          phase,
          `Codex answered ${method} without a thread. Update it.`,
          {
            method,
          },
        )
      const item = injected(request)
      if (item !== undefined)
        await server.request('thread/inject_items', { threadId, items: [item] }, { phase, signal })
      return threadId
    } catch (error) {
      if (from === 'new' || !SubagentError.is(error) || error.code !== 'AGENT_ERROR') throw error
      throw WRITTEN.test(error.message) ? busy(request, error) : notResumable(request, error)
    }
  }
}

const EITHER = new RegExp(`${LOCKED.source}|${WRITTEN.source}`, 'iu')

/** Tries again, a little later each time, as long as it fails with such words. */
const patiently = async <T>(words: RegExp, signal: AbortSignal, attempt: () => Promise<T>): Promise<T> => {
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (tried === LOCK_TRIES || !SubagentError.is(error) || !words.test(wordsOf(error))) throw error
      await sleep(2 ** tried * (10 + Math.random() * 10), undefined, { signal })
    }
  }
}

const wordsOf = ({ message, data }: SubagentError): string =>
  `${message} ${'stderr' in data && typeof data.stderr === 'string' ? data.stderr : ''}`

/** Commands of the thread and of agents that it started; with the session's own variables also its servers. */
const marks = (threadId: string, env: Readonly<Record<string, string>>): readonly string[] => [
  `CODEX_THREAD_ID=${threadId}`,
  `CODEX_SESSION_ID=${threadId}`,
  ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
]

const busy = ({ sessionId }: ResolvedStartRequest, cause: SubagentError): SubagentError =>
  new SubagentError(
    'SESSION_BUSY',
    'session',
    `The thread of session ${sessionId} is open in another Codex. Close it there, or try again later.`,
    { sessionId },
    { cause },
  )

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
