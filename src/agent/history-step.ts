/** One step of the model as the log tells it: text, thoughts, tool calls, and then their results. */
import type {
  LanguageModelV4Message,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider'
import type { SessionUpdate, ToolCallUpdate } from '../contract/content.ts'
import { isUpdate } from '../contract/content.ts'
import { isRecord } from '../contract/json.ts'
import { readModelMeta } from './update-meta.ts'
import type { UpdateMeta } from './update-meta.ts'

/** Said in place of a result that never came, so that the next request is valid. */
export const INTERRUPTED =
  'The call was interrupted before it gave a result. It may have done part of its work.'

type Call = { -readonly [K in keyof LanguageModelV4ToolCallPart]: LanguageModelV4ToolCallPart[K] }
type Prose = {
  readonly type: 'text' | 'reasoning'
  text: string
  readonly block: string | undefined
  metadata: UpdateMeta['metadata']
}
type Result = LanguageModelV4ToolResultPart['output']
type Assistant = Extract<LanguageModelV4Message, { role: 'assistant' }>

/** Names that every model service takes; a title of another agent's call is made to fit. */
const wireName = (name: string): string => name.replaceAll(/[^\w-]+/gu, '_').slice(0, 64) || 'tool'

const spoken = ({ rawOutput, content }: ToolCallUpdate): string => {
  if (typeof rawOutput === 'string') return rawOutput
  const texts = (content ?? []).flatMap((part) =>
    part.type === 'content' && part.content.type === 'text' ? [part.content.text] : [],
  )
  if (texts.length > 0) return texts.join('\n')
  return rawOutput === undefined ? '' : JSON.stringify(rawOutput)
}

export class HistoryStep {
  readonly #parts: (Prose | Call)[] = []
  readonly #results = new Map<string, Result>()

  /** Whether what the model says next belongs to another step. */
  get answered(): boolean {
    return this.#results.size > 0
  }

  has(callId: string): boolean {
    return this.#find(callId) !== undefined
  }

  add(update: SessionUpdate): void {
    if (isUpdate(update, 'agent_message_chunk')) this.#prose('text', update)
    else if (isUpdate(update, 'agent_thought_chunk')) this.#prose('reasoning', update)
    else if (isUpdate(update, 'tool_call')) this.#call(update)
    else if (isUpdate(update, 'tool_call_update')) this.#update(update)
  }

  /** Empty when the model said nothing that it could be reminded of. */
  messages(): LanguageModelV4Message[] {
    const content = this.#parts.flatMap((part) => (part.type === 'tool-call' ? [part] : prosePart(part)))
    if (!content.some(({ type }) => type !== 'reasoning')) return []
    const calls = content.filter((part) => part.type === 'tool-call')
    const assistant: LanguageModelV4Message = { role: 'assistant', content }
    if (calls.length === 0) return [assistant]
    return [assistant, { role: 'tool', content: calls.map((call) => this.#resultOf(call)) }]
  }

  #prose(
    type: Prose['type'],
    {
      content,
      _meta,
    }: Pick<Extract<SessionUpdate, { sessionUpdate: 'agent_message_chunk' }>, 'content' | '_meta'>,
  ): void {
    const model = readModelMeta(_meta)
    // A thought that another agent told to people is no thought of this model.
    if (type === 'reasoning' && model === undefined) return
    const text = content?.type === 'text' ? content.text : ''
    const last = this.#parts.findLast(
      (part): part is Prose => part.type === type && part.block === model?.block,
    )
    const continues = model?.block === undefined ? last === this.#parts.at(-1) : true
    if (last === undefined || !continues) {
      this.#parts.push({ type, text, block: model?.block, metadata: model?.metadata })
      return
    }
    last.text += text
    last.metadata = model?.metadata ?? last.metadata
  }

  #call(update: Started): void {
    if (this.has(update.toolCallId)) this.#update(update)
    else this.#begin(update)
  }

  #begin({ toolCallId, title, name, rawInput, _meta, ...rest }: Started): void {
    const metadata = readModelMeta(_meta)?.metadata
    this.#parts.push({
      type: 'tool-call',
      toolCallId,
      toolName: wireName(name ?? title ?? ''),
      input: isRecord(rawInput) ? rawInput : {},
      ...(metadata !== undefined && { providerOptions: metadata }),
    })
    this.#settle({ toolCallId, ...rest })
  }

  #update(update: ToolCallUpdate): void {
    const call = this.#find(update.toolCallId)
    if (call === undefined) return
    if (isRecord(update.rawInput)) call.input = update.rawInput
    this.#settle(update)
  }

  #settle(update: ToolCallUpdate): void {
    if (update.status !== 'completed' && update.status !== 'failed') return
    const type = update.status === 'completed' ? 'text' : 'error-text'
    this.#results.set(update.toolCallId, { type, value: spoken(update) })
  }

  #find(id: string): Call | undefined {
    return this.#parts.find((part): part is Call => part.type === 'tool-call' && part.toolCallId === id)
  }

  #resultOf({ toolCallId, toolName }: LanguageModelV4ToolCallPart): LanguageModelV4ToolResultPart {
    const output = this.#results.get(toolCallId) ?? { type: 'error-text', value: INTERRUPTED }
    return { type: 'tool-result', toolCallId, toolName, output }
  }
}

type Started = Extract<SessionUpdate, { sessionUpdate: 'tool_call' }> & ToolCallUpdate

/** Services refuse empty text; a thought may be all signature. */
const prosePart = ({ type, text, metadata }: Prose): Assistant['content'] => {
  if (type === 'text' && text.trim() === '') return []
  if (type === 'reasoning' && text === '' && metadata === undefined) return []
  return [{ type, text, ...(metadata !== undefined && { providerOptions: metadata }) }]
}
