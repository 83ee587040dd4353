/** One turn's hand on the session: what it says goes to the log and into the conversation, and stops with the turn. */
import type { ContentBlock, SessionUpdate, ToolCallUpdate } from '../contract/content.ts'
import { isUpdate, text } from '../contract/content.ts'
import type { ProviderEvent } from '../contract/events.ts'
import type { Letter } from '../contract/letters.ts'
import type { History } from './history.ts'
import type { ToolResult } from './tools/tool.ts'
import { speakerMeta } from './update-meta.ts'
import type { Speaker } from './update-meta.ts'

export interface TranscriptOptions {
  readonly history: History
  /** False asks to wait for `drained`. */
  emit(event: ProviderEvent): boolean
  drained(): Promise<void>
  newId(): string
}

export class Transcript {
  readonly #options: TranscriptOptions
  readonly #openCalls = new Set<string>()
  readonly #noticed = new Set<string>()
  #said = 0
  #full = false
  #closed = false

  constructor(options: TranscriptOptions) {
    this.#options = options
  }

  /** How many updates there were; notices don't count. */
  get said(): number {
    return this.#said
  }

  get history(): History {
    return this.#options.history
  }

  newId(): string {
    return this.#options.newId()
  }

  say(update: SessionUpdate): void {
    if (this.#closed) return
    const event = { type: 'session/update', update } as const
    this.#full = !this.#options.emit(event)
    this.#said += 1
    this.#options.history.add(event)
    if (isUpdate(update, 'tool_call')) this.#openCalls.add(update.toolCallId)
    else if (isUpdate(update, 'tool_call_update') && ends(update)) this.#openCalls.delete(update.toolCallId)
  }

  hear(speaker: Speaker, content: readonly ContentBlock[]): void {
    const messageId = this.newId()
    for (const block of content)
      this.say({
        sessionUpdate: 'user_message_chunk',
        messageId,
        content: block,
        _meta: speakerMeta(speaker),
      })
  }

  /** It is in the log already. */
  received(letter: Letter): void {
    this.#options.history.add({ type: 'letter/received', letter })
  }

  notice(title: string, detail?: string): void {
    if (this.#closed) return
    const event = {
      type: 'notice',
      severity: 'warning',
      title,
      ...(detail !== undefined && { detail }),
    } as const
    this.#full = !this.#options.emit(event)
  }

  noticeOnce(title: string): void {
    if (this.#noticed.has(title)) return
    this.#noticed.add(title)
    this.notice(title)
  }

  /** A call ends once; whatever it has to say later is dropped. */
  endCall(toolCallId: string, { text: words, isError, content }: ToolResult): void {
    if (!this.#openCalls.has(toolCallId)) return
    this.say({
      sessionUpdate: 'tool_call_update',
      toolCallId,
      status: isError === true ? 'failed' : 'completed',
      rawOutput: words,
      content: [...(content ?? [{ type: 'content' as const, content: text(words) }])],
    })
  }

  /** Waits for the slowest reader, if one is behind. */
  async room(): Promise<void> {
    if (!this.#full) return
    this.#full = false
    await this.#options.drained()
  }

  /** Every call that was announced has an end, and nothing comes after the turn's. */
  close(why: string): void {
    for (const id of this.#openCalls) this.endCall(id, { text: why, isError: true })
    this.#closed = true
  }
}

const ends = ({ status }: ToolCallUpdate): boolean => status === 'completed' || status === 'failed'
