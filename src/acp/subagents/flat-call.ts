/** One delegation within the chat: what its tool call shows of all the agents in it, in bounded size. Pure. */
import { isUpdate, text } from '../../contract/content.ts'
import type { SessionUpdate, ToolCallContent, ToolCallLocation } from '../../contract/content.ts'
import { isRecord } from '../../contract/json.ts'
import { NO_TEXT, noted, spoken, tail, KEPT_CHARACTERS } from './live-text.ts'
import type { LiveText } from './live-text.ts'

/** Each update of a tool call replaces all of its content, so that while it grows only its end is shown. */
export const LIVE_CHARACTERS = 2000
const MAX_LOCATIONS = 50
const MAX_TERMINALS = 8
/** Of files before and after, altogether. */
const MAX_DIFF_CHARACTERS = 128 * 1024
const LIVE_DIFF_CHARACTERS = 16 * 1024

export interface FlatCall {
  readonly said: LiveText
  /** By path; the newest last. */
  readonly diffs: readonly Diff[]
  readonly locations: readonly ToolCallLocation[]
  /** By id, the newest last; which of them the editor has is known to whoever shows the call. */
  readonly terminals: readonly string[]
  /** Tool calls within that have a line. */
  readonly calls: ReadonlySet<string>
}

type Diff = Extract<ToolCallContent, { type: 'diff' }>

export const NEW_CALL: FlatCall = { said: NO_TEXT, diffs: [], locations: [], terminals: [], calls: new Set() }

const isDiff = (part: unknown): part is Diff =>
  isRecord(part) &&
  part['type'] === 'diff' &&
  typeof part['path'] === 'string' &&
  typeof part['newText'] === 'string'

const terminalsIn = (content: readonly unknown[]): readonly string[] =>
  content.flatMap((part) =>
    isRecord(part) && part['type'] === 'terminal' && typeof part['terminalId'] === 'string'
      ? [part['terminalId']]
      : [],
  )

const weight = ({ oldText, newText }: Diff): number => (oldText?.length ?? 0) + newText.length

/** The newest, as far as there is room for them. */
const newest = (diffs: readonly Diff[], room: number): readonly Diff[] => {
  let left = room
  const from = diffs.findLastIndex((diff) => (left -= weight(diff)) < 0)
  return diffs.slice(from + 1)
}

const withDiff = (diffs: readonly Diff[], diff: Diff): readonly Diff[] =>
  newest([...diffs.filter(({ path }) => path !== diff.path), diff], MAX_DIFF_CHARACTERS)

const isLocation = (part: unknown): part is ToolCallLocation =>
  isRecord(part) && typeof part['path'] === 'string'

const toolCall = (call: FlatCall, speaker: string, update: SessionUpdate): FlatCall => {
  const said = update as Readonly<Record<string, unknown>>
  const content: readonly unknown[] = Array.isArray(said['content']) ? said['content'] : []
  const places: readonly unknown[] = Array.isArray(said['locations']) ? said['locations'] : []
  const id = `${speaker} ${String(said['toolCallId'])}`
  const title = typeof said['title'] === 'string' && !call.calls.has(id) ? said['title'] : undefined
  const known = places.filter(isLocation)
  const fresh = call.locations.filter(({ path }) => !known.some((place) => place.path === path))
  return {
    said: title !== undefined ? noted(call.said, speaker, `· ${title}`) : call.said,
    diffs: content.filter(isDiff).reduce(withDiff, call.diffs),
    locations: [...fresh, ...known].slice(-MAX_LOCATIONS),
    terminals: [...new Set([...call.terminals, ...terminalsIn(content)])].slice(-MAX_TERMINALS),
    calls: title === undefined ? call.calls : new Set([...call.calls, id]),
  }
}

/** One update of an agent in it further; `speaker` is that agent's path below the delegation. */
export const advanceCall = (call: FlatCall, speaker: string, update: SessionUpdate): FlatCall => {
  if (isUpdate(update, 'agent_message_chunk')) {
    const { content } = update
    const words = content?.type === 'text' && typeof content.text === 'string' ? content.text : ''
    return { ...call, said: spoken(call.said, speaker, words) }
  }
  const isCall = isUpdate(update, 'tool_call') || isUpdate(update, 'tool_call_update')
  return isCall ? toolCall(call, speaker, update) : call
}

/** What its tool call shows: the whole of what is kept at the end, and before that only as much as can be sent often. */
export const shownCall = (
  { said, diffs, locations, terminals }: FlatCall,
  over: boolean,
  has: (terminalId: string) => boolean,
): { readonly content: ToolCallContent[]; readonly locations?: ToolCallLocation[] } => {
  const words = tail(said, over ? KEPT_CHARACTERS : LIVE_CHARACTERS).trimEnd()
  const files = over ? diffs : newest(diffs, LIVE_DIFF_CHARACTERS)
  return {
    content: [
      ...(words === '' ? [] : [{ type: 'content' as const, content: text(words) }]),
      ...files,
      ...terminals.filter(has).map((terminalId) => ({ type: 'terminal' as const, terminalId })),
    ],
    ...(locations.length > 0 && { locations: [...locations] }),
  }
}
