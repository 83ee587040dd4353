/** The fold that finds a run's output in its events (B10.2). */
import { isUpdate } from '../contract/content.ts'
import type { SessionUpdate } from '../contract/content.ts'

export interface Output {
  /** The last message that was not empty, before the current one. */
  readonly last: string
  readonly current: string
  readonly messageId?: string
  /** The next chunk begins a new message. */
  readonly broken: boolean
}

export const NO_OUTPUT: Output = { last: '', current: '', broken: false }

const isEmpty = (text: string): boolean => text.trim() === ''

const next = (output: Output, text: string, messageId?: string): Output => ({
  last: isEmpty(output.current) ? output.last : output.current,
  current: text,
  broken: false,
  ...(messageId !== undefined && { messageId }),
})

/**
 * One update further. A message ends with a tool call, a thought or a user message, or where a chunk carries
 * another `messageId`, as which a missing one counts too; updates such as usage don't end it and don't hide it.
 */
export const advanceOutput = (output: Output, update: SessionUpdate): Output => {
  if (isUpdate(update, 'agent_message_chunk')) {
    const { content, messageId } = update
    const text = content?.type === 'text' && typeof content.text === 'string' ? content.text : ''
    const id = typeof messageId === 'string' ? messageId : undefined
    const begins = output.broken || (output.current !== '' && id !== output.messageId)
    if (begins) return next(output, text, id)
    const { last, current } = output
    return { last, current: current + text, broken: false, ...(id !== undefined && { messageId: id }) }
  }
  const ends =
    isUpdate(update, 'tool_call') ||
    isUpdate(update, 'agent_thought_chunk') ||
    isUpdate(update, 'user_message_chunk')
  return ends && !output.broken ? { ...output, broken: true } : output
}

export const outputText = ({ last, current }: Output): string => (isEmpty(current) ? last : current)
