/** The permission requests of one tree, asked of the editor on its root's session (laws 8 and 11, C28). */
import type * as acp from '@agentclientprotocol/sdk/unstable'
import type { PermissionRequested } from '../contract/events.ts'
import type { PermissionId } from '../contract/ids.ts'
import { isRecord } from '../contract/json.ts'
import type { Logger } from '../contract/logger.ts'
import type { PermissionOutcome } from '../contract/content.ts'
import type { SubagentRun } from '../contract/run.ts'

/** Whose question it is stands in the title for people, and in `_meta` for programs. */
export const questionParams = (
  sessionId: string,
  { toolCall, options, path }: PermissionRequested,
): acp.RequestPermissionRequest => {
  if (path.length === 0) return { sessionId, toolCall, options: [...options] }
  const title = `${path.join('/')}: ${toolCall.title ?? toolCall.toolCallId}`
  return {
    sessionId,
    toolCall: { ...toolCall, title },
    options: [...options],
    _meta: { subgate: { path: [...path], title: toolCall.title ?? null } },
  }
}

const outcomeOf = (answer: unknown): PermissionOutcome => {
  const outcome = isRecord(answer) ? answer['outcome'] : undefined
  if (!isRecord(outcome)) throw new TypeError('The answer has no outcome.')
  const { outcome: kind, optionId } = outcome
  if (kind === 'cancelled') return { outcome: 'cancelled' }
  if (kind === 'selected' && typeof optionId === 'string') return { outcome: 'selected', optionId }
  throw new TypeError('The outcome is neither selected nor cancelled.')
}

export interface QuestionsOptions {
  readonly sessionId: string
  readonly ask: (params: acp.RequestPermissionRequest, signal: AbortSignal) => Promise<unknown>
  /** Whether the question still waits: policy may have answered it at once. */
  readonly awaits: (run: SubagentRun, id: PermissionId) => boolean
  readonly log: Logger
}

export class Questions {
  readonly #options: QuestionsOptions
  readonly #open = new Map<PermissionId, AbortController>()
  #answered = true

  constructor(options: QuestionsOptions) {
    this.#options = options
  }

  /** False once the editor has shown that it can't answer. */
  get answered(): boolean {
    return this.#answered
  }

  get open(): number {
    return this.#open.size
  }

  /** Writes the request in the order of the log, and doesn't wait for its answer. A child's session names no path. */
  ask(run: SubagentRun, question: PermissionRequested, childId?: string): void {
    const { id } = question
    const { awaits, ask, sessionId } = this.#options
    if (!awaits(run, id)) return
    if (!this.#answered) {
      run.giveUp(id)
      return
    }
    const withdraw = new AbortController()
    this.#open.set(id, withdraw)
    const params =
      childId === undefined
        ? questionParams(sessionId, question)
        : questionParams(childId, { ...question, path: [] })
    ask(params, withdraw.signal)
      .then(
        (answer) => this.#take(run, id, answer),
        (error: unknown) => this.#refused(run, id, error, withdraw.signal),
      )
      .finally(() => this.#open.delete(id))
  }

  /** Answered by someone else, or no longer wanted. */
  withdraw(id: PermissionId): void {
    this.#open.get(id)?.abort()
  }

  /** An answer that says nothing usable leaves the question to policy. */
  #take(run: SubagentRun, id: PermissionId, answer: unknown): void {
    try {
      run.respond(id, outcomeOf(answer))
    } catch (error) {
      this.#options.log.warn({ error, id }, 'the editor gave a permission request no usable answer')
      run.giveUp(id)
    }
  }

  #refused(run: SubagentRun, id: PermissionId, error: unknown, withdrawn: AbortSignal): void {
    if (withdrawn.aborted) return
    this.#options.log.warn(
      { error, id },
      'the editor answers no permission requests; policy does from now on',
    )
    this.#answered = false
    run.giveUp(id)
  }
}
