/** A start request in the words of the Codex app-server: its thread, its turn, and what is overridden. Pure. */
import type { ContentBlock, McpServer } from '../../contract/content.ts'
import { SubagentError } from '../../contract/errors.ts'
import type { JsonObject, JsonValue } from '../../contract/json.ts'
import { present } from '../../contract/present.ts'
import type { ResolvedStartRequest } from '../../contract/request.ts'

/**
 * Switches of every app-server, so that nothing waits for a network that isn't there, and nothing is told to anybody.
 * They are given on its command line: the user's files stay as they are.
 */
export const PROCESS_OVERRIDES: readonly string[] = [
  'features.unbounded_connection_retries=false',
  'check_for_update_on_startup=false',
  'analytics.enabled=false',
  'features.plugins=false',
  'features.apps=false',
  'sandbox_workspace_write.exclude_slash_tmp=true',
  'sandbox_workspace_write.exclude_tmpdir_env_var=true',
].flatMap((override) => ['-c', override])

/**
 * `never`: what the sandbox forbids fails, and nothing can be widened. `untrusted`: every command but plain reading is
 * asked for. An explicit policy makes it ask; without one Codex asks for what leaves its sandbox.
 */
export const approvalPolicy = ({
  permission,
  requested,
}: Pick<ResolvedStartRequest, 'permission' | 'requested'>): 'never' | 'untrusted' | 'on-request' => {
  if (permission === 'allow') return 'never'
  return requested.permission === undefined ? 'on-request' : 'untrusted'
}

/** Its own agents stay until a cap is asked for on this run: from then on all delegation goes through the gateway. */
const delegation = ({ requested, maxDepth }: ResolvedStartRequest): JsonObject =>
  requested.maxDepth === undefined && maxDepth === undefined
    ? {}
    : { 'features.multi_agent': false, 'features.multi_agent_v2': false }

const mcpServer = (server: McpServer, lineage: Readonly<Record<string, string>>): JsonObject => {
  if ('command' in server) {
    const { command, args, env } = server
    const given = Object.fromEntries(env.map(({ name, value }) => [name, value]))
    // Codex hands its servers almost no environment: depth must be named to them.
    return { command, args: [...args], env: { ...lineage, ...given } }
  }
  if (server.type === 'http') {
    return {
      url: server.url,
      http_headers: Object.fromEntries(server.headers.map(({ name, value }) => [name, value])),
    }
  }
  throw new SubagentError(
    'UNSUPPORTED_CAPABILITY',
    'gate',
    `The MCP server "${'name' in server ? server.name : '?'}" was asked for, but Codex takes stdio and HTTP servers only.`,
    { provider: 'codex', missing: ['mcpServers'], fields: ['mcpServers'], alternatives: [] },
  )
}

/** The overrides of one thread: lineage goes with each, as several threads share a process. */
export const threadConfig = (
  request: ResolvedStartRequest,
  lineage: Readonly<Record<string, string>>,
): { readonly [key: string]: JsonValue } => {
  const { mcpServers, effort, additionalDirectories, sandbox } = request
  const servers = Object.fromEntries(mcpServers.map((server) => [server.name, mcpServer(server, lineage)]))
  return {
    ...delegation(request),
    ...(mcpServers.length > 0 && { mcp_servers: servers }),
    ...(effort !== undefined && { model_reasoning_effort: effort }),
    ...(sandbox !== 'read-only' &&
      additionalDirectories.length > 0 && {
        'sandbox_workspace_write.writable_roots': [...additionalDirectories],
      }),
    ...(Object.keys(lineage).length > 0 && { 'shell_environment_policy.set': { ...lineage } }),
  }
}

/** The parts that start, resume and fork have in common. */
export const threadParams = (
  request: ResolvedStartRequest,
  lineage: Readonly<Record<string, string>>,
): JsonObject => {
  const { cwd, model, sandbox, preset, persona } = request
  const { instructions } = preset ?? {}
  return present({
    cwd,
    model,
    sandbox,
    approvalPolicy: approvalPolicy(request),
    developerInstructions: instructions?.mode === 'append' ? instructions.text : undefined,
    baseInstructions: persona ?? (instructions?.mode === 'replace' ? instructions.text : undefined),
    config: threadConfig(request, lineage) as JsonObject,
  })
}

/** Which call brings the thread, and with what. */
export const threadCall = (
  request: ResolvedStartRequest,
  lineage: Readonly<Record<string, string>>,
): { readonly method: string; readonly params: JsonObject } => {
  const params = threadParams(request, lineage)
  const { origin } = request
  switch (origin.from) {
    case 'new':
      return { method: 'thread/start', params }
    case 'resume':
      return { method: 'thread/resume', params: { ...params, threadId: origin.nativeId, excludeTurns: true } }
    case 'fork':
      return { method: 'thread/fork', params: { ...params, threadId: origin.nativeId, excludeTurns: true } }
  }
}

const inputOf = (block: ContentBlock): JsonObject => {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text, text_elements: [] }
    case 'image':
      return { type: 'image', url: `data:${block.mimeType};base64,${block.data}` }
    case 'resource':
      return { type: 'text', text: resourceText(block), text_elements: [] }
    case 'resource_link':
      return { type: 'text', text: `[${block.name}](${block.uri})`, text_elements: [] }
    default:
      throw new SubagentError(
        'UNSUPPORTED_CAPABILITY',
        'prompt',
        `Content of the type "${block.type}" was given, but Codex takes text, images and embedded text.`,
        { provider: 'codex', missing: ['audio'], fields: ['prompt'], alternatives: [] },
      )
  }
}

const resourceText = ({ resource }: Extract<ContentBlock, { type: 'resource' }>): string => {
  if ('text' in resource) return `<resource uri="${resource.uri}">\n${resource.text}\n</resource>`
  throw new SubagentError(
    'INVALID_REQUEST',
    'prompt',
    `The resource ${resource.uri} holds no text, and Codex takes embedded text only. Name it as a link.`,
    { field: 'prompt' },
  )
}

export const turnInput = (content: readonly ContentBlock[]): JsonValue[] => content.map(inputOf)

/** What a follow-up may change stands in every turn: policy, schema. */
export const turnParams = (
  threadId: string,
  content: readonly ContentBlock[],
  request: ResolvedStartRequest,
): JsonObject => {
  const { outputSchema, effort, model } = request
  return {
    threadId,
    input: turnInput(content),
    approvalPolicy: approvalPolicy(request),
    ...present({ outputSchema, effort, model }),
  }
}
