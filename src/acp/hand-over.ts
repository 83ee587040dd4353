/** What an agent is told of a chat that went on without it: who said what, tool calls as one line each. Pure. */
import type { LogEntry } from '../contract/events.ts'
import { isRecord } from '../contract/json.ts'
import { promptOf } from './said.ts'

/** Characters of what was said; what comes before and after it is a few lines more. */
export const HAND_OVER_LIMIT = 40_000

export interface Line {
  readonly who: string
  readonly text: string
  /** One line of its own, which is never put together with another. */
  readonly tool?: true
}

/** One event of one agent, as far as it says anything. */
interface Heard {
  readonly title: string
  readonly entry: LogEntry
}

/** What was said, in order: pieces of one message are put together, and each tool call stands as it ended. */
export const linesOf = (heard: Iterable<Heard>): readonly Line[] => {
  const lines: { who: string; text: string; tool?: true }[] = []
  const calls = new Map<string, { index: number; title: string }>()
  for (const { title: who, entry } of heard) {
    const { event, runId } = entry
    if (event.type === 'run/started') {
      calls.clear()
      const text = promptOf(event).map(wordsOf).join('\n').trim()
      if (text !== '') lines.push({ who: 'User', text })
      continue
    }
    if (event.type !== 'session/update' && event.type !== 'session/late_update') continue
    const update = event.update as { readonly [field: string]: unknown; readonly sessionUpdate: string }
    if (update.sessionUpdate === 'agent_message_chunk') {
      const text = wordsOf(update['content'])
      const last = lines.at(-1)
      if (last?.who === who && last.tool === undefined) last.text += text
      else if (text !== '') lines.push({ who, text })
    }
    if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') continue
    const id = `${runId} ${String(update['toolCallId'])}`
    const before = calls.get(id)
    const title = oneLine(typeof update['title'] === 'string' ? update['title'] : (before?.title ?? 'a tool'))
    const status = typeof update['status'] === 'string' ? ` (${update['status']})` : ''
    const line = { who, text: `[tool] ${title}${status}`, tool: true as const }
    if (before === undefined) calls.set(id, { index: lines.push(line) - 1, title })
    else {
      if (status !== '') lines[before.index] = line
      before.title = title
    }
  }
  return lines.map((line) => ({ ...line, text: line.text.trim() })).filter(({ text }) => text !== '')
}

const TITLE_CHARACTERS = 200

const oneLine = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim().slice(0, TITLE_CHARACTERS)

const wordsOf = (block: unknown): string => {
  if (!isRecord(block)) return ''
  const { type, text, name, resource } = block
  if (type === 'text') return typeof text === 'string' ? text : ''
  if (type === 'resource_link') return `[${String(name)}]`
  if (type === 'resource') return `[${isRecord(resource) ? String(resource['uri']) : 'resource'}]`
  return `[${String(type)}]`
}

export interface HandOver {
  readonly text: string
  /** Whose words are in it. */
  readonly speakers: readonly string[]
  /** Messages and tool calls that were left out, or of which only the end is there. */
  readonly cut: number
}

/** The newest within the limit; of a message that is too long by itself its end. Undefined when nothing was said. */
export const handOver = (
  lines: readonly Line[],
  again: boolean,
  limit: number = HAND_OVER_LIMIT,
): HandOver | undefined => {
  if (lines.length === 0) return undefined
  const kept: string[] = []
  let left = limit
  let cut = 0
  for (const [index, line] of lines.toReversed().entries()) {
    const whole = line.tool === true ? `${line.who}: ${line.text}` : `${line.who}:\n${line.text}\n`
    if (whole.length + 1 <= left) {
      kept.unshift(whole)
      left -= whole.length + 1
      continue
    }
    cut = lines.length - index
    const head = `${line.who} (the end of it):\n…`
    const room = left - head.length - 2
    if (kept.length === 0 && room > 0) kept.unshift(`${head}${tail(line.text, room)}\n`)
    break
  }
  const what = again
    ? 'While you were away, this chat went on with others:'
    : 'This chat began without you. What was said so far, for your information:'
  const gap =
    cut === 0
      ? []
      : [
          `(${cut} earlier ${cut === 1 ? 'message' : 'messages'} cut: no more than ${limit} characters are told.)`,
        ]
  return {
    text: ['<earlier-conversation>', what, ...gap, ...kept, '</earlier-conversation>'].join('\n'),
    speakers: [...new Set(lines.map(({ who }) => who))].filter((who) => who !== 'User'),
    cut,
  }
}

/** Never half of a surrogate pair. */
const tail = (text: string, length: number): string => {
  const end = text.slice(-length)
  return /^[\uDC00-\uDFFF]/u.test(end) ? end.slice(1) : end
}
