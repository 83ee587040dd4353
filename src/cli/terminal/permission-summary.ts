/** Puts a permission question into a few lines that a person can decide on. */
import type { PermissionOption, PermissionOptionKind, ToolCallUpdate } from '../../contract/content.ts'
import type { PermissionRequested } from '../../contract/events.ts'
import { isRecord } from '../../contract/json.ts'
import { fit } from './fit.ts'
import { harmless, plain } from './sanitize.ts'

export type Question = Pick<PermissionRequested, 'toolCall' | 'options' | 'path'>

/** Lines of a diff or a command that are shown. */
const MOST_LINES = 12

const KEYS: { readonly [K in PermissionOptionKind]?: string } = {
  allow_once: 'y',
  allow_always: 'a',
  reject_once: 'n',
}

/** The key of an option's kind belongs to the first option of that kind. */
export const keyOf = (option: PermissionOption, options: readonly PermissionOption[]): string | undefined =>
  options.find(({ kind }) => kind === option.kind) === option ? KEYS[option.kind] : undefined

export const questionLines = ({ path, toolCall, options }: Question, columns: number): readonly string[] => {
  const who = path.map(plain).join('/')
  const title = plain(toolCall.title ?? '') || 'a tool call'
  const kind = toolCall.kind ? ` (${plain(toolCall.kind)})` : ''
  const choices = options.map((option, index) => {
    const key = keyOf(option, options)
    return `  ${index + 1}${key === undefined ? '' : ` ${key}`}  ${plain(option.name)}`
  })
  const all = [`${who === '' ? '' : `${who} asks: `}${title}${kind}`, ...detail(toolCall), ...choices]
  return all.map((line) => fit(line, columns - 1))
}

const detail = (toolCall: ToolCallUpdate): readonly string[] => {
  const lines = [...(toolCall.content ?? []).flatMap(contentLines), ...commandLines(toolCall.rawInput)]
  const shown = lines.slice(0, MOST_LINES)
  const more = lines.length - shown.length
  return [...shown, ...(more > 0 ? [`… ${more} more ${more === 1 ? 'line' : 'lines'}`] : [])].map(
    (line) => `  ${line}`,
  )
}

type Content = NonNullable<ToolCallUpdate['content']>[number]

const contentLines = (content: Content): readonly string[] => {
  switch (content.type) {
    case 'diff':
      return [plain(content.path), ...diffLines(content.oldText ?? '', content.newText)]
    case 'content':
      return content.content.type === 'text' ? linesOf(content.content.text) : []
    default:
      return []
  }
}

/** What was typed for a shell: agents put it into `rawInput.command`, as words or as one string. */
const commandLines = (input: unknown): readonly string[] => {
  const command = isRecord(input) ? input['command'] : undefined
  const words = Array.isArray(command)
    ? command.filter((word) => typeof word === 'string').join(' ')
    : command
  return typeof words === 'string' ? linesOf(words).map((line) => `$ ${line}`) : []
}

/** The changed middle, without the lines that both ends share. */
const diffLines = (oldText: string, newText: string): readonly string[] => {
  const [before, after] = [linesOf(oldText), linesOf(newText)]
  const least = Math.min(before.length, after.length)
  let head = 0
  while (head < least && before[head] === after[head]) head += 1
  let tail = 0
  while (tail < least - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1
  return [
    ...before.slice(head, before.length - tail).map((line) => `- ${line}`),
    ...after.slice(head, after.length - tail).map((line) => `+ ${line}`),
  ]
}

const linesOf = (text: string): readonly string[] => {
  const lines = harmless(text).replaceAll('\t', '  ').split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}
