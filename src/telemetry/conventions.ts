/** Says runs and tool calls in the words of OpenTelemetry's GenAI conventions; content only when it is asked for. Pure. */
import type { ContentBlock, SessionUpdate } from '../contract/content.ts'
import type { LogEntry, RunSettled } from '../contract/events.ts'
import type { BegunRun } from '../contract/observer.ts'
import { present } from '../contract/present.ts'
import { cutText } from './cut-text.ts'

export type Attributes = Readonly<Record<string, string | number | boolean>>

export interface SpanWords {
  readonly name: string
  readonly attributes: Attributes
}

/** `gen_ai.provider.name` follows the model, where that is written as provider/model. */
const providerOf = ({ request: { model }, provider }: BegunRun): string => {
  const slash = model?.indexOf('/') ?? -1
  return model === undefined || slash < 1 ? provider : model.slice(0, slash)
}

/** A label tells the task in the words of whoever delegates, so it counts as content. */
export const runWords = (begun: BegunRun, content: boolean): SpanWords => {
  const { request, provider } = begun
  const agent = request.preset?.name ?? provider
  return {
    name: `invoke_agent ${agent}`,
    attributes: present({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': providerOf(begun),
      'gen_ai.agent.name': agent,
      'gen_ai.conversation.id': request.sessionId,
      'gen_ai.request.model': request.model,
      'gen_ai.output.type': request.outputSchema === undefined ? undefined : 'json',
      'gen_ai.input.messages': content ? messages('user', partsOf(request.prompt)) : undefined,
      'subgate.provider': provider,
      'subgate.run.id': request.runId,
      'subgate.depth': request.depth,
      'subgate.parent.session.id': request.parentSessionId,
      'subgate.label': content ? request.label : undefined,
    }),
  }
}

/** Only `completed` is success; an error's type is the narrowest word that is known for it. */
export const endingWords = ({ status, category, usage, error }: RunSettled): EndingWords => ({
  attributes: present({
    'subgate.run.status': status,
    'subgate.run.category': category,
    'gen_ai.usage.input_tokens': usage?.inputTokens,
    'gen_ai.usage.output_tokens': usage?.outputTokens,
    'subgate.usage.cost_usd': usage?.costUsd,
    'error.type': status === 'completed' ? undefined : (error?.code ?? category ?? status),
  }),
  ...(status !== 'completed' && { fault: category === undefined ? status : `${status}: ${category}` }),
})

export interface EndingWords {
  readonly attributes: Attributes
  /** Why the span's status is an error; never the agent's own words. */
  readonly fault?: string
}

/** What was said, as one message of the assistant. */
export const outputWords = (texts: readonly string[], status: RunSettled['status']): Attributes => ({
  'gen_ai.output.messages': messages(
    'assistant',
    texts.map((content) => ({ type: 'text', content })),
    status === 'completed' ? 'stop' : status,
  ),
})

type ToolUpdate = Extract<SessionUpdate, { sessionUpdate: 'tool_call' | 'tool_call_update' }>

/** A title holds arguments, so it names no span: the tool's own name does, or else its kind. */
export const toolName = ({ name, kind }: ToolUpdate): string | undefined => {
  const said = name ?? kind ?? undefined
  return said === undefined ? undefined : cutText(said, 128)
}

export const toolWords = (update: ToolUpdate, content: boolean): SpanWords => {
  const name = toolName(update) ?? 'other'
  return {
    name: `execute_tool ${name}`,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.id': cutText(update.toolCallId, 128),
      ...toolContent(update, content),
    },
  }
}

export const toolContent = ({ rawInput, rawOutput }: ToolUpdate, content: boolean): Attributes =>
  content
    ? present({ 'gen_ai.tool.call.arguments': json(rawInput), 'gen_ai.tool.call.result': json(rawOutput) })
    : {}

/** An event on the run's span, for what decides about the run; undefined for what is told by spans, or isn't told. */
export const eventWords = ({ event }: LogEntry): SpanWords | undefined => {
  switch (event.type) {
    case 'permission/preset':
      return {
        name: event.type,
        attributes: { 'subgate.preset': event.preset, 'subgate.source': event.source },
      }
    case 'sandbox/mode':
      return { name: event.type, attributes: { 'subgate.mode': event.mode, 'subgate.source': event.source } }
    case 'approval/policy':
      return {
        name: event.type,
        attributes: { 'subgate.policy': event.policy, 'subgate.source': event.source },
      }
    case 'subagent/descriptor':
      return {
        name: event.type,
        attributes: { 'subgate.mode': event.mode, 'subgate.version': event.version },
      }
    case 'permission/requested':
      return { name: event.type, attributes: { 'subgate.kind': event.toolCall.kind ?? 'other' } }
    case 'permission/resolved':
      return {
        name: event.type,
        attributes: { 'subgate.outcome': event.outcome.outcome, 'subgate.by': event.by },
      }
    case 'elicitation/requested':
      return { name: event.type, attributes: {} }
    case 'elicitation/resolved':
      return { name: event.type, attributes: { 'subgate.action': event.action } }
    case 'approval/asked':
      return { name: event.type, attributes: { 'subgate.kind': event.kind } }
    case 'approval/decided':
      return { name: event.type, attributes: { 'subgate.decision': event.decision, 'subgate.by': event.by } }
    case 'letter/received':
      return { name: event.type, attributes: { 'subgate.kind': event.letter.kind } }
    case 'notice':
      return { name: event.type, attributes: { 'subgate.severity': event.severity } }
    case 'run/started':
    case 'run/settled':
    case 'session/update':
    case 'session/late_update':
    case 'subagent/update':
    case 'session/native_id':
      return undefined
    default:
      return event satisfies never
  }
}

interface Part {
  readonly type: string
  readonly content?: string
}

/** Text as it is; of the rest only what it is. */
const partsOf = (blocks: readonly ContentBlock[]): readonly Part[] =>
  blocks.map((block) =>
    block.type === 'text' ? { type: 'text', content: block.text } : { type: block.type },
  )

const messages = (role: string, parts: readonly Part[], finish?: string): string =>
  JSON.stringify([
    {
      role,
      parts: parts.map((part) => ({
        ...part,
        ...present({ content: part.content && cutText(part.content) }),
      })),
      ...present({ finish_reason: finish }),
    },
  ])

const json = (value: unknown): string | undefined => {
  if (value === undefined) return undefined
  return cutText(typeof value === 'string' ? value : JSON.stringify(value))
}
