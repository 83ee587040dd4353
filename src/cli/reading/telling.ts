/** Tells a session's events in words, one after another; pieces of a message become its lines. Pure. */
import { isUpdate } from '../../contract/content.ts'
import type { PermissionOption, SessionUpdate } from '../../contract/content.ts'
import type { LogEntry, PermissionResolved } from '../../contract/events.ts'
import { isRecord } from '../../contract/json.ts'
import { factOf } from './facts.ts'
import type { Fact } from './facts.ts'
import { blockText } from './summary.ts'

/** A line that has no word goes on with what stands above it. */
export interface Told {
  readonly at: number
  readonly word: string
  readonly text: string
}

export interface Telling {
  /** The message whose end hasn't come yet. */
  readonly message?: Message
  /** Titles of the open run's tool calls. */
  readonly titles: ReadonlyMap<string, string>
  readonly options: ReadonlyMap<string, readonly PermissionOption[]>
  /** The run's prompt is told by its start, or stands before what is told: an echo of it isn't. */
  readonly prompted: boolean
}

interface Message {
  readonly word: string
  readonly id: string | undefined
  readonly at: number
  readonly unfinished: string
  readonly begun: boolean
}

export const UNTOLD: Telling = { titles: new Map(), options: new Map(), prompted: true }

type Step = readonly [Telling, readonly Told[]]

/** One entry further, and the lines that it completes. */
export const tell = (now: Telling, entry: LogEntry): Step => {
  const { at, event } = entry
  const chunk = event.type === 'session/update' ? chunkOf(event.update, now.prompted) : undefined
  if (chunk !== undefined) return say(now, chunk, at)
  if (event.type === 'session/update' && isEcho(event.update)) return [now, []]
  const facts = factsOf(now, entry)
  // What isn't told doesn't break a message either.
  if (facts.length === 0 && event.type === 'session/update') return [noted(now, entry), []]
  const [rest, ended] = finish(now)
  return [noted(rest, entry), [...ended, ...facts.flatMap((fact) => linesOf(fact, at))]]
}

/** What is left of a message whose end never came. */
export const finish = (now: Telling): Step => {
  const { message, ...rest } = now
  if (message === undefined || message.unfinished === '') return [rest, []]
  return [rest, [{ at: message.at, word: message.begun ? '' : message.word, text: message.unfinished }]]
}

const factsOf = (now: Telling, { event }: LogEntry): readonly Fact[] => {
  if (event.type === 'permission/resolved') return [answered(event, now.options.get(event.id) ?? [])]
  return factOf(event, (id) => now.titles.get(id))
}

const answered = ({ outcome, by }: PermissionResolved, options: readonly PermissionOption[]): Fact => {
  if (outcome.outcome !== 'selected') return { word: 'withdrawn', text: `by ${by}` }
  const name = options.find(({ optionId }) => optionId === outcome.optionId)?.name ?? outcome.optionId
  return { word: 'answered', text: `${name} (by ${by})` }
}

interface Chunk {
  readonly word: string
  readonly id: string | undefined
  readonly text: string
}

const chunkOf = (update: SessionUpdate, prompted: boolean): Chunk | undefined => {
  const word = isUpdate(update, 'agent_message_chunk')
    ? 'says'
    : isUpdate(update, 'agent_thought_chunk')
      ? 'thinks'
      : isUpdate(update, 'user_message_chunk') && !(prompted && isEcho(update))
        ? 'told'
        : undefined
  if (word === undefined || !('content' in update)) return undefined
  const { content, messageId } = update as { content?: Parameters<typeof blockText>[0]; messageId?: unknown }
  if (content === undefined) return undefined
  return { word, id: typeof messageId === 'string' ? messageId : undefined, text: blockText(content) }
}

/** User messages that were put in while the run went on are told; the prompt and context aren't. */
const isEcho = (update: SessionUpdate): boolean => {
  if (!isUpdate(update, 'user_message_chunk')) return false
  const { _meta: meta } = update
  const speaker = isRecord(meta?.['subgate']) ? meta['subgate'] : {}
  return speaker['steer'] !== true && speaker['background'] !== true
}

const say = (now: Telling, { word, id, text }: Chunk, at: number): Step => {
  const goesOn = now.message !== undefined && now.message.word === word && now.message.id === id
  const [rest, ended] = goesOn ? [now, []] : finish(now)
  const message =
    goesOn && now.message !== undefined ? now.message : { word, id, at, unfinished: '', begun: false }
  const pieces = `${message.unfinished}${text}`.split('\n')
  const unfinished = pieces.pop() ?? ''
  const lines = pieces.map((piece, index) => ({
    at: message.at,
    word: index === 0 && !message.begun ? word : '',
    text: piece,
  }))
  const begun = message.begun || lines.length > 0
  return [{ ...rest, message: { ...message, unfinished, begun } }, [...ended, ...lines]]
}

const linesOf = ({ word, text }: Fact, at: number): readonly Told[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line, index) => ({ at, word: index === 0 ? word : '', text: line }))

const noted = (now: Telling, { event }: LogEntry): Telling => {
  switch (event.type) {
    case 'run/started':
      return { ...now, prompted: event.prompt !== undefined }
    case 'run/settled':
      return { ...now, titles: new Map(), options: new Map() }
    case 'permission/requested':
      return { ...now, options: new Map([...now.options, [event.id, event.options]]) }
    case 'session/update': {
      const { update } = event
      if (!isUpdate(update, 'tool_call') && !isUpdate(update, 'tool_call_update')) return now
      const title = update.title ?? now.titles.get(update.toolCallId)
      return title === undefined
        ? now
        : { ...now, titles: new Map([...now.titles, [update.toolCallId, title]]) }
    }
    default:
      return now
  }
}
