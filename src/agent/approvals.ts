/** The approval service: what an agent of ours may not do unasked is asked for here, and fails closed (B4). */
import type { ApprovalAsked, ApprovalDecided, ApprovalDecision, ApprovalPolicy } from '../contract/events.ts'
import { present } from '../contract/present.ts'
import type { ApprovalQuestion } from './tools/tool.ts'

export interface ApprovalRequest extends ApprovalQuestion {
  readonly id: string
  readonly toolCallId?: string
}

/** Undefined passes the question on to the next. `signal` aborts when the answer is no longer wanted. */
export type Answerer = (
  request: ApprovalRequest,
  signal: AbortSignal,
) => Promise<ApprovalDecision | undefined> | ApprovalDecision | undefined

export interface ApprovalOptions {
  /** The session's last `approval/policy`, else the deployment's default; read at each ask. */
  policy(): ApprovalPolicy
  readonly answerers: readonly Answerer[]
  newId(): string
  /** Writes to the session's log; what it throws makes the ask `unavailable`. */
  record(event: ApprovalAsked | ApprovalDecided): void
}

export interface AskOptions {
  readonly signal: AbortSignal
  readonly toolCallId?: string
}

type Decided = Pick<ApprovalDecided, 'decision' | 'by'>

const DECISIONS: ReadonlySet<unknown> = new Set<ApprovalDecision>([
  'allowed',
  'rejected',
  'cancelled',
  'unavailable',
])
const CANCELLED: Decided = { decision: 'cancelled', by: 'cancel' }
const UNAVAILABLE: Decided = { decision: 'unavailable', by: 'nobody' }

export class Approvals {
  readonly #options: ApprovalOptions

  constructor(options: ApprovalOptions) {
    this.#options = options
  }

  /** Never rejects. Each ask leaves `approval/asked` and `approval/decided` with one id on the log. */
  async ask(question: ApprovalQuestion, { signal, toolCallId }: AskOptions): Promise<ApprovalDecision> {
    const id = this.#options.newId()
    const { title, kind, reason, flag } = question
    const facts = { id, title, kind, reason, ...present({ flag, toolCallId }) }
    const asked: ApprovalAsked = { type: 'approval/asked', ...facts }
    if (!this.#record(asked)) return 'unavailable'
    const decided = await this.#decide({ ...question, id, ...present({ toolCallId }) }, signal)
    return this.#record({ type: 'approval/decided', id, ...decided }) ? decided.decision : 'unavailable'
  }

  async #decide(request: ApprovalRequest, signal: AbortSignal): Promise<Decided> {
    if (this.#options.policy() === 'never') return { decision: 'rejected', by: 'policy' }
    if (signal.aborted) return CANCELLED
    const aborted = Promise.withResolvers<Decided>()
    const abort = (): void => aborted.resolve(CANCELLED)
    signal.addEventListener('abort', abort, { once: true })
    try {
      return await Promise.race([this.#answer(request, signal), aborted.promise])
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  /** A broken answerer isn't passed over: the next one could allow what it would have refused. */
  async #answer(request: ApprovalRequest, signal: AbortSignal): Promise<Decided> {
    try {
      for (const answerer of this.#options.answerers) {
        if (signal.aborted) return CANCELLED
        const decision = await answerer(request, signal)
        if (decision === undefined) continue
        return DECISIONS.has(decision) ? { decision, by: 'answerer' } : UNAVAILABLE
      }
    } catch {
      return UNAVAILABLE
    }
    return UNAVAILABLE
  }

  #record(event: ApprovalAsked | ApprovalDecided): boolean {
    try {
      this.#options.record(event)
      return true
    } catch {
      return false
    }
  }
}
