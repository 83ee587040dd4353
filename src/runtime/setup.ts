/** The scope in which a provider sets its agent up, and the start-up limit on it. */
import { SubagentError } from '../contract/errors.ts'
import type { SetupEvent } from '../contract/events.ts'
import type { SessionId } from '../contract/ids.ts'
import type { Logger } from '../contract/logger.ts'
import type { AgentChoice } from '../contract/offer.ts'
import type { Delegation, ProviderSession, SetupScope, SubagentProvider } from '../contract/provider.ts'
import type { ResolvedStartRequest } from '../contract/request.ts'
import { present } from '../contract/present.ts'
import { after } from '../contract/timer.ts'
import { traceEnvironment } from '../contract/trace.ts'
import { LINEAGE_VARIABLE } from '../lineage/token.ts'
import type { SessionLog } from '../sessions/session-log.ts'
import type { ClientPort } from './client-port.ts'
import { asFault } from './ending.ts'
import type { LineagePort } from './options.ts'

/** What a session is given, whoever its provider is. */
export interface Lent {
  readonly env: Readonly<Record<string, string>>
  readonly delegation: Delegation
  readonly choices?: readonly AgentChoice[] | undefined
  readonly client?: ClientPort | undefined
}

/** Keeps setup events back until the session is published; from then on they go to its log. */
export class Setup implements SetupScope {
  readonly signal: AbortSignal
  readonly env: Readonly<Record<string, string>>
  readonly delegation: Delegation
  readonly choices: readonly AgentChoice[]
  readonly client: ClientPort | undefined
  readonly #kept: SetupEvent[] = []
  readonly #logger: Logger
  #log: SessionLog | undefined
  #seed: SessionId | undefined

  constructor(signal: AbortSignal, { env, delegation, choices = [], client }: Lent, logger: Logger) {
    this.signal = signal
    this.env = env
    this.delegation = delegation
    this.choices = choices
    this.client = client
    this.#logger = logger
  }

  record(event: SetupEvent): void {
    if (this.#log === undefined) {
      this.#kept.push(event)
      return
    }
    try {
      this.#log.append(event)
    } catch (error) {
      // Part of no run: whoever reads the agent must not fall over it.
      this.#logger.error({ error, sessionId: this.#log.id }, 'a session event could not be written')
    }
  }

  inherit(from: SessionId): void {
    this.#seed = from
  }

  /** The session whose completed turns come first. */
  get seed(): SessionId | undefined {
    return this.#seed
  }

  /** Hands over what was recorded; later facts go to the log directly. */
  publishTo(log: SessionLog): void {
    this.#log = log
    for (const event of this.#kept) log.append(event)
  }
}

/** Depth goes with every process of the session (B2.7), and so does the trace that it belongs to. */
export const sessionEnvironment = (
  { rootSessionId, sessionId, depth, maxDepth, sandbox, trace }: ResolvedStartRequest,
  lineage: LineagePort | undefined,
): Record<string, string> => {
  const token = lineage?.sign(present({ root: rootSessionId, session: sessionId, depth, maxDepth, sandbox }))
  return { ...(token !== undefined && { [LINEAGE_VARIABLE]: token }), ...traceEnvironment(trace) }
}

export const cancelledStart = (signal: AbortSignal | undefined): SubagentError => {
  if (SubagentError.is(signal?.reason)) return signal.reason
  return new SubagentError('CANCELLED', 'request', 'Cancelled before the agent had begun.', {
    by: 'request',
  })
}

/** How long a provider may take to let go after its start was aborted, before it is no longer waited for. */
const LET_GO_MS = 10_000

/**
 * Opens the agent within the limit. A provider that doesn't heed the abort is not waited for beyond its
 * grace; what it brings after that is disposed.
 */
export const openAgent = async (
  provider: SubagentProvider,
  request: ResolvedStartRequest,
  startupMs: number,
  signal: AbortSignal | undefined,
  scope: (signal: AbortSignal) => Setup,
): Promise<{ agent: ProviderSession; setup: Setup }> => {
  const abort = new AbortController()
  const onAbort = (): void => abort.abort(cancelledStart(signal))
  if (signal?.aborted === true) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })
  using stack = new DisposableStack()
  stack.defer(() => signal?.removeEventListener('abort', onAbort))
  if (startupMs > 0) stack.use(after(startupMs, () => abort.abort(startupTimeout(request, startupMs))))
  const abandoned = Promise.withResolvers<never>()
  abandoned.promise.catch(() => {})
  abort.signal.addEventListener('abort', () => {
    stack.use(after(LET_GO_MS, () => abandoned.reject(abort.signal.reason)))
  })
  const setup = scope(abort.signal)
  const opening = Promise.try(() => provider.open(request, setup))
  try {
    const agent = await Promise.race([opening, abandoned.promise])
    if (abort.signal.aborted) {
      await agent[Symbol.asyncDispose]()
      throw abort.signal.reason
    }
    return { agent, setup }
  } catch (error) {
    void opening.then((late) => late[Symbol.asyncDispose]()).catch(() => {})
    throw abort.signal.aborted
      ? abortFault(abort.signal.reason, error)
      : asFault(error, provider.name, 'session')
  }
}

/** Why it was aborted, with the facts that the provider added to the same error. */
const abortFault = (reason: unknown, error: unknown): unknown =>
  SubagentError.is(error) && SubagentError.is(reason) && error.code === reason.code ? error : reason

const startupTimeout = ({ cwd }: ResolvedStartRequest, limitMs: number): SubagentError =>
  new SubagentError(
    'STARTUP_TIMEOUT',
    'initialize',
    `The agent wasn't ready within ${limitMs / 1000} s and was ended. Raise limits.startupMs, or see why it hangs.`,
    { command: '', cwd, limitMs },
  )
