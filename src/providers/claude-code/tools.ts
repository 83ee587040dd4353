/** Claude Code's tool calls as ACP shows them: title, kind, places, diffs. Pure and total. */
import type { ToolCallContent, ToolCallLocation, ToolKind } from '../../contract/content.ts'
import { isRecord } from '../../contract/json.ts'

export interface ToolShape {
  readonly title: string
  readonly kind: ToolKind
  readonly content: ToolCallContent[]
  readonly locations: ToolCallLocation[]
}

const str = (value: unknown): string => (typeof value === 'string' ? value : '')

const at = (path: string): ToolCallLocation[] => (path === '' ? [] : [{ path }])

const shape = (title: string, kind: ToolKind, path = '', content: ToolCallContent[] = []): ToolShape => ({
  title,
  kind,
  content,
  locations: at(path),
})

const edited = (path: string, before: string, after: string): ToolCallContent[] =>
  path === '' ? [] : [{ type: 'diff', path, oldText: before, newText: after }]

const created = (path: string, text: string): ToolCallContent[] =>
  path === '' ? [] : [{ type: 'diff', path, newText: text }]

export const toolShape = (name: string, given: unknown): ToolShape => {
  const input = isRecord(given) ? given : {}
  const path = str(input['file_path']) || str(input['notebook_path'])
  switch (name) {
    case 'Read':
      return shape(`Read ${path}`, 'read', path)
    case 'Write':
      return shape(`Write ${path}`, 'edit', path, created(path, str(input['content'])))
    case 'Edit':
      return shape(
        `Edit ${path}`,
        'edit',
        path,
        edited(path, str(input['old_string']), str(input['new_string'])),
      )
    case 'NotebookEdit':
      return shape(`Edit ${path}`, 'edit', path)
    case 'Glob':
      return shape(`Find ${str(input['pattern'])}`, 'search', str(input['path']))
    case 'Grep':
      return shape(`Search for ${str(input['pattern'])}`, 'search', str(input['path']))
    case 'Bash':
      return shape(str(input['command']) || 'Bash', 'execute')
    case 'WebFetch':
      return shape(`Fetch ${str(input['url'])}`, 'fetch')
    case 'WebSearch':
      return shape(`Search the web: ${str(input['query'])}`, 'search')
    case 'Task':
    case 'Agent':
      return shape(str(input['description']) || 'Start an agent', 'think')
    case 'ExitPlanMode':
      return shape('Leave plan mode', 'switch_mode')
    default:
      return shape(mcpTitle(name), 'other')
  }
}

/** `mcp__server__tool` */
const mcpTitle = (name: string): string => {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/u.exec(name) ?? []
  return server === undefined ? name : `${server}: ${tool}`
}

const asText = (text: string): ToolCallContent => ({ type: 'content', content: { type: 'text', text } })

/** What a tool answered, as far as it is text. */
export const resultContent = (content: unknown): ToolCallContent[] => {
  if (typeof content === 'string') return content === '' ? [] : [asText(content)]
  if (!Array.isArray(content)) return []
  return content.flatMap((block: unknown) =>
    isRecord(block) && block['type'] === 'text' && str(block['text']) !== ''
      ? [asText(str(block['text']))]
      : [],
  )
}
