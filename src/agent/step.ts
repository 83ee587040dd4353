/** One request to the model: its stream becomes updates, and what it wants done is handed back. */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4Message,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import { present } from '../contract/present.ts'
import { ABORTED, orAborted } from './abort.ts'
import { STREAM_CUT } from './models/failure.ts'
import { streamParts } from './models/stream.ts'
import type { AnswerPart } from './models/stream.ts'
import { parseArguments } from './tool-arguments.ts'
import type { Arguments } from './tool-arguments.ts'
import type { ToolView } from './tools/registry.ts'
import { titleOf } from './tools/title.ts'
import type { Transcript } from './transcript.ts'
import { modelMeta } from './update-meta.ts'

/** What a driver may set for each request: effort, temperature, a package's own options. */
export type RequestSettings = Pick<
  LanguageModelV4CallOptions,
  'reasoning' | 'providerOptions' | 'temperature' | 'maxOutputTokens' | 'headers'
>

export interface ModelCall {
  readonly callId: string
  readonly name: string
  readonly title: string
  readonly arguments: Arguments
}

export interface StepOutcome {
  readonly calls: readonly ModelCall[]
  readonly finish: LanguageModelV4FinishReason['unified']
  readonly usage: LanguageModelV4Usage
}

export interface StepOptions {
  readonly model: LanguageModelV4
  readonly system: string
  /** Given with the system prompt under our own name, which no service's package reads. */
  readonly sections: readonly string[]
  readonly tools: ToolView
  readonly settings: RequestSettings
  readonly transcript: Transcript
  readonly signal: AbortSignal
}

/** Rejects with what the model package threw or streamed as an error. A cancel waits for no model. */
export const runStep = async (options: StepOptions): Promise<StepOutcome | typeof ABORTED> => {
  const { model, tools, settings, transcript, signal } = options
  const wire = tools.wire()
  const parts = streamParts(model, {
    ...settings,
    prompt: [...systemMessages(options), ...transcript.history.messages()],
    ...(wire.length > 0 && { tools: wire }),
    abortSignal: signal,
  })
  const listener = new StepListener(transcript, tools)
  try {
    for (;;) {
      const next = await orAborted(parts.next(), signal)
      if (next === ABORTED) return ABORTED
      if (next.done === true) return listener.outcome()
      listener.hear(next.value)
      await transcript.room()
    }
  } finally {
    // Not waited for: a model that ignores the signal may never give its stream up.
    parts.return().catch(() => {})
  }
}

const systemMessages = ({ system, sections }: StepOptions): readonly SystemMessage[] => {
  if (system === '') return []
  const named = sections.length > 0 && { providerOptions: { subgate: { sections: [...sections] } } }
  return [{ role: 'system', content: system, ...named }]
}

type SystemMessage = Extract<LanguageModelV4Message, { role: 'system' }>
type Prose = 'agent_message_chunk' | 'agent_thought_chunk'

class StepListener {
  readonly #transcript: Transcript
  readonly #tools: ToolView
  readonly #messageId: string
  readonly #calls: ModelCall[] = []
  /** Metadata of blocks that have begun, until it is said with their first words. */
  readonly #unsaid = new Map<string, SharedV4ProviderMetadata>()
  #end: Omit<StepOutcome, 'calls'> | undefined

  constructor(transcript: Transcript, tools: ToolView) {
    this.#transcript = transcript
    this.#tools = tools
    this.#messageId = transcript.newId()
  }

  hear(part: AnswerPart): void {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        if (part.providerMetadata !== undefined) this.#unsaid.set(part.id, part.providerMetadata)
        return
      case 'text-delta':
        return this.#say('agent_message_chunk', part.id, part.delta, part.providerMetadata)
      case 'reasoning-delta':
        return this.#say('agent_thought_chunk', part.id, part.delta, part.providerMetadata)
      case 'text-end':
        return this.#say('agent_message_chunk', part.id, '', part.providerMetadata)
      case 'reasoning-end':
        return this.#say('agent_thought_chunk', part.id, '', part.providerMetadata)
      case 'tool-call':
        // A call that the service ran itself is no call of ours; we offer it no such tools.
        if (part.providerExecuted !== true) this.#call(part)
        return
      case 'finish':
        this.#end = { finish: finishOf(part.finishReason), usage: part.usage }
        return
      case 'stream-start':
        for (const warning of part.warnings) {
          if (warning.type !== 'unsupported') continue
          const detail = warning.details === undefined ? '' : `: ${warning.details}`
          this.#transcript.noticeOnce(`The model doesn't support ${warning.feature}${detail}`)
        }
        return
      // The rest is progress of what comes whole later, or of services that we don't use.
      default:
    }
  }

  outcome(): StepOutcome {
    if (this.#end === undefined) throw STREAM_CUT
    return { ...this.#end, calls: this.#calls }
  }

  #say(sessionUpdate: Prose, block: string, text: string, given?: SharedV4ProviderMetadata): void {
    const metadata = given ?? this.#unsaid.get(block)
    if (text === '' && metadata === undefined) return
    this.#unsaid.delete(block)
    this.#transcript.say({
      sessionUpdate,
      messageId: this.#messageId,
      content: { type: 'text', text },
      _meta: modelMeta({ block, ...present({ metadata }) }),
    })
  }

  #call({ toolCallId, toolName, input, providerMetadata }: Announced): void {
    const callId = this.#transcript.history.freshCallId(toolCallId)
    const tool = this.#tools.find(toolName)
    const args = parseArguments(toolName, input)
    const title = tool === undefined ? toolName : titleOf(tool, args)
    this.#transcript.say({
      sessionUpdate: 'tool_call',
      toolCallId: callId,
      title,
      name: toolName,
      kind: tool?.kind ?? 'other',
      status: 'pending',
      rawInput: 'input' in args ? args.input : input,
      _meta: modelMeta(present({ metadata: providerMetadata })),
    })
    this.#calls.push({ callId, name: toolName, title, arguments: args })
  }
}

type Announced = Extract<AnswerPart, { type: 'tool-call' }>

/** A package that never heard a reason says `other` and has none of the service's own. */
const finishOf = ({ unified, raw }: LanguageModelV4FinishReason): StepOutcome['finish'] => {
  if (unified === 'other' && raw === undefined) throw STREAM_CUT
  return unified
}
