/** What Codex asks of its client, as questions for a person or a policy, and the answers in its own words (C24). Pure. */
import type { PermissionOption, PermissionOutcome, ToolCallUpdate } from '../../contract/content.ts'
import type { PermissionQuestion } from '../../contract/provider.ts'
import { isRecord } from '../../contract/json.ts'
import { present } from '../../contract/present.ts'
import { serverForm, userForm } from './forms.ts'
import type { Form } from './forms.ts'
import { toolShape } from './items.ts'
import type { CodexItem } from './protocol.ts'

type Answer = (outcome: PermissionOutcome) => object

/** Items that have begun and not ended, by id: what is asked belongs to one of them. */
export type Running = ReadonlyMap<string, CodexItem>

/**
 * `ask`: somebody decides. `form`: a person's client is asked, where one takes it. `answer`: nobody here can, and Codex
 * goes on without. `unknown`: -32601.
 */
export type Asked =
  | { readonly kind: 'ask'; readonly question: PermissionQuestion; readonly answer: Answer }
  | { readonly kind: 'form'; readonly form: Form }
  | { readonly kind: 'answer'; readonly result: object }
  | { readonly kind: 'unknown' }

const ONCE: PermissionOption = { optionId: 'accept', name: 'Allow once', kind: 'allow_once' }
const SESSION: PermissionOption = {
  optionId: 'acceptForSession',
  name: 'Allow for this session',
  kind: 'allow_always',
}
const DECLINE: PermissionOption = { optionId: 'decline', name: 'Reject', kind: 'reject_once' }

/** A rejection lets the agent go on; only a cancelled run ends its turn. */
const decision: Answer = (outcome) => ({
  decision: outcome.outcome === 'cancelled' ? 'cancel' : outcome.optionId,
})

const granted: Answer = (outcome) => ({
  action: outcome.outcome === 'selected' && outcome.optionId !== DECLINE.optionId ? 'accept' : 'decline',
  content: null,
  _meta: null,
})

const ask = (toolCall: ToolCallUpdate, options: readonly PermissionOption[], answer: Answer): Asked => ({
  kind: 'ask',
  question: { toolCall, options },
  answer,
})

const str = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const SESSION_TOO = [ONCE, SESSION, DECLINE]

/** Absent in older versions, where each is understood. */
const offered = (available: unknown): readonly PermissionOption[] =>
  Array.isArray(available) && !available.includes(SESSION.optionId) ? [ONCE, DECLINE] : SESSION_TOO

const command = (params: Record<string, unknown>): Asked => {
  const title = str(params['command']) ?? str(params['reason']) ?? 'Run a command'
  const rawInput = present({
    command: str(params['command']),
    cwd: str(params['cwd']),
    reason: str(params['reason']),
  })
  const toolCall = {
    toolCallId: str(params['itemId']) ?? 'command',
    title,
    kind: 'execute' as const,
    rawInput,
  }
  return ask(toolCall, offered(params['availableDecisions']), decision)
}

/** Which files stands in the item alone. */
const patch = (params: Record<string, unknown>, running: Running): Asked => {
  const toolCallId = str(params['itemId']) ?? 'patch'
  const item = running.get(toolCallId)
  const shape = item === undefined ? undefined : toolShape(item)
  const title = shape?.title ?? str(params['reason']) ?? 'Change files'
  const rawInput = present({ reason: str(params['reason']), grantRoot: str(params['grantRoot']) })
  const toolCall = {
    toolCallId,
    title,
    kind: 'edit' as const,
    rawInput,
    ...(shape?.content !== undefined && { content: [...shape.content] }),
    ...(shape?.locations !== undefined && { locations: [...shape.locations] }),
  }
  return ask(toolCall, SESSION_TOO, decision)
}

/** The question names server and tool; the call that it belongs to is the last of these that runs. */
const callOf = (running: Running, server: string | undefined, tool: string | undefined): string | undefined =>
  [...running.values()].findLast(
    (item) => item.type === 'mcpToolCall' && item['server'] === server && item['tool'] === tool,
  )?.id

const elicitation = (params: Record<string, unknown>, running: Running): Asked => {
  const meta = isRecord(params['_meta']) ? params['_meta'] : {}
  // A form or a page for a person: where no client takes one the server is told so at once.
  if (meta['codex_approval_kind'] !== 'mcp_tool_call') return { kind: 'form', form: serverForm(params) }
  const [server, tool] = [str(params['serverName']), str(meta['tool_name'])]
  const toolCall = {
    toolCallId: callOf(running, server, tool) ?? `${server ?? 'mcp'}:${tool ?? 'call'}`,
    title: str(params['message']) ?? `Call a tool of ${server ?? 'a server'}`,
    kind: 'other' as const,
    rawInput: present({ server, tool, arguments: meta['tool_params'] ?? undefined }),
  }
  return ask(toolCall, [ONCE, DECLINE], granted)
}

const refused = (words: string): Asked => ({
  kind: 'answer',
  result: { contentItems: [{ type: 'inputText', text: words }], success: false },
})

export const askedOf = (method: string, params: unknown, running: Running): Asked => {
  const said = isRecord(params) ? params : {}
  switch (method) {
    case 'item/commandExecution/requestApproval':
      return command(said)
    case 'item/fileChange/requestApproval':
      return patch(said, running)
    case 'mcpServer/elicitation/request':
      return elicitation(said, running)
    // More rights for the rest of the session: a child's scope was fixed at its start.
    case 'item/permissions/requestApproval':
      return { kind: 'answer', result: { permissions: {}, scope: 'turn' } }
    case 'item/tool/requestUserInput': {
      const form = userForm(said)
      return form === undefined ? { kind: 'answer', result: { answers: {} } } : { kind: 'form', form }
    }
    case 'item/tool/call':
      return refused('This tool is not served here.')
    default:
      return { kind: 'unknown' }
  }
}
