/** What Codex asks of its client, as questions for a person or a policy, and the answers in its own words (C24). Pure. */
import type { PermissionOption, PermissionOutcome, ToolCallUpdate } from '../../contract/content.ts'
import type { PermissionQuestion } from '../../contract/provider.ts'
import { isRecord } from '../../contract/json.ts'
import { present } from '../../contract/present.ts'

type Answer = (outcome: PermissionOutcome) => object

/** `ask`: somebody decides. `answer`: nobody here can, and Codex goes on without. `unknown`: -32601. */
export type Asked =
  | { readonly kind: 'ask'; readonly question: PermissionQuestion; readonly answer: Answer }
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
  return ask(toolCall, [ONCE, SESSION, DECLINE], decision)
}

const patch = (params: Record<string, unknown>): Asked => {
  const title = str(params['reason']) ?? 'Change files'
  const rawInput = present({ reason: str(params['reason']), grantRoot: str(params['grantRoot']) })
  const toolCall = { toolCallId: str(params['itemId']) ?? 'patch', title, kind: 'edit' as const, rawInput }
  return ask(toolCall, [ONCE, SESSION, DECLINE], decision)
}

const elicitation = (params: Record<string, unknown>): Asked => {
  const meta = isRecord(params['_meta']) ? params['_meta'] : {}
  // A form or a page for a person: no face takes one, so that the server is told so at once.
  if (meta['codex_approval_kind'] !== 'mcp_tool_call')
    return { kind: 'answer', result: { action: 'decline', content: null, _meta: null } }
  const title = str(params['message']) ?? `Call a tool of ${str(params['serverName']) ?? 'a server'}`
  const toolCall = {
    toolCallId: str(meta['tool_call_id']) ?? str(meta['call_id']) ?? 'mcp',
    title,
    kind: 'other' as const,
    rawInput: present({ server: str(params['serverName']) }),
  }
  return ask(toolCall, [ONCE, DECLINE], granted)
}

const refused = (words: string): Asked => ({
  kind: 'answer',
  result: { contentItems: [{ type: 'inputText', text: words }], success: false },
})

export const askedOf = (method: string, params: unknown): Asked => {
  const said = isRecord(params) ? params : {}
  switch (method) {
    case 'item/commandExecution/requestApproval':
      return command(said)
    case 'item/fileChange/requestApproval':
      return patch(said)
    case 'mcpServer/elicitation/request':
      return elicitation(said)
    // More rights for the rest of the session: a child's scope was fixed at its start.
    case 'item/permissions/requestApproval':
      return { kind: 'answer', result: { permissions: {}, scope: 'turn' } }
    case 'item/tool/requestUserInput':
      return { kind: 'answer', result: { answers: {} } }
    case 'item/tool/call':
      return refused('This tool is not served here.')
    default:
      return { kind: 'unknown' }
  }
}
