/** A start request as Claude Code's command line (law 9: each control is one of its own switches). Pure. */
import type { McpServer } from '../../contract/content.ts'
import { SubagentError } from '../../contract/errors.ts'
import type { JsonObject } from '../../contract/json.ts'
import type { ResolvedStartRequest } from '../../contract/request.ts'
import { DELEGATION_TOOLS, READING_TOOLS } from './capabilities.ts'

const STREAMING = [
  '-p',
  '--output-format',
  'stream-json',
  '--input-format',
  'stream-json',
  '--include-partial-messages',
  '--verbose',
  '--permission-prompt-tool',
  'stdio',
]

const flag = (name: string, value: string | number | undefined): readonly string[] =>
  value === undefined ? [] : [name, String(value)]

/** What the agent may use at all: a preset's list, within what the sandbox leaves. */
export const offeredTools = ({
  preset,
  toolFilter,
  sandbox,
}: Pick<ResolvedStartRequest, 'preset' | 'toolFilter' | 'sandbox'>): readonly string[] | undefined => {
  const lists = [preset?.tools?.allow, toolFilter?.allow, sandbox === 'read-only' ? READING_TOOLS : undefined]
  const given = lists.filter((list) => list !== undefined)
  const [first, ...others] = given
  return first?.filter((tool) => others.every((list) => list.includes(tool)))
}

const refusedTools = (request: ResolvedStartRequest): readonly string[] => {
  const { preset, toolFilter, requested, maxDepth } = request
  // Its own agents stay until a cap is asked for on this run.
  const capped = requested.maxDepth !== undefined || maxDepth !== undefined
  return [
    ...new Set([
      ...(preset?.tools?.deny ?? []),
      ...(toolFilter?.deny ?? []),
      ...(capped ? DELEGATION_TOOLS : []),
    ]),
  ]
}

const sessionFlags = ({ origin }: ResolvedStartRequest): readonly string[] => {
  if (origin.from === 'new') return []
  return ['--resume', origin.nativeId, ...(origin.from === 'fork' ? ['--fork-session'] : [])]
}

const instructionFlags = ({ preset, persona }: ResolvedStartRequest): readonly string[] => {
  const { instructions } = preset ?? {}
  const replaced = persona ?? (instructions?.mode === 'replace' ? instructions.text : undefined)
  const appended = instructions?.mode === 'append' ? instructions.text : undefined
  return [...flag('--system-prompt', replaced), ...flag('--append-system-prompt', appended)]
}

/** Bash runs in Claude's own sandbox or not at all, and nothing is let out of it on request. */
const SANDBOXED = {
  sandbox: { enabled: true, autoAllowBashIfSandboxed: true, allowUnsandboxedCommands: false },
}

export interface ArgumentFiles {
  /** Path of a file for this session alone that holds the MCP servers: they may carry secrets. */
  readonly mcpConfig?: string
}

export const commandArguments = (
  request: ResolvedStartRequest,
  { mcpConfig }: ArgumentFiles,
): readonly string[] => {
  const { model, effort, additionalDirectories, outputSchema, limits, sandbox } = request
  const tools = offeredTools(request)
  const refused = refusedTools(request)
  const readOnly = sandbox === 'read-only'
  return [
    ...STREAMING,
    ...sessionFlags(request),
    ...flag('--model', model),
    ...flag('--effort', effort),
    ...instructionFlags(request),
    ...flag('--tools', tools?.join(',')),
    ...(refused.length > 0 ? ['--disallowedTools', refused.join(',')] : []),
    ...(additionalDirectories.length > 0 ? ['--add-dir', ...additionalDirectories] : []),
    ...flag('--json-schema', outputSchema && JSON.stringify(outputSchema)),
    ...flag('--max-turns', limits.maxTurns),
    ...flag('--max-budget-usd', limits.maxCostUsd),
    ...(mcpConfig === undefined ? [] : ['--mcp-config', mcpConfig]),
    ...(mcpConfig !== undefined || readOnly ? ['--strict-mcp-config'] : []),
    ...(sandbox === 'workspace-write' ? ['--settings', JSON.stringify(SANDBOXED)] : []),
  ]
}

const serverOf = (server: McpServer): JsonObject => {
  if ('command' in server) {
    const env = Object.fromEntries(server.env.map(({ name, value }) => [name, value]))
    return { type: 'stdio', command: server.command, args: [...server.args], env, alwaysLoad: true }
  }
  if (server.type === 'http' || server.type === 'sse') {
    const headers = Object.fromEntries(server.headers.map(({ name, value }) => [name, value]))
    return { type: server.type, url: server.url, headers, alwaysLoad: true }
  }
  throw new SubagentError(
    'INVALID_REQUEST',
    'session',
    'An MCP server was given in a form that Claude Code does not take. Use stdio, HTTP or SSE.',
    { field: 'mcpServers' },
  )
}

/** The content of the MCP file; undefined when no server was asked for. */
export const mcpConfig = (servers: readonly McpServer[]): JsonObject | undefined =>
  servers.length === 0
    ? undefined
    : { mcpServers: Object.fromEntries(servers.map((server) => [server.name, serverOf(server)])) }
