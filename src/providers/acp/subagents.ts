/** The subagents that an ACP agent runs itself: whose each update is, and what waits until its session is announced. */
import type { SessionUpdate, ToolCallUpdate, ToolKind } from '../../contract/content.ts'
import type { SubagentUpdated } from '../../contract/events.ts'
import { isRecord } from '../../contract/json.ts'
import { present } from '../../contract/present.ts'

interface Known {
  readonly parent: string | undefined
  title: string
}

interface Held {
  readonly sessionId: string
  readonly update: SessionUpdate
  readonly bytes: number
}

interface ToolFacts {
  readonly title?: string
  readonly kind?: ToolKind
}

/** Of sessions that nobody announced so much is kept, and no more. */
const MAX_HELD_BYTES = 1024 * 1024
const MAX_HELD = 1000
const MAX_CALLS = 2000
const MAX_TITLE = 200

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const announcedId = (update: SessionUpdate): string | undefined =>
  update.sessionUpdate === 'subagent_update'
    ? text((update as { readonly sessionId?: unknown }).sessionId)
    : undefined

export class AnnouncedSubagents {
  readonly #known = new Map<string, Known>()
  readonly #held: Held[] = []
  #heldBytes = 0
  readonly #calls = new Map<string, ToolFacts>()

  knows(id: string): boolean {
    return this.#known.has(id)
  }

  /** Titles from below the agent down to this one. */
  path(id: string): readonly string[] {
    const known = this.#known.get(id)
    if (known === undefined) return []
    return [...(known.parent === undefined ? [] : this.path(known.parent)), known.title]
  }

  /**
   * What is to be recorded of an update under `sessionId`, in order: nothing while its session isn't announced.
   * `nativeId` is the agent's own session.
   */
  take(nativeId: string, held: Held): readonly SubagentUpdated[] {
    const { sessionId, update } = held
    const isOwn = sessionId === nativeId
    if (!isOwn && !this.#known.has(sessionId)) return this.#hold(held)
    const parent = isOwn ? undefined : sessionId
    const id = announcedId(update)
    if (id !== undefined) return this.#announced(nativeId, id, parent, update)
    this.#noted(sessionId, update)
    return [eventOf(sessionId, this.#known.get(sessionId)?.parent, update)]
  }

  /** A question's tool call, completed by what its subagent said of it: never by a call of another session. */
  described(sessionId: string, toolCall: ToolCallUpdate): ToolCallUpdate {
    const { title, kind } = this.#calls.get(callKey(sessionId, toolCall.toolCallId)) ?? {}
    return {
      ...toolCall,
      title: toolCall.title ?? title ?? toolCall.toolCallId,
      kind: toolCall.kind ?? kind ?? 'other',
    }
  }

  /** The first announcement decides on the parent; what would make it another, or a circle, is no announcement. */
  #announced(
    nativeId: string,
    id: string,
    parent: string | undefined,
    update: SessionUpdate,
  ): readonly SubagentUpdated[] {
    const known = this.#known.get(id)
    if (id === nativeId || id === parent || (known !== undefined && known.parent !== parent)) return []
    const title = titleOf(update)?.slice(0, MAX_TITLE)
    const event = eventOf(id, parent, update)
    if (known !== undefined) {
      known.title = title ?? known.title
      return [event]
    }
    this.#known.set(id, { parent, title: title ?? 'subagent' })
    return [event, ...this.#released(nativeId, id)]
  }

  #hold(held: Held): readonly SubagentUpdated[] {
    if (this.#held.length < MAX_HELD && this.#heldBytes + held.bytes <= MAX_HELD_BYTES) {
      this.#held.push(held)
      this.#heldBytes += held.bytes
    }
    return []
  }

  #released(nativeId: string, id: string): readonly SubagentUpdated[] {
    const waiting = this.#held.filter(({ sessionId }) => sessionId === id)
    if (waiting.length === 0) return []
    const rest = this.#held.filter(({ sessionId }) => sessionId !== id)
    this.#held.splice(0, this.#held.length, ...rest)
    for (const { bytes } of waiting) this.#heldBytes -= bytes
    return waiting.flatMap((held) => this.take(nativeId, held))
  }

  #noted(sessionId: string, update: SessionUpdate): void {
    if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') return
    const { toolCallId, title, kind } = update as Readonly<Record<string, unknown>>
    const key = callKey(sessionId, String(toolCallId))
    const said = present({ title: text(title), kind: text(kind) as ToolKind | undefined })
    const before = this.#calls.get(key)
    const [oldest] = this.#calls.keys()
    if (before === undefined && this.#calls.size >= MAX_CALLS && oldest !== undefined)
      this.#calls.delete(oldest)
    this.#calls.set(key, { ...before, ...said })
  }
}

/** Another gateway says in `_meta` what it was called when it was started. */
const titleOf = (update: SessionUpdate): string | undefined => {
  const { title, _meta: meta } = update as Readonly<Record<string, unknown>>
  const subgate = isRecord(meta) ? meta['subgate'] : undefined
  return (isRecord(subgate) ? text(subgate['label']) : undefined) ?? text(title)
}

const callKey = (sessionId: string, toolCallId: string): string => JSON.stringify([sessionId, toolCallId])

const eventOf = (childId: string, parent: string | undefined, update: SessionUpdate): SubagentUpdated => ({
  type: 'subagent/update',
  childId,
  ...present({ parentChildId: parent }),
  update,
})

/** The session that a message belongs to. */
export const sessionOf = (params: unknown): string | undefined =>
  isRecord(params) ? text(params['sessionId']) : undefined

/** What concerns subagents: an update under another session's id, and every announcement. */
export const isOfSubagent = (nativeId: string, sessionId: string, update: SessionUpdate): boolean =>
  sessionId !== nativeId || announcedId(update) !== undefined
