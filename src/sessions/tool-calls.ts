/** What is known of a run's tool calls: which are running, and how a permission request's call is described. */
import { isUpdate } from '../contract/content.ts'
import type { SessionUpdate, ToolCallUpdate, ToolKind } from '../contract/content.ts'

export interface ToolFacts {
  readonly title: string
  readonly kind: ToolKind
}

export class ToolCalls {
  readonly #facts = new Map<string, ToolFacts>()
  readonly #running = new Set<string>()

  get running(): number {
    return this.#running.size
  }

  note(update: SessionUpdate): void {
    if (!isUpdate(update, 'tool_call') && !isUpdate(update, 'tool_call_update')) return
    const { toolCallId, status } = update
    if (typeof toolCallId !== 'string') return
    this.#facts.set(toolCallId, this.describe(update))
    const starts = isUpdate(update, 'tool_call') || status === 'in_progress' || status === 'pending'
    if (status === 'completed' || status === 'failed') this.#running.delete(toolCallId)
    else if (starts) this.#running.add(toolCallId)
  }

  /** A call's own fields, completed by what was said of the same call before. */
  describe({ toolCallId, title, kind }: Pick<ToolCallUpdate, 'toolCallId' | 'title' | 'kind'>): ToolFacts {
    const before = this.#facts.get(toolCallId)
    return { title: title ?? before?.title ?? toolCallId, kind: kind ?? before?.kind ?? 'other' }
  }
}
