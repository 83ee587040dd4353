/** Messages of a dsh log as ACP updates, such as our own agent writes and reads back. Pure. */
import * as z from 'zod/mini'
import '../../contract/zod-config.ts'
import type { ContentBlock, SessionUpdate } from '../../contract/content.ts'
import { text as textBlock } from '../../contract/content.ts'
import { isRecord } from '../../contract/json.ts'
import type { Usage } from '../../contract/result.ts'
import { readAs } from './dsh-records.ts'
import type { DshEvent } from './dsh-records.ts'

const text = z.string()
const amount = z.number()

/** Kinds that plugins add are kept as a word in brackets. */
const blockSchema = z.looseObject({
  type: text,
  text: z.exactOptional(text),
  id: z.exactOptional(text),
  name: z.exactOptional(text),
  arguments: z.exactOptional(text),
})
type Block = z.infer<typeof blockSchema>

const userSchema = z.looseObject({
  id: text,
  content: z.array(blockSchema),
  source: z.looseObject({ kind: text, form: z.exactOptional(text) }),
})

const usageSchema = z.looseObject({
  inputTokens: amount,
  outputTokens: amount,
  cacheReadTokens: z.exactOptional(amount),
  cacheWriteTokens: z.exactOptional(amount),
})

const assistantSchema = z.looseObject({
  message: z.looseObject({ id: text, content: z.array(blockSchema) }),
  usage: z.exactOptional(usageSchema),
})

const resultSchema = z.looseObject({
  message: z.looseObject({
    content: z
      .array(
        z.looseObject({
          type: z.literal('tool-result'),
          toolCallId: text,
          content: z.array(blockSchema),
          isError: z.exactOptional(z.boolean()),
        }),
      )
      .check(z.minLength(1)),
  }),
})

/** Who speaks, in the words of our own agent's `_meta.subgate`. */
type Speaker = 'prompt' | 'steer' | 'background' | 'context'

/** Text stays text; what lies outside the file, as an image does, is only named. */
const content = (block: Block): ContentBlock =>
  block.type === 'text' ? textBlock(block.text ?? '') : textBlock(`[${block.type}]`)

const spoken = (blocks: readonly Block[]): string =>
  blocks.map((block) => (block.type === 'text' ? (block.text ?? '') : `[${block.type}]`)).join('\n')

/** A person's or a delegating agent's own words; everything else comes from dsh itself. */
const PROMPTS: ReadonlySet<string> = new Set(['user', 'coordinator'])

export interface UserSaid {
  readonly isPrompt: boolean
  readonly content: readonly ContentBlock[]
}

export const readUser = ({ data, place }: DshEvent): UserSaid => {
  const { content: blocks, source } = readAs(userSchema, data, place, 'data')
  return { isPrompt: PROMPTS.has(source.kind), content: blocks.map(content) }
}

const userUpdates = ({ data, place }: DshEvent, answered: boolean): readonly SessionUpdate[] => {
  const { id, content: blocks, source } = readAs(userSchema, data, place, 'data')
  const speaker: Speaker = PROMPTS.has(source.kind)
    ? answered
      ? 'steer'
      : 'prompt'
    : source.form === 'snapshot'
      ? 'context'
      : 'background'
  return blocks.map((block) => ({
    sessionUpdate: 'user_message_chunk',
    messageId: id,
    content: content(block),
    _meta: { subgate: { [speaker]: true } },
  }))
}

const argumentsOf = (json: string | undefined): unknown => {
  try {
    return JSON.parse(json ?? '')
  } catch {
    // As the model wrote it.
    return json
  }
}

const assistantUpdate = (block: Block, messageId: string): SessionUpdate => {
  if (block.type === 'reasoning') {
    return { sessionUpdate: 'agent_thought_chunk', messageId, content: textBlock(block.text ?? '') }
  }
  if (block.type !== 'tool-call') {
    return { sessionUpdate: 'agent_message_chunk', messageId, content: content(block) }
  }
  const name = block.name ?? 'tool'
  return {
    sessionUpdate: 'tool_call',
    toolCallId: block.id ?? '',
    title: name,
    name,
    kind: 'other',
    status: 'pending',
    rawInput: argumentsOf(block.arguments),
  }
}

const assistantUpdates = ({ data, place }: DshEvent): readonly SessionUpdate[] => {
  const { message } = readAs(assistantSchema, data, place, 'data')
  return message.content.map((block) => assistantUpdate(block, message.id))
}

/** dsh counts what came from its cache apart. */
export const usageIn = ({ data, place }: DshEvent): Usage | undefined => {
  const { usage } = readAs(assistantSchema, data, place, 'data')
  if (usage === undefined) return undefined
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
  return { inputTokens: inputTokens + cacheReadTokens + cacheWriteTokens, outputTokens }
}

const resultUpdates = ({ data, place }: DshEvent): readonly SessionUpdate[] => {
  const { message } = readAs(resultSchema, data, place, 'data')
  return message.content.map(({ toolCallId, content: blocks, isError }) => ({
    sessionUpdate: 'tool_call_update',
    toolCallId,
    status: isError === true ? 'failed' : 'completed',
    rawOutput: spoken(blocks),
    content: blocks.map((block) => ({ type: 'content' as const, content: content(block) })),
  }))
}

/** None for an event that is no message. */
export const updatesOf = (event: DshEvent, answered: boolean): readonly SessionUpdate[] => {
  switch (event.type) {
    case 'user/message':
      return userUpdates(event, answered)
    case 'assistant/message':
      return assistantUpdates(event)
    case 'tool/result':
      return resultUpdates(event)
    default:
      return []
  }
}

const todoSchema = z.looseObject({
  todos: z.array(z.looseObject({ content: text, status: z.enum(['pending', 'in_progress', 'completed']) })),
})

/** A list of things to do is a plan in ACP's words. */
export const planOf = ({ data, place }: DshEvent): SessionUpdate => ({
  sessionUpdate: 'plan',
  entries: readAs(todoSchema, data, place, 'data').todos.map(({ content: words, status }) => ({
    content: words,
    priority: 'medium' as const,
    status,
  })),
})

/** What a chunk adds to an answer, for an answer that was never finished. */
export const streamedText = ({ data }: DshEvent): string => {
  const chunk = isRecord(data) ? data['chunk'] : undefined
  if (!isRecord(chunk) || chunk['type'] !== 'text-delta') return ''
  return typeof chunk['text'] === 'string' ? chunk['text'] : ''
}
