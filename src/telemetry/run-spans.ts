/** The spans of one run: its own, and one for each tool call. Fed with the run's live events in order. */
import { SpanStatusCode } from '@opentelemetry/api'
import type { Context, Span } from '@opentelemetry/api'
import { isUpdate } from '../contract/content.ts'
import type { SessionUpdate } from '../contract/content.ts'
import type { LogEntry, RunSettled } from '../contract/events.ts'
import type { ObservedRun } from '../contract/observer.ts'
import type { TraceContext } from '../contract/trace.ts'
import { endingWords, eventWords, outputWords, toolContent, toolName, toolWords } from './conventions.ts'
import type { Attributes } from './conventions.ts'
import { SaidText } from './said-text.ts'

/** Begins a span below another. */
export type Begin = (
  words: { readonly name: string; readonly attributes: Attributes },
  at: number,
  parent: Context,
) => { readonly span: Span; readonly context: Context }

export interface RunSpansOptions {
  readonly span: Span
  readonly context: Context
  readonly trace: TraceContext
  readonly content: boolean
  readonly begin: Begin
  /** Nothing more comes. */
  over(): void
}

type ToolUpdate = Extract<SessionUpdate, { sessionUpdate: 'tool_call' | 'tool_call_update' }>

interface OpenCall {
  readonly span: Span
  readonly context: Context
}

/** The contexts of so many calls are kept, for children that a call leaves behind. */
const MOST_CALLS = 1024

export class RunSpans implements ObservedRun {
  readonly trace: TraceContext
  readonly #options: RunSpansOptions
  readonly #open = new Map<string, OpenCall>()
  readonly #contexts = new Map<string, Context>()
  readonly #said = new SaidText()
  #lastAt: number | undefined
  #ended = false

  constructor(options: RunSpansOptions) {
    this.#options = options
    this.trace = options.trace
  }

  /** Where a child belongs: below the tool call that starts it, if that is known, else below the run. */
  below(toolCallId: string | undefined): Context {
    const call = toolCallId === undefined ? undefined : this.#contexts.get(toolCallId)
    return call ?? this.#options.context
  }

  event(entry: LogEntry): void {
    const { at, event } = entry
    const words = eventWords(entry)
    if (words !== undefined) this.#options.span.addEvent(words.name, { ...words.attributes }, at)
    if (event.type === 'run/started') this.#lastAt = at
    // What precedes it belongs to a run that may yet come to nothing.
    if (this.#lastAt === undefined) return
    this.#lastAt = at
    if (event.type === 'session/update') this.#update(event.update, at)
    else if (event.type === 'run/settled') this.#settle(event, at)
  }

  [Symbol.dispose](): void {
    this.#options.over()
    // A span that isn't ended is never exported: a refused start leaves nothing.
    if (this.#lastAt === undefined || this.#ended) return
    this.#options.span.setAttribute('error.type', 'unsettled')
    this.#end(this.#lastAt, 'unsettled')
  }

  #update(update: SessionUpdate, at: number): void {
    if (isUpdate(update, 'tool_call') || isUpdate(update, 'tool_call_update')) {
      if (typeof update.toolCallId === 'string') this.#call(update, at)
    } else if (this.#options.content) this.#said.hear(update)
  }

  #call(update: ToolUpdate, at: number): void {
    const { content, begin, context } = this.#options
    const { toolCallId, status } = update
    const before = this.#open.get(toolCallId)
    // A word that comes after its end opens no second span.
    if (before === undefined && this.#contexts.has(toolCallId)) return
    const call = before ?? begin(toolWords(update, content), at, context)
    if (before === undefined) {
      if (this.#contexts.size >= MOST_CALLS) this.#forgetOldest()
      this.#open.set(toolCallId, call)
      this.#contexts.set(toolCallId, call.context)
      this.#said.pause()
    } else {
      const name = toolName(update)
      if (update.name != null && name !== undefined) {
        call.span.updateName(`execute_tool ${name}`)
        call.span.setAttribute('gen_ai.tool.name', name)
      }
      call.span.setAttributes({ ...toolContent(update, content) })
    }
    if (status !== 'completed' && status !== 'failed') return
    if (status === 'failed') fail(call.span, '_OTHER', 'failed')
    call.span.end(at)
    this.#open.delete(toolCallId)
  }

  #forgetOldest(): void {
    for (const id of this.#contexts.keys()) {
      if (this.#open.has(id)) continue
      this.#contexts.delete(id)
      return
    }
  }

  #settle(event: RunSettled, at: number): void {
    const { span, content } = this.#options
    const { attributes, fault } = endingWords(event)
    span.setAttributes({ ...attributes })
    if (content && this.#said.texts.length > 0)
      span.setAttributes({ ...outputWords(this.#said.texts, event.status) })
    this.#end(at, fault)
  }

  #end(at: number, fault: string | undefined): void {
    const { span } = this.#options
    this.#ended = true
    for (const call of this.#open.values()) {
      fail(call.span, 'unfinished', 'unfinished')
      call.span.end(at)
    }
    this.#open.clear()
    if (fault !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: fault })
    span.end(at)
  }
}

const fail = (span: Span, type: string, message: string): void => {
  span.setAttribute('error.type', type)
  span.setStatus({ code: SpanStatusCode.ERROR, message })
}
