/** A start request in the words of the Codex app-server: its thread, its turn, and what is overridden. Pure. */
import type { ContentBlock, McpServer } from '../../contract/content.ts'
import { SubagentError } from '../../contract/errors.ts'
import type { ErrorPhase } from '../../contract/errors.ts'
import type { JsonObject, JsonValue } from '../../contract/json.ts'
import { present } from '../../contract/present.ts'
import type { PermissionPolicy, ResolvedStartRequest } from '../../contract/request.ts'
import { approvalPolicy } from './policy.ts'

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
  // A thread that nobody follows is put away at once, with its servers, and can be taken up by another process.
  'thread_unload_delay_secs=0',
  'sandbox_workspace_write.exclude_slash_tmp=true',
  'sandbox_workspace_write.exclude_tmpdir_env_var=true',
].flatMap((override) => ['-c', override])

/**
 * Its own agents stay until a cap is asked for on this run, or no room is left below it: then all delegation goes
 * through the gateway. Three switches, as its two kinds of agents are chosen by model, by feature, or both.
 */
const delegation = ({ requested, maxDepth, depth }: ResolvedStartRequest): JsonObject =>
  requested.maxDepth !== undefined || (maxDepth !== undefined && depth >= maxDepth)
    ? { 'agents.enabled': false, 'features.multi_agent': false, 'features.multi_agent_v2': false }
    : {}

/** Required: without it Codex would go on silently when the server can't be reached. */
const mcpServer = (server: McpServer, lineage: Readonly<Record<string, string>>): JsonObject => {
  if ('command' in server) {
    const { command, args, env } = server
    const given = Object.fromEntries(env.map(({ name, value }) => [name, value]))
    // Codex hands its servers almost no environment: depth must be named to them.
    return { command, args: [...args], env: { ...given, ...lineage }, required: true }
  }
  if (server.type === 'http') {
    return {
      url: server.url,
      http_headers: Object.fromEntries(server.headers.map(({ name, value }) => [name, value])),
      required: true,
    }
  }
  throw new SubagentError(
    'UNSUPPORTED_CAPABILITY',
    'resolve',
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
    // An explicit sandbox has no other roots, whatever the user's own file adds.
    ...((sandbox === 'workspace-write' || additionalDirectories.length > 0) && {
      'sandbox_workspace_write.writable_roots': [...additionalDirectories],
    }),
    ...(Object.keys(lineage).length > 0 && { 'shell_environment_policy.set': { ...lineage } }),
  }
}

/** The parts that start, resume and fork have in common. */
const threadParams = (
  request: ResolvedStartRequest,
  lineage: Readonly<Record<string, string>>,
  configured: PermissionPolicy | undefined,
): JsonObject => {
  const { cwd, model, sandbox, preset, persona, origin } = request
  const { instructions } = preset ?? {}
  return present({
    cwd,
    model,
    sandbox,
    approvalPolicy: approvalPolicy(request, configured),
    // A thread that goes on has them in its history.
    developerInstructions:
      origin.from === 'new' && instructions?.mode === 'append' ? instructions.text : undefined,
    baseInstructions: persona ?? (instructions?.mode === 'replace' ? instructions.text : undefined),
    config: threadConfig(request, lineage),
  })
}

/** A copy ignores developer instructions, so that a preset's are put into its history. */
export const injected = ({ origin, preset }: ResolvedStartRequest): JsonObject | undefined => {
  const { instructions } = preset ?? {}
  if (origin.from !== 'fork' || instructions?.mode !== 'append') return undefined
  const content = [{ type: 'input_text', text: instructions.text }]
  return { type: 'message', role: 'developer', content }
}

export interface ThreadCall {
  readonly method: string
  readonly params: JsonObject
}

/** Which call brings the thread, and with what. */
export const threadCall = (
  request: ResolvedStartRequest,
  lineage: Readonly<Record<string, string>>,
  configured?: PermissionPolicy,
): ThreadCall => {
  const params = threadParams(request, lineage, configured)
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

const inputOf = (block: ContentBlock, phase: ErrorPhase): JsonObject => {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text, text_elements: [] }
    case 'image':
      return { type: 'image', url: `data:${block.mimeType};base64,${block.data}` }
    case 'resource':
      return { type: 'text', text: resourceText(block, phase), text_elements: [] }
    case 'resource_link':
      return { type: 'text', text: `[${block.name}](${block.uri})`, text_elements: [] }
    default:
      throw new SubagentError(
        'UNSUPPORTED_CAPABILITY',
        phase,
        `Content of the type "${block.type}" was given, but Codex takes text, images and embedded text.`,
        { provider: 'codex', missing: ['audio'], fields: ['prompt'], alternatives: [] },
      )
  }
}

const resourceText = (
  { resource }: Extract<ContentBlock, { type: 'resource' }>,
  phase: ErrorPhase,
): string => {
  if ('text' in resource) return `<resource uri="${resource.uri}">\n${resource.text}\n</resource>`
  throw new SubagentError(
    'INVALID_REQUEST',
    phase,
    `The resource ${resource.uri} holds no text, and Codex takes embedded text only. Name it as a link.`,
    { field: 'prompt' },
  )
}

/** Throws for what can't be said to Codex, in the phase that it is said in. */
export const turnInput = (content: readonly ContentBlock[], phase: ErrorPhase): JsonValue[] =>
  content.map((block) => inputOf(block, phase))

/** What a follow-up may change stands in every turn: policy, schema. */
export const turnParams = (
  threadId: string,
  content: readonly ContentBlock[],
  request: ResolvedStartRequest,
  configured?: PermissionPolicy,
): JsonObject => {
  const { outputSchema, effort, model } = request
  return {
    threadId,
    input: turnInput(content, 'prompt'),
    ...present({ approvalPolicy: approvalPolicy(request, configured), outputSchema, effort, model }),
  }
}
