/** Folds a run's events into what its agent does at this moment. */
import { isUpdate } from '../../contract/content.ts'
import type { SessionUpdate, ToolCallUpdate } from '../../contract/content.ts'
import type { LogEntry } from '../../contract/events.ts'

interface Named {
  readonly id: string
  readonly title: string
}

export interface Doing {
  readonly doing: string
  readonly needsYou: boolean
  /** Tool calls and questions that are still open, the latest last. */
  readonly tools: readonly Named[]
  readonly questions: readonly Named[]
  /** What it does when neither is open. */
  readonly otherwise: string
}

const state = (tools: readonly Named[], questions: readonly Named[], otherwise: string): Doing => {
  const question = questions.at(-1)
  const doing =
    question === undefined ? (tools.at(-1)?.title ?? otherwise) : `waiting for you: ${question.title}`
  return { doing, needsYou: question !== undefined, tools, questions, otherwise }
}

/** Before a run is published there are no events of it. */
export const QUEUED: Doing = state([], [], 'queued')
export const STARTING: Doing = state([], [], 'starting')

/** The same object comes back when the event changes nothing that is shown. */
export const nextDoing = (now: Doing, { event }: Pick<LogEntry, 'event'>): Doing => {
  switch (event.type) {
    case 'run/started':
      return state([], [], 'thinking')
    case 'run/settled':
      return state([], [], event.status)
    case 'permission/requested': {
      const title = titleOf(event.toolCall, now.tools)
      return state(now.tools, [...without(now.questions, event.id), { id: event.id, title }], now.otherwise)
    }
    case 'elicitation/requested': {
      const { id, message: title } = event
      return state(now.tools, [...without(now.questions, id), { id, title }], now.otherwise)
    }
    case 'elicitation/resolved':
    case 'permission/resolved':
      return state(now.tools, without(now.questions, event.id), now.otherwise)
    case 'session/update':
      return afterUpdate(now, event.update)
    default:
      return now
  }
}

const afterUpdate = (now: Doing, update: SessionUpdate): Doing => {
  if (isUpdate(update, 'agent_message_chunk')) return otherwise(now, 'writing')
  if (isUpdate(update, 'agent_thought_chunk')) return otherwise(now, 'thinking')
  if (isUpdate(update, 'tool_call') || isUpdate(update, 'tool_call_update')) return afterTool(now, update)
  return now
}

const otherwise = (now: Doing, words: string): Doing =>
  now.otherwise === words ? now : state(now.tools, now.questions, words)

const afterTool = (now: Doing, call: ToolCallUpdate): Doing => {
  const rest = without(now.tools, call.toolCallId)
  if (call.status === 'completed' || call.status === 'failed') return state(rest, now.questions, 'thinking')
  const title = titleOf(call, now.tools)
  return state([...rest, { id: call.toolCallId, title }], now.questions, now.otherwise)
}

const titleOf = (call: ToolCallUpdate, known: readonly Named[]): string =>
  call.title || known.find(({ id }) => id === call.toolCallId)?.title || call.kind || 'a tool call'

const without = (list: readonly Named[], gone: string): readonly Named[] =>
  list.filter(({ id }) => id !== gone)
