/** The permission requests of one run: logged as events, answered by policy or by a person (law 8). */
import type { PermissionOutcome } from '../contract/content.ts'
import { SubagentError } from '../contract/errors.ts'
import type { PermissionRequested, PermissionResolved } from '../contract/events.ts'
import type { PermissionId } from '../contract/ids.ts'
import type { PermissionQuestion } from '../contract/provider.ts'
import type { PermissionPolicy } from '../contract/request.ts'
import type { Denial } from '../contract/result.ts'
import { after } from '../contract/timer.ts'
import { allowingFlag, decide, rejection } from './policy.ts'
import type { Verdict } from './policy.ts'
import type { ToolCalls } from './tool-calls.ts'

export interface DeskOptions {
  readonly policy: PermissionPolicy
  /** Somebody listens who can answer. */
  readonly answers: boolean
  /** Milliseconds until policy answers in a person's place; 0 = none. */
  readonly timeoutMs: number
  readonly path: readonly string[]
  readonly tools: ToolCalls
  newId(): PermissionId
  append(event: PermissionRequested | PermissionResolved): void
}

interface Open {
  readonly question: PermissionQuestion
  readonly answer: PromiseWithResolvers<PermissionOutcome>
  readonly timer: Disposable | undefined
}

const CANCELLED: PermissionOutcome = { outcome: 'cancelled' }

export class PermissionDesk {
  readonly denied: Denial[] = []
  readonly #options: DeskOptions
  readonly #open = new Map<PermissionId, Open>()
  #closed = false

  constructor(options: DeskOptions) {
    this.#options = options
  }

  get open(): number {
    return this.#open.size
  }

  /** After `close` every question is answered `cancelled` at once, and nobody is asked. */
  ask(question: PermissionQuestion): Promise<PermissionOutcome> {
    if (this.#closed) return Promise.resolve(CANCELLED)
    const { policy, answers, path, timeoutMs, tools } = this.#options
    const { toolCall, options } = question
    const id = this.#options.newId()
    this.#options.append({
      type: 'permission/requested',
      id,
      toolCall,
      options,
      path: [...path, ...(question.path ?? [])],
    })
    const verdict = decide(policy, tools.describe(toolCall).kind, options)
    if (verdict !== 'ask') return Promise.resolve(this.#byPolicy(id, question, verdict))
    if (!answers) return Promise.resolve(this.#byPolicy(id, question, this.#reject(question)))
    const answer = Promise.withResolvers<PermissionOutcome>()
    const timer = timeoutMs > 0 ? after(timeoutMs, () => this.#expire(id)) : undefined
    this.#open.set(id, { question, answer, timer })
    return answer.promise
  }

  /** A second or late answer is dropped; an option that wasn't offered is `INVALID_REQUEST`. */
  respond(id: PermissionId, outcome: PermissionOutcome): void {
    const open = this.#open.get(id)
    if (open === undefined) return
    const { options } = open.question
    if (outcome.outcome === 'selected' && !options.some(({ optionId }) => optionId === outcome.optionId)) {
      const offered = options.map(({ optionId }) => optionId).join(', ')
      throw new SubagentError(
        'INVALID_REQUEST',
        'prompt',
        `The answer "${outcome.optionId}" wasn't offered. Choose one of: ${offered}.`,
        { field: 'optionId' },
      )
    }
    this.#resolve(id, outcome, 'person')
  }

  /** Nobody can answer any longer: policy does, for this question. */
  giveUp(id: PermissionId): void {
    this.#expire(id)
  }

  /** Answers all that is open with `cancelled`, before the run settles. */
  close(): void {
    this.#closed = true
    for (const id of this.#open.keys()) this.#resolve(id, CANCELLED, 'cancel')
  }

  #expire(id: PermissionId): void {
    const open = this.#open.get(id)
    if (open === undefined) return
    this.#deny(open.question)
    this.#resolve(id, rejection(open.question.options), 'policy')
  }

  #reject({ options }: PermissionQuestion): Verdict {
    return { by: 'policy', allowed: false, outcome: rejection(options) }
  }

  #byPolicy(id: PermissionId, question: PermissionQuestion, verdict: Verdict): PermissionOutcome {
    if (!verdict.allowed) this.#deny(question)
    this.#options.append({ type: 'permission/resolved', id, outcome: verdict.outcome, by: verdict.by })
    return verdict.outcome
  }

  #resolve(id: PermissionId, outcome: PermissionOutcome, by: PermissionResolved['by']): void {
    const open = this.#open.get(id)
    if (open === undefined) return
    this.#open.delete(id)
    open.timer?.[Symbol.dispose]()
    this.#options.append({ type: 'permission/resolved', id, outcome, by })
    open.answer.resolve(outcome)
  }

  #deny({ toolCall }: PermissionQuestion): void {
    const { title, kind } = this.#options.tools.describe(toolCall)
    this.denied.push({ title, kind, flag: allowingFlag(kind) })
  }
}
