/**
 * Claude Code's lines as events of a run. Pure and total: no line throws, and what is unknown is a notice. What its
 * own sub-agents do belongs to the tool call that started them (C23).
 */
import type { SessionUpdate, ToolCallContent } from '../../contract/content.ts'
import type { Notice, ProviderEvent } from '../../contract/events.ts'
import { isRecord } from '../../contract/json.ts'
import { present } from '../../contract/present.ts'
import { planAfter } from './plan.ts'
import type { Plan } from './plan.ts'
import { resultContent, toolShape } from './tools.ts'

export interface Shown {
  /** Messages of which pieces were shown: the whole that follows says nothing new. */
  readonly streamed: ReadonlySet<string>
  /** The message whose pieces come now. */
  readonly message?: string
  /** What each sub-agent has said, by the tool call that started it. */
  readonly below: Readonly<Record<string, string>>
  /** Calls that go on in the background after they were answered. */
  readonly background: ReadonlySet<string>
  readonly plan: Plan
  /** Calls that are shown as a plan and not as calls. */
  readonly planned: ReadonlySet<string>
}

export const NOTHING_SHOWN: Shown = {
  streamed: new Set(),
  below: {},
  background: new Set(),
  plan: {},
  planned: new Set(),
}

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
      return { events: answers(record(line['message']), parent, shown), shown }
    case 'system':
      return system(line, shown)
    case 'result':
    case 'control_request':
    case 'control_response':
    case 'control_cancel_request':
    case 'keep_alive':
    case 'rate_limit_event':
    case 'tool_progress':
    case 'tool_use_summary':
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
  const blocks = Array.isArray(message['content']) ? message['content'].map(record) : []
  const events: ProviderEvent[] = []
  let now = shown
  for (const block of blocks) {
    const next = shownBlock(block, str(message['id']), parent, now)
    events.push(...next.events)
    now = next.shown
  }
  return { events, shown: now }
}

/** One block of a message. */
const shownBlock = (block: Json, id: string, parent: string, shown: Shown): Translated => {
  const thought = block['type'] === 'thinking'
  const text = thought ? str(block['thinking']) : block['type'] === 'text' ? str(block['text']) : ''
  if (block['type'] === 'tool_use') {
    const plan = parent === '' ? planAfter(shown.plan, block['name'], block['input']) : undefined
    if (plan === undefined) return { events: [called(block, parent)], shown }
    const planned = new Set(shown.planned).add(str(block['id']))
    const entries = Object.values(plan)
    return { events: [update({ sessionUpdate: 'plan', entries })], shown: { ...shown, plan, planned } }
  }
  if (text === '') return { events: [], shown }
  if (parent === '') {
    if (shown.streamed.has(id)) return { events: [], shown }
    return { events: [chunk(thought ? 'agent_thought_chunk' : 'agent_message_chunk', text, id)], shown }
  }
  // What a sub-agent thinks is its own.
  if (thought) return { events: [], shown }
  const whole = `${Object.hasOwn(shown.below, parent) ? shown.below[parent] : ''}${text}`
  const content: ToolCallContent[] = [{ type: 'content', content: { type: 'text', text: whole } }]
  return {
    events: [update({ sessionUpdate: 'tool_call_update', toolCallId: parent, content })],
    shown: { ...shown, below: { ...shown.below, [parent]: whole } },
  }
}

/** The call of a sub-agent names the call that it belongs to. */
const belongs = (parent: string): { _meta?: { subgate: { parentToolCallId: string } } } =>
  parent === '' ? {} : { _meta: { subgate: { parentToolCallId: parent } } }

const called = (block: Json, parent: string): ProviderEvent =>
  update({
    sessionUpdate: 'tool_call',
    toolCallId: str(block['id']),
    status: 'in_progress',
    rawInput: block['input'],
    ...toolShape(str(block['name']), block['input']),
    ...belongs(parent),
  })

const answers = (message: Json, parent: string, { background, planned }: Shown): readonly ProviderEvent[] => {
  const blocks = Array.isArray(message['content']) ? message['content'].map(record) : []
  return blocks
    .filter((block) => block['type'] === 'tool_result' && !planned.has(str(block['tool_use_id'])))
    .map((block) => {
      const id = str(block['tool_use_id'])
      const failed = block['is_error'] === true
      const content = resultContent(block['content'])
      return update({
        sessionUpdate: 'tool_call_update',
        toolCallId: id,
        // An agent in the background was only started; its end is told later.
        ...((failed || !background.has(id)) && { status: failed ? 'failed' : 'completed' }),
        // A change that was shown as a diff keeps it.
        ...(failed && { content }),
        rawOutput: block['content'],
        ...belongs(parent),
      })
    })
}

/** Of no interest to whoever follows a run. */
const SILENT: ReadonlySet<string> = new Set([
  'background_tasks_changed',
  'command_lifecycle',
  // Told by the session.
  'commands_changed',
  'files_persisted',
  'hook_progress',
  'hook_response',
  'hook_started',
  'permission_denied',
  'session_state_changed',
  'status',
  'task_progress',
  'task_updated',
  'thinking_tokens',
  'ui_invalidate',
])

const system = (line: Json, shown: Shown): Translated => {
  const call = str(line['tool_use_id'])
  switch (line['subtype']) {
    case 'task_started':
      if (line['task_type'] !== 'local_agent' || line['is_backgrounded'] !== true || call === '') break
      return { events: [], shown: { ...shown, background: new Set([...shown.background, call]) } }
    case 'task_notification':
      if (!shown.background.has(call)) break
      return {
        events: [
          update({
            sessionUpdate: 'tool_call_update',
            toolCallId: call,
            status: line['status'] === 'completed' ? 'completed' : 'failed',
          }),
        ],
        shown: { ...shown, background: new Set([...shown.background].filter((id) => id !== call)) },
      }
    default:
      return { events: told(line), shown }
  }
  return { events: [], shown }
}

const count = (value: unknown): string => (typeof value === 'number' ? String(value) : '?')

/** What the program says of itself. */
const told = (line: Json): readonly ProviderEvent[] => {
  const subtype = str(line['subtype'])
  if (SILENT.has(subtype)) return []
  if (subtype === 'init') return failedServers(line['mcp_servers'])
  if (subtype === 'api_retry') {
    const { attempt, max_retries: most, error_status: status, error } = line
    const why = [status, error]
      .filter((each) => typeof each === 'string' || typeof each === 'number')
      .join(' ')
    const title = `Claude Code tries again (${count(attempt)} of ${count(most)}).`
    return [notice('warning', title, why)]
  }
  if (subtype === 'compact_boundary') return [notice('info', 'Claude Code compacted the conversation.')]
  return [notice('info', `Claude Code reported "${subtype}", which isn't known here.`)]
}

const failedServers = (servers: unknown): readonly ProviderEvent[] =>
  (Array.isArray(servers) ? servers : [])
    .map(record)
    .filter((server) => server['status'] === 'failed')
    .map((server) => notice('warning', `The MCP server ${str(server['name'])} could not be started.`))
