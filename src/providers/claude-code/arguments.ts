/** A start request as Claude Code's command line (law 9: each control is one of its own switches). Pure. */
import type { PermissionPolicy, ResolvedStartRequest } from '../../contract/request.ts'
import {
  DELEGATION_TOOLS,
  isMcpName,
  LIST_TOOLS,
  ownName,
  READING_TOOLS,
  UNATTENDED_TOOLS,
  WORKSPACE_TOOLS,
} from './capabilities.ts'
import { explicitPermission } from './policy.ts'
import { QUESTION_TOOL } from './questionnaire.ts'

const STREAMING = [
  '-p',
  '--output-format',
  'stream-json',
  '--input-format',
  'stream-json',
  '--include-partial-messages',
  '--forward-subagent-text',
  '--verbose',
  '--permission-prompt-tool',
  'stdio',
]

const flag = (name: string, value: string | number | undefined): readonly string[] =>
  value === undefined ? [] : [name, String(value)]

type Filters = Pick<ResolvedStartRequest, 'preset' | 'toolFilter' | 'sandbox'>

const own = (tools: readonly string[]): readonly string[] => {
  const names = tools.map(ownName)
  return names.includes('TaskCreate') ? [...new Set([...names, ...LIST_TOOLS])] : names
}

const ofSandbox = (sandbox: ResolvedStartRequest['sandbox']): readonly string[] | undefined => {
  if (sandbox === 'read-only') return READING_TOOLS
  return sandbox === 'workspace-write' ? WORKSPACE_TOOLS : undefined
}

const within = (lists: readonly (readonly string[] | undefined)[]): readonly string[] | undefined => {
  const [first, ...others] = lists.filter((list) => list !== undefined)
  return first?.filter((tool) => others.every((list) => list.includes(tool)))
}

/** What a preset or a stored composition leaves, MCP tools included; undefined where neither has a list. */
export const listedTools = ({ preset, toolFilter }: Filters): readonly string[] | undefined =>
  within([preset?.tools?.allow, toolFilter?.allow].map((list) => list && own(list)))

/** What of its own tools the agent may use at all: such a list, within what the sandbox leaves. */
export const offeredTools = (request: Filters): readonly string[] | undefined =>
  within([listedTools(request), ofSandbox(request.sandbox)])?.filter((name) => !isMcpName(name))

const deniedTools = ({ preset, toolFilter }: Filters): readonly string[] =>
  own([...(preset?.tools?.deny ?? []), ...(toolFilter?.deny ?? [])])

/** As Claude Code writes a server's name in those of its tools. */
const serverTools = (name: string): string => `mcp__${name.replaceAll(/[^A-Za-z0-9_-]/gu, '_')}`

const isOf = (tool: string, server: string): boolean => tool === server || tool.startsWith(`${server}__`)

/** Whether a tool may run, as far as lists and sandbox go. */
export const isOffered = (
  tool: string,
  request: Filters & Pick<ResolvedStartRequest, 'mcpServers'>,
): boolean => {
  const listed = listedTools(request)
  if (deniedTools(request).some((name) => isOf(tool, name))) return false
  if (!isMcpName(tool)) return offeredTools(request)?.includes(tool) !== false
  if (request.sandbox === 'read-only') return false
  if (listed !== undefined) return listed.some((name) => isOf(tool, name))
  // The user's own servers stand outside of any sandbox; those that the caller gave were asked for by name.
  const given = request.mcpServers.map(({ name }) => serverTools(name))
  return request.sandbox !== 'workspace-write' || given.some((server) => isOf(tool, server))
}

/**
 * Its own agents stay until a cap is asked for on this run, or no room is left below it. A root has a cap only where
 * one was asked for.
 */
export const isCapped = ({
  requested,
  maxDepth,
  depth,
}: Pick<ResolvedStartRequest, 'requested' | 'maxDepth' | 'depth'>): boolean =>
  requested.maxDepth !== undefined || (maxDepth !== undefined && (depth === 0 || depth >= maxDepth))

/** `attended`: a person can answer its questionnaire. */
const refusedTools = (request: ResolvedStartRequest, attended: boolean): readonly string[] => {
  const listed = listedTools(request)
  const unlisted = request.mcpServers
    .map(({ name }) => serverTools(name))
    .filter((server) => listed?.some((tool) => isOf(tool, server)) === false)
  const delegation = isCapped(request) ? DELEGATION_TOOLS : []
  const unanswered = attended ? [] : [QUESTION_TOOL]
  return [
    ...new Set([...unanswered, ...UNATTENDED_TOOLS, ...deniedTools(request), ...unlisted, ...delegation]),
  ]
}

/** Its shell runs in its own sandbox or not at all, and nothing is let out of it on request. */
const SANDBOXED = {
  sandbox: {
    enabled: true,
    failIfUnavailable: true,
    autoAllowBashIfSandboxed: true,
    allowUnsandboxedCommands: false,
  },
}

/** Servers that the user configured stand outside of any sandbox, and on a list only where it names them. */
const ownServersOnly = (request: ResolvedStartRequest): boolean => {
  const { mcpServers, sandbox } = request
  const listed = listedTools(request)
  const confined = sandbox === 'read-only' || sandbox === 'workspace-write'
  return mcpServers.length > 0 || confined || listed?.some(isMcpName) === false
}

/** What stands for the whole session. `mcpConfig` is a file for it alone, since MCP servers may carry secrets. */
export const sessionArguments = (
  request: ResolvedStartRequest,
  mcpConfig?: string,
  attended = false,
): readonly string[] => {
  const { model, effort, additionalDirectories, sandbox } = request
  return [
    ...STREAMING,
    ...flag('--model', model),
    ...flag('--effort', effort),
    ...flag('--tools', offeredTools(request)?.join(',')),
    ...flag('--disallowedTools', refusedTools(request, attended).join(',')),
    ...(isCapped(request) ? ['--disable-slash-commands'] : []),
    ...(additionalDirectories.length > 0 ? ['--add-dir', ...additionalDirectories] : []),
    ...flag('--mcp-config', mcpConfig),
    ...(ownServersOnly(request) ? ['--strict-mcp-config'] : []),
    ...(sandbox === 'workspace-write' ? ['--settings', JSON.stringify(SANDBOXED)] : []),
  ]
}

/** What a follow-up may change; a process has it for as long as it lasts. */
export const turnArguments = (
  request: ResolvedStartRequest,
  configured: PermissionPolicy | undefined,
): readonly string[] => {
  const { limits } = request
  // Its own mode could allow or refuse without a question.
  const asks = explicitPermission(request, configured) === undefined ? undefined : 'manual'
  return [
    ...flag('--permission-mode', asks),
    ...flag('--max-turns', limits.maxTurns),
    ...flag('--max-budget-usd', limits.maxCostUsd),
  ]
}

/** Where a process finds its conversation. */
export type Conversation =
  | { readonly from: 'new'; readonly id: string }
  | { readonly from: 'resume'; readonly id: string }
  | { readonly from: 'fork'; readonly of: string; readonly id: string }

export const conversationArguments = (conversation: Conversation): readonly string[] => {
  switch (conversation.from) {
    case 'new':
      return ['--session-id', conversation.id]
    case 'resume':
      return ['--resume', conversation.id]
    case 'fork':
      return ['--resume', conversation.of, '--fork-session', '--session-id', conversation.id]
  }
}

/** What can't be changed in a process: a schema is settled in the handshake, as flags are at the start. */
export const flagsOf = (request: ResolvedStartRequest, configured: PermissionPolicy | undefined): string =>
  JSON.stringify([turnArguments(request, configured), request.outputSchema])
