/** A start request as Claude Code's command line (law 9: each control is one of its own switches). Pure. */
import type { PermissionPolicy, ResolvedStartRequest } from '../../contract/request.ts'
import {
  DELEGATION_TOOLS,
  LIST_TOOLS,
  READING_TOOLS,
  UNATTENDED_TOOLS,
  WORKSPACE_TOOLS,
} from './capabilities.ts'
import { explicitPermission } from './policy.ts'

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

const withList = (tools: readonly string[]): readonly string[] =>
  tools.includes('TaskCreate') ? [...new Set([...tools, ...LIST_TOOLS])] : tools

const ofSandbox = (sandbox: ResolvedStartRequest['sandbox']): readonly string[] | undefined => {
  if (sandbox === 'read-only') return READING_TOOLS
  return sandbox === 'workspace-write' ? WORKSPACE_TOOLS : undefined
}

/** What of its own tools the agent may use at all: a preset's list, within what the sandbox leaves. */
export const offeredTools = ({ preset, toolFilter, sandbox }: Filters): readonly string[] | undefined => {
  const lists = [preset?.tools?.allow, toolFilter?.allow].map((list) => list && withList(list))
  const given = [...lists, ofSandbox(sandbox)].filter((list) => list !== undefined)
  const [first, ...others] = given
  return first?.filter((tool) => others.every((list) => list.includes(tool)))
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

const refusedTools = (request: ResolvedStartRequest): readonly string[] => {
  const { preset, toolFilter } = request
  const denied = withList([...(preset?.tools?.deny ?? []), ...(toolFilter?.deny ?? [])])
  return [...new Set([...UNATTENDED_TOOLS, ...denied, ...(isCapped(request) ? DELEGATION_TOOLS : [])])]
}

const instructionFlags = ({ preset, persona }: ResolvedStartRequest): readonly string[] => {
  const { instructions } = preset ?? {}
  const replaced = persona ?? (instructions?.mode === 'replace' ? instructions.text : undefined)
  const appended = instructions?.mode === 'append' ? instructions.text : undefined
  return [...flag('--system-prompt', replaced), ...flag('--append-system-prompt', appended)]
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

/** Servers that the user configured stand outside of any sandbox, and on no list of tools. */
const ownServersOnly = (request: ResolvedStartRequest): boolean =>
  request.mcpServers.length > 0 || offeredTools(request) !== undefined

/** What stands for the whole session. `mcpConfig` is a file for it alone, since MCP servers may carry secrets. */
export const sessionArguments = (request: ResolvedStartRequest, mcpConfig?: string): readonly string[] => {
  const { model, effort, additionalDirectories, sandbox } = request
  return [
    ...STREAMING,
    ...flag('--model', model),
    ...flag('--effort', effort),
    ...instructionFlags(request),
    ...flag('--tools', offeredTools(request)?.join(',')),
    ...flag('--disallowedTools', refusedTools(request).join(',')),
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
  const { outputSchema, limits } = request
  // Its own mode could allow or refuse without a question.
  const asks = explicitPermission(request, configured) === undefined ? undefined : 'manual'
  return [
    ...flag('--permission-mode', asks),
    ...flag('--json-schema', outputSchema && JSON.stringify(outputSchema)),
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
