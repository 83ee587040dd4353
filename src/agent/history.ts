/** The agent's conversation, folded from its session's log into the messages of the next request. */
import type { LanguageModelV4Message } from '@ai-sdk/provider'
import type { SessionUpdate } from '../contract/content.ts'
import { isUpdate } from '../contract/content.ts'
import type { LogEntry, SessionEvent } from '../contract/events.ts'
import { letterWords } from '../contract/letter-words.ts'
import type { Letter } from '../contract/letters.ts'
import { HistoryStep } from './history-step.ts'
import { isContext } from './update-meta.ts'
import { userPart } from './user-content.ts'
import type { UserPart } from './user-content.ts'

type UserChunk = Extract<SessionUpdate, { sessionUpdate: 'user_message_chunk' }>

/** Rebuilt at the start of a run and dropped at its end. Any history gives messages that a model service takes. */
export class History {
  readonly #closed: LanguageModelV4Message[] = []
  readonly #callIds = new Set<string>()
  readonly #aliases = new Map<string, string>()
  #step: HistoryStep | undefined
  #user: { readonly id: string | undefined; readonly parts: UserPart[] } | undefined
  #context: string | undefined

  /** The last runtime-context statement, as it was said. */
  get context(): string | undefined {
    return this.#context
  }

  /** A tool call's id must be its own in the whole session; some services count anew in each answer. */
  freshCallId(id: string): string {
    const wanted = id.replaceAll(/[^\w-]+/gu, '_') || 'call'
    let fresh = wanted
    for (let n = 2; this.#callIds.has(fresh); n += 1) fresh = `${wanted}_${n}`
    return fresh
  }

  add(event: SessionEvent): void {
    // What came after its turn had ended is part of no conversation; other events aren't for the model.
    if (event.type === 'session/update') this.#update(event.update)
    else if (event.type === 'letter/received') this.#letter(event.letter)
    else if (event.type === 'run/started' || event.type === 'run/settled') this.#close()
  }

  /** Without the system message. A call that has no result yet is shown as interrupted. */
  messages(): LanguageModelV4Message[] {
    return [...this.#closed, ...this.#tail()]
  }

  #update(update: SessionUpdate): void {
    if (isUpdate(update, 'user_message_chunk')) {
      this.#userChunk(update)
      return
    }
    const speaks = isUpdate(update, 'agent_message_chunk') || isUpdate(update, 'agent_thought_chunk')
    const calls = isUpdate(update, 'tool_call')
    if (!speaks && !calls && !isUpdate(update, 'tool_call_update')) return
    if (this.#user !== undefined) this.#close()
    if ((speaks || calls) && this.#step?.answered === true) this.#close()
    this.#step ??= new HistoryStep()
    this.#step.add(speaks ? update : this.#named(update, calls))
  }

  /** Another agent's ids may repeat from step to step, or hold what a service refuses. */
  #named<U extends { toolCallId: string }>(update: U, begins: boolean): U {
    const { toolCallId } = update
    const known = this.#aliases.get(toolCallId)
    if (!begins || (known !== undefined && this.#step?.has(known) === true))
      return { ...update, toolCallId: known ?? toolCallId }
    const fresh = this.freshCallId(toolCallId)
    this.#callIds.add(fresh)
    this.#aliases.set(toolCallId, fresh)
    return { ...update, toolCallId: fresh }
  }

  #userChunk({ content, messageId, _meta }: UserChunk): void {
    const id = messageId ?? undefined
    if (this.#user === undefined || this.#user.id !== id) this.#close()
    this.#user ??= { id, parts: [] }
    this.#user.parts.push(userPart(content))
    if (isContext(_meta) && content.type === 'text') this.#context = content.text
  }

  /** Heard between two steps. */
  #letter(letter: Letter): void {
    const words = letterWords(letter)
    if (words === undefined) return
    this.#close()
    this.#closed.push({ role: 'user', content: [{ type: 'text', text: words }] })
  }

  #tail(): LanguageModelV4Message[] {
    if (this.#user !== undefined) return [{ role: 'user', content: [...this.#user.parts] }]
    return this.#step?.messages() ?? []
  }

  #close(): void {
    this.#closed.push(...this.#tail())
    this.#user = undefined
    this.#step = undefined
  }
}

export const foldHistory = (entries: Iterable<LogEntry>, history: History = new History()): History => {
  for (const { event } of entries) history.add(event)
  return history
}
