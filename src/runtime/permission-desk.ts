/** The permission requests of one run: logged as events, answered by policy or by a person (law 8). */
import type { PermissionOutcome } from '../contract/content.ts'
import { SubagentError } from '../contract/errors.ts'
import type { PermissionRequested, PermissionResolved } from '../contract/events.ts'
import type { PermissionId } from '../contract/ids.ts'
import { present } from '../contract/present.ts'
import type { PermissionQuestion } from '../contract/provider.ts'
import type { PermissionPolicy } from '../contract/request.ts'
import type { Denial } from '../contract/result.ts'
import { after } from '../contract/timer.ts'
import { denialOf } from '../sessions/denials.ts'
import type { ToolCalls } from '../sessions/tool-calls.ts'
import { decide, rejection } from './policy.ts'
import type { Verdict } from './policy.ts'

export interface DeskOptions {
  readonly policy: PermissionPolicy
  /** Somebody listens who can answer. */
  readonly answers: boolean
  /** Milliseconds until policy answers in a person's place; 0 = none. */
  readonly timeoutMs: number
  readonly path: readonly string[]
  readonly tools: ToolCalls
  newId(): PermissionId
  /** False when the event couldn't be recorded; then the run is being ended. */
  append(event: PermissionRequested | PermissionResolved): boolean
  /** What policy denied by its own word. */
  denied(denial: Denial): void
  /** Resolves when what was appended is committed, with false when it never will be. */
  committed(): Promise<boolean>
}

interface Open {
  readonly question: PermissionQuestion
  readonly answer: PromiseWithResolvers<PermissionOutcome>
  readonly timer: Disposable | undefined
}

const CANCELLED: PermissionOutcome = { outcome: 'cancelled' }

export class PermissionDesk {
  readonly #options: DeskOptions
  readonly #open = new Map<PermissionId, Open>()
  #closed = false

  constructor(options: DeskOptions) {
    this.#options = options
  }

  get open(): number {
    return this.#open.size
  }

  awaits(id: PermissionId): boolean {
    return this.#open.has(id)
  }

  /** After `close` every question is answered `cancelled` at once, and nobody is asked. */
  ask(question: PermissionQuestion): Promise<PermissionOutcome> {
    if (this.#closed) return Promise.resolve(CANCELLED)
    const { policy, answers, path, timeoutMs, tools } = this.#options
    const { toolCall, options } = question
    const id = this.#options.newId()
    const recorded = this.#options.append({
      type: 'permission/requested',
      id,
      toolCall,
      options,
      path: [...path, ...(question.path ?? [])],
      ...present({ childId: question.childId }),
    })
    if (!recorded) return Promise.resolve(CANCELLED)
    const verdict = decide(policy, tools.describe(toolCall).kind, options)
    const answer = Promise.withResolvers<PermissionOutcome>()
    const waits = verdict === 'ask' && answers
    const timer = waits && timeoutMs > 0 ? after(timeoutMs, () => this.#expire(id)) : undefined
    this.#open.set(id, { question, answer, timer })
    if (verdict !== 'ask') this.#byPolicy(id, question, verdict)
    else if (!answers) this.#expire(id)
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

  /** Answers all that is open with `cancelled`, before the run settles; also what can't be recorded. */
  close(): void {
    this.#closed = true
    for (const [id, { answer }] of this.#open) {
      this.#resolve(id, CANCELLED, 'cancel')
      answer.resolve(CANCELLED)
    }
  }

  #expire(id: PermissionId): void {
    const open = this.#open.get(id)
    if (open === undefined) return
    const { question } = open
    this.#byPolicy(id, question, { by: 'policy', allowed: false, outcome: rejection(question.options) })
  }

  #byPolicy(id: PermissionId, question: PermissionQuestion, { allowed, outcome, by }: Verdict): void {
    if (this.#resolve(id, outcome, by) && !allowed) this.#deny(question)
  }

  /** An answer counts once it is recorded; one that couldn't be stays open for `close`. */
  #resolve(id: PermissionId, outcome: PermissionOutcome, by: PermissionResolved['by']): boolean {
    const open = this.#open.get(id)
    if (open === undefined) return false
    open.timer?.[Symbol.dispose]()
    if (!this.#options.append({ type: 'permission/resolved', id, outcome, by })) return false
    this.#open.delete(id)
    // What isn't recorded must not happen: the agent hears of an answer once it is committed.
    void this.#options.committed().then((kept) => open.answer.resolve(kept ? outcome : CANCELLED))
    return true
  }

  #deny({ toolCall }: PermissionQuestion): void {
    this.#options.denied(denialOf(this.#options.tools.describe(toolCall)))
  }
}
