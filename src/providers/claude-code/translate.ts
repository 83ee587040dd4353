/**
 * Claude Code's lines as events of a run. Pure and total: no line throws, and what is unknown is a notice. What its
 * own sub-agents do belongs to the tool call that started them (C23).
 */
import type { SessionUpdate, ToolCallContent } from '../../contract/content.ts'
import type { Notice, ProviderEvent } from '../../contract/events.ts'
import { isRecord } from '../../contract/json.ts'
import { present } from '../../contract/present.ts'
import { resultContent, toolShape } from './tools.ts'

export interface Shown {
  /** Messages of which pieces were shown: the whole that follows says nothing new. */
  readonly streamed: ReadonlySet<string>
  /** The message whose pieces come now. */
  readonly message?: string
  /** What each sub-agent has said, by the tool call that started it. */
  readonly below: Readonly<Record<string, string>>
}

export const NOTHING_SHOWN: Shown = { streamed: new Set(), below: {} }

export interface Translated {
  readonly events: readonly ProviderEvent[]
  readonly shown: Shown
}

type Json = Readonly<Record<string, unknown>>

const str = (value: unknown): string => (typeof value === 'string' ? value : '')
const record = (value: unknown): Json => (isRecord(value) ? value : {})
const update = (value: SessionUpdate): ProviderEvent => ({ type: 'session/update', update: value })

const chunk = (
  kind: 'agent_message_chunk' | 'agent_thought_chunk',
  text: string,
  messageId: string,
): ProviderEvent =>
  update({
    sessionUpdate: kind,
    content: { type: 'text', text },
    ...(messageId !== '' && { messageId }),
  })

const notice = (severity: Notice['severity'], title: string, detail?: string): ProviderEvent => ({
  type: 'notice',
  severity,
  title,
  ...present({ detail }),
})

export const translate = (line: Json, shown: Shown): Translated => {
  const parent = str(line['parent_tool_use_id'])
  switch (line['type']) {
    case 'stream_event':
      return parent === '' ? piece(record(line['event']), shown) : { events: [], shown }
    case 'assistant':
      // A failed call of the model comes as words of the agent; it is told by the end of the turn.
      if (typeof line['error'] === 'string') return { events: [], shown }
      return said(record(line['message']), parent, shown)
    case 'user':
      return { events: answers(record(line['message']), parent), shown }
    case 'system':
      return { events: system(line), shown }
    case 'result':
    case 'control_request':
    case 'control_response':
    case 'control_cancel_request':
    case 'keep_alive':
    case 'rate_limit_event':
      return { events: [], shown }
    default:
      return {
        events: [notice('info', `Claude Code wrote a line that isn't known here: "${str(line['type'])}".`)],
        shown,
      }
  }
}

/** One raw event of the model's stream. */
const piece = (event: Json, shown: Shown): Translated => {
  if (event['type'] === 'message_start') {
    return { events: [], shown: { ...shown, message: str(record(event['message'])['id']) } }
  }
  if (event['type'] !== 'content_block_delta') return { events: [], shown }
  const delta = record(event['delta'])
  const message = shown.message ?? ''
  const thought = delta['type'] === 'thinking_delta'
  const text = thought ? str(delta['thinking']) : delta['type'] === 'text_delta' ? str(delta['text']) : ''
  if (text === '') return { events: [], shown }
  return {
    events: [chunk(thought ? 'agent_thought_chunk' : 'agent_message_chunk', text, message)],
    shown: { ...shown, streamed: new Set([...shown.streamed, message]) },
  }
}

const said = (message: Json, parent: string, shown: Shown): Translated => {
  const id = str(message['id'])
  const blocks = Array.isArray(message['content']) ? message['content'].map(record) : []
  const events: ProviderEvent[] = []
  let { below } = shown
  for (const block of blocks) {
    if (block['type'] === 'tool_use') {
      events.push(...called(block, parent))
    } else if (block['type'] === 'text' && parent !== '') {
      const text = `${below[parent] ?? ''}${str(block['text'])}`
      below = { ...below, [parent]: text }
      const content: ToolCallContent[] = [{ type: 'content', content: { type: 'text', text } }]
      events.push(update({ sessionUpdate: 'tool_call_update', toolCallId: parent, content }))
    } else if (parent === '' && !shown.streamed.has(id)) {
      const text =
        block['type'] === 'thinking'
          ? str(block['thinking'])
          : block['type'] === 'text'
            ? str(block['text'])
            : ''
      if (text !== '')
        events.push(
          chunk(block['type'] === 'thinking' ? 'agent_thought_chunk' : 'agent_message_chunk', text, id),
        )
    }
  }
  return { events, shown: { ...shown, below } }
}

/** The call of a sub-agent names the call that it belongs to. */
const belongs = (parent: string): { _meta?: { subgate: { parentToolCallId: string } } } =>
  parent === '' ? {} : { _meta: { subgate: { parentToolCallId: parent } } }

const PLAN_STATUS: Readonly<Record<string, 'pending' | 'in_progress' | 'completed'>> = {
  pending: 'pending',
  in_progress: 'in_progress',
  completed: 'completed',
}

const called = (block: Json, parent: string): readonly ProviderEvent[] => {
  const { input } = block
  const todos = record(input)['todos']
  if (block['name'] === 'TodoWrite' && Array.isArray(todos) && parent === '') {
    const entries = todos.map(record).map((todo) => ({
      content: str(todo['content']),
      priority: 'medium' as const,
      status: PLAN_STATUS[str(todo['status'])] ?? ('pending' as const),
    }))
    return [update({ sessionUpdate: 'plan', entries })]
  }
  return [
    update({
      sessionUpdate: 'tool_call',
      toolCallId: str(block['id']),
      status: 'in_progress',
      rawInput: input,
      ...toolShape(str(block['name']), input),
      ...belongs(parent),
    }),
  ]
}

const answers = (message: Json, parent: string): readonly ProviderEvent[] => {
  const blocks = Array.isArray(message['content']) ? message['content'].map(record) : []
  return blocks
    .filter((block) => block['type'] === 'tool_result')
    .map((block) => {
      const content = resultContent(block['content'])
      return update({
        sessionUpdate: 'tool_call_update',
        toolCallId: str(block['tool_use_id']),
        status: block['is_error'] === true ? 'failed' : 'completed',
        // A change that was shown as a diff keeps it.
        ...(block['is_error'] === true && { content }),
        rawOutput: block['content'],
        ...belongs(parent),
      })
    })
}

/** Of no interest to whoever follows a run. */
const SILENT: ReadonlySet<string> = new Set([
  'init',
  'status',
  'ui_invalidate',
  'permission_denied',
  'task_started',
  'task_progress',
  'task_updated',
  'task_notification',
  'hook_started',
  'hook_progress',
  'hook_response',
  'session_state_changed',
  'files_persisted',
  'thinking_tokens',
])

const system = (line: Json): readonly ProviderEvent[] => {
  const subtype = str(line['subtype'])
  if (subtype === 'init') return failedServers(line['mcp_servers'])
  if (SILENT.has(subtype)) return []
  if (subtype === 'api_retry') {
    const { attempt, max_retries: most, error_status: status, error } = line
    const why = [status, error].filter((part) => part !== null && part !== undefined).join(' ')
    return [notice('warning', `Claude Code tries again (${String(attempt)} of ${String(most)}).`, why)]
  }
  if (subtype === 'compact_boundary') return [notice('info', 'Claude Code compacted the conversation.')]
  return [notice('info', `Claude Code reported "${subtype}".`)]
}

const failedServers = (servers: unknown): readonly ProviderEvent[] =>
  (Array.isArray(servers) ? servers : [])
    .map(record)
    .filter((server) => server['status'] === 'failed')
    .map((server) => notice('warning', `The MCP server ${str(server['name'])} could not be started.`))
