/** Codex's items as ACP tool calls. Pure and total: what is unknown becomes a call of kind `other`. */
import type { SessionUpdate, ToolCallContent, ToolCallLocation, ToolKind } from '../../contract/content.ts'
import { isRecord } from '../../contract/json.ts'
import { present } from '../../contract/present.ts'
import { diffsOf } from './patches.ts'
import type { CodexItem } from './protocol.ts'

export interface ToolShape {
  readonly title: string
  readonly kind: ToolKind
  readonly content?: readonly ToolCallContent[]
  readonly locations?: readonly ToolCallLocation[]
  readonly rawInput?: unknown
  readonly rawOutput?: unknown
}

const str = (value: unknown): string => (typeof value === 'string' ? value : '')
const asText = (value: string): ToolCallContent => ({
  type: 'content',
  content: { type: 'text', text: value },
})
const output = (value: unknown): readonly ToolCallContent[] | undefined =>
  str(value) === '' ? undefined : [asText(str(value))]

/** Reading and searching are told apart from what may change something, where Codex itself parsed the command. */
const commandKind = (actions: unknown): ToolKind => {
  if (!Array.isArray(actions) || actions.length === 0) return 'execute'
  const types = actions.map((action) => (isRecord(action) ? action['type'] : undefined))
  if (types.every((type) => type === 'read')) return 'read'
  return types.every((type) => type === 'read' || type === 'listFiles' || type === 'search')
    ? 'search'
    : 'execute'
}

const COLLABORATION: Readonly<Record<string, string>> = {
  spawnAgent: 'Start an agent',
  sendInput: 'Write to an agent',
  wait: 'Wait for agents',
  closeAgent: 'Close an agent',
}

const command = (item: CodexItem): ToolShape => ({
  title: str(item['command']) || 'Command',
  kind: commandKind(item['commandActions']),
  rawInput: present({ command: item['command'], cwd: item['cwd'] }),
  ...present({ content: output(item['aggregatedOutput']) }),
  ...(typeof item['exitCode'] === 'number' && { rawOutput: { exitCode: item['exitCode'] } }),
})

const patch = (item: CodexItem): ToolShape => {
  const diffs = diffsOf(item['changes'])
  const paths = diffs.map(({ path }) => path)
  return {
    title: paths.length === 1 ? `Edit ${paths[0]}` : `Edit ${paths.length} files`,
    kind: 'edit',
    content: diffs,
    locations: paths.map((path) => ({ path })),
  }
}

const mcp = (item: CodexItem): ToolShape => {
  const { result, error } = item
  const blocks = isRecord(result) && Array.isArray(result['content']) ? result['content'] : []
  const texts = blocks.flatMap((block: unknown) =>
    isRecord(block) && block['type'] === 'text' ? [asText(str(block['text']))] : [],
  )
  const failed = isRecord(error) ? output(error['message']) : undefined
  const content = failed ?? (texts.length > 0 ? texts : undefined)
  return {
    title: `${str(item['server'])}: ${str(item['tool'])}`,
    kind: 'other',
    rawInput: item['arguments'],
    ...present({ content }),
    ...(result !== null && result !== undefined && { rawOutput: result }),
  }
}

/** Undefined for items that are no work of a tool. */
export const toolShape = (item: CodexItem): ToolShape | undefined => {
  switch (item.type) {
    case 'commandExecution':
      return command(item)
    case 'fileChange':
      return patch(item)
    case 'mcpToolCall':
      return mcp(item)
    case 'dynamicToolCall':
      return { title: str(item['tool']), kind: 'other', rawInput: item['arguments'] }
    case 'webSearch':
      return {
        title: `Search the web: ${str(item['query'])}`,
        kind: 'search',
        rawInput: { query: item['query'] },
      }
    case 'imageView':
      return {
        title: `View ${str(item['path'])}`,
        kind: 'read',
        locations: str(item['path']) === '' ? [] : [{ path: str(item['path']) }],
      }
    case 'imageGeneration':
      return { title: 'Generate an image', kind: 'other' }
    case 'collabAgentToolCall':
      return {
        title: COLLABORATION[str(item['tool'])] ?? `Agents: ${str(item['tool'])}`,
        kind: 'other',
        rawInput: present({ prompt: item['prompt'] ?? undefined, agents: item['receiverThreadIds'] }),
      }
    case 'sleep':
      return { title: 'Wait', kind: 'other' }
    default:
      return undefined
  }
}

export type ToolStatus = 'pending' | 'in_progress' | 'completed' | 'failed'

/** An item without a status has ended when it is completed. */
export const toolStatus = (item: CodexItem, completed: boolean): ToolStatus => {
  switch (item['status']) {
    case 'inProgress':
      return completed ? 'completed' : 'in_progress'
    case 'failed':
    case 'declined':
      return 'failed'
    default:
      return completed ? (item['success'] === false ? 'failed' : 'completed') : 'in_progress'
  }
}

export const toolUpdate = (
  item: CodexItem,
  shape: ToolShape,
  phase: 'started' | 'completed',
): SessionUpdate => {
  const status = toolStatus(item, phase === 'completed')
  const { content = [], locations = [], ...said } = shape
  const call = { toolCallId: item.id, status, ...said, content: [...content], locations: [...locations] }
  return phase === 'started'
    ? { sessionUpdate: 'tool_call', ...call }
    : { sessionUpdate: 'tool_call_update', ...call }
}
