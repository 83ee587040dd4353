/** What a request shows a model: which part of it steers the rehearsal, and the answer to a plain prompt. Pure. */
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider'

export interface RehearsalView {
  /** What the user said last, without runtime context. */
  readonly prompt: string
  /** Tool calls since then: how far a script has come. */
  readonly called: number
  /** Tool calls of the whole conversation: ids go on from there. */
  readonly calledEver: number
  /** Results of the last step, if it had any since the prompt. */
  readonly results: readonly LanguageModelV4ToolResultPart[]
}

const CONTEXT = '<runtime-context>'

type UserMessage = Extract<LanguageModelV4Message, { role: 'user' }>

const saidIn = ({ content }: UserMessage): readonly string[] =>
  content.flatMap((part) => (part.type === 'text' && !part.text.startsWith(CONTEXT) ? [part.text] : []))

const filesIn = ({ content }: UserMessage): readonly LanguageModelV4FilePart[] =>
  content.filter((part) => part.type === 'file')

const isPrompt = (message: LanguageModelV4Message): message is UserMessage =>
  message.role === 'user' && (saidIn(message).length > 0 || filesIn(message).length > 0)

const callsIn = (messages: LanguageModelV4Prompt): number =>
  messages.reduce(
    (sum, { role, content }) =>
      role === 'assistant' ? sum + content.filter(({ type }) => type === 'tool-call').length : sum,
    0,
  )

const LETTER = /^<subagent-(?:report|notice)[ >]/u

/** What a child writes is a prompt once the model has said its last word; before that a script goes on. */
const interrupts = (messages: LanguageModelV4Prompt, at: number): boolean => {
  const before = messages.slice(0, at).findLast((message) => message.role !== 'user' || isPlain(message))
  if (before?.role !== 'assistant') return false
  return before.content.every(({ type }) => type !== 'tool-call')
}

const isPlain = (message: LanguageModelV4Message): boolean => {
  if (!isPrompt(message)) return false
  const said = saidIn(message)
  return said.length === 0 || said.some((words) => !LETTER.test(words))
}

export const viewOf = (messages: LanguageModelV4Prompt): RehearsalView => {
  const at = messages.findLastIndex(
    (message, index) => isPlain(message) || (isPrompt(message) && interrupts(messages, index)),
  )
  const since = messages.slice(at + 1)
  const prompt = messages[at]
  const last = since.findLast(({ role }) => role === 'tool')
  return {
    prompt: prompt?.role === 'user' ? saidIn(prompt).join('\n') : '',
    called: callsIn(since),
    calledEver: callsIn(messages),
    results: last?.role === 'tool' ? last.content.filter((part) => part.type === 'tool-result') : [],
  }
}

export const resultText = ({ output }: LanguageModelV4ToolResultPart): string => {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value
    case 'json':
    case 'error-json':
      return JSON.stringify(output.value)
    case 'execution-denied':
      return output.reason ?? 'denied'
    case 'content':
      return output.value.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n')
  }
}

/** Names that the message carries, else the headings and tags that its text has. */
const sectionsOf = (messages: LanguageModelV4Prompt): readonly string[] =>
  messages.flatMap((message) => {
    if (message.role !== 'system') return []
    const named = message.providerOptions?.['subgate']?.['sections']
    if (Array.isArray(named)) return named.filter((name) => typeof name === 'string')
    return [...message.content.matchAll(/^(?:#+ +(.+)|<([a-z][\w:-]*)[^>]*>)$/gmu)].map(
      ([, heading, tag]) => heading ?? tag ?? '',
    )
  })

const contextOf = (messages: LanguageModelV4Prompt): string | undefined =>
  messages
    .flatMap((message) => (message.role === 'user' ? message.content : []))
    .flatMap((part) => (part.type === 'text' && part.text.startsWith(CONTEXT) ? [part.text] : []))
    .at(-1)

const bytesOf = ({ data }: LanguageModelV4FilePart): number => {
  if (data.type !== 'data') return 0
  return typeof data.data === 'string' ? Buffer.byteLength(data.data, 'base64') : data.data.byteLength
}

const isError = ({ output }: LanguageModelV4ToolResultPart): boolean =>
  output.type === 'error-text' || output.type === 'error-json' || output.type === 'execution-denied'

const fact = (name: string, value: string | undefined): readonly string[] =>
  value === undefined || value === '' ? [] : [`${name}: ${value}`]

/** One line a fact, absent facts left out. */
export const whatItSaw = (options: LanguageModelV4CallOptions, view: RehearsalView): string => {
  const messages = options.prompt
  const earlier = messages.filter(isPrompt)
  const files = earlier.slice(-1).flatMap(filesIn)
  const effort = options.providerOptions?.['rehearsal']?.['effort']
  return [
    `prompt: ${view.prompt}`,
    ...fact('files', files.map((file) => `${file.mediaType} (${bytesOf(file)} bytes)`).join(', ')),
    ...earlier.slice(0, -1).flatMap((message) => fact('earlier', saidIn(message).join('\n'))),
    ...fact('system', sectionsOf(messages).join(', ')),
    ...fact('context', contextOf(messages)),
    ...fact('tools', (options.tools ?? []).map(({ name }) => name).join(', ')),
    ...fact('effort', typeof effort === 'string' ? effort : undefined),
    ...view.results.map((result) =>
      [`result of ${result.toolName}${isError(result) ? ' (error)' : ''}:`, resultText(result)].join(' '),
    ),
  ].join('\n')
}

/** A text's length in tokens, as this model counts. */
export const tokens = (length: number): number => Math.ceil(length / 4)

const lengthOf = (message: LanguageModelV4Message): number => {
  if (message.role === 'system') return message.content.length
  let length = 0
  for (const part of message.content) {
    if (part.type === 'text' || part.type === 'reasoning') length += part.text.length
    else if (part.type === 'tool-call') length += JSON.stringify(part.input).length
    else if (part.type === 'tool-result') length += resultText(part).length
    else if (part.type === 'file') length += bytesOf(part)
  }
  return length
}

export const promptTokens = (messages: LanguageModelV4Prompt): number =>
  tokens(messages.reduce((sum, message) => sum + lengthOf(message), 0))
