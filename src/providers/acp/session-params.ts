/** Translates a resolved start into ACP's session and prompt requests. Pure. */
import type * as acp from '@agentclientprotocol/sdk/unstable'
import type { McpServer } from '../../contract/content.ts'
import { present } from '../../contract/present.ts'
import type { ResolvedStartRequest } from '../../contract/request.ts'
import type { Handshake } from './handshake.ts'

const systemPrompt = ({ preset }: ResolvedStartRequest): acp.SystemPrompt | undefined => {
  const instructions = preset?.instructions
  if (instructions === undefined) return undefined
  const mode = instructions.mode === 'replace' ? 'override' : 'append'
  return { mode, content: [{ type: 'text', text: instructions.text }] }
}

/** Nobody named a policy, but a kept session may be followed up with one, which should find it asking. */
export const wishesToBeAsked = ({ requested, keep }: ResolvedStartRequest): boolean =>
  requested.permission === undefined && keep

/**
 * Questions come to this side, whose policy answers them; so the other gateway is only ever told to ask, and not
 * even that where its agent isn't known to.
 */
const controls = (request: ResolvedStartRequest, { rows }: Handshake, wishes: boolean): object => {
  const { preset, model, effort, maxDepth, keep, label, permission } = request.requested
  const said = permission !== undefined || (wishes && wishesToBeAsked(request))
  const ask = said && rows.permissions !== 'none' ? ('ask' as const) : undefined
  return present({ preset, model, effort, maxDepth, keep, label, sandbox: request.sandbox, permission: ask })
}

const sessionMeta = (
  request: ResolvedStartRequest,
  handshake: Handshake,
  wishes: boolean,
): { _meta?: acp.NewSessionRequest['_meta'] } =>
  handshake.gateway ? { _meta: { subgate: controls(request, handshake, wishes) } } : {}

/** Lineage where the agent's process, which others share, doesn't have it. */
const withLineage = (server: McpServer, lineage: Readonly<Record<string, string>>): McpServer =>
  'command' in server
    ? {
        ...server,
        env: [...server.env, ...Object.entries(lineage).map(([name, value]) => ({ name, value }))],
      }
    : server

export const sessionParams = (
  request: ResolvedStartRequest,
  handshake: Handshake,
  lineage: Readonly<Record<string, string>> = {},
  wishes = true,
): Omit<acp.NewSessionRequest, '_meta'> & { _meta?: acp.NewSessionRequest['_meta'] } => {
  const { cwd, additionalDirectories, mcpServers } = request
  const instructions = handshake.gateway ? undefined : systemPrompt(request)
  return {
    cwd,
    mcpServers: mcpServers.map((server) => withLineage(server, lineage)),
    ...(additionalDirectories.length > 0 && { additionalDirectories: [...additionalDirectories] }),
    ...(instructions !== undefined && { systemPrompt: instructions }),
    ...sessionMeta(request, handshake, wishes),
  }
}

export interface SessionCall {
  readonly method: 'session/new' | 'session/load' | 'session/resume' | 'session/fork'
  readonly params: object
}

/** The call that opens, takes up or copies the agent's conversation; `wishes`: with what only this side wishes for. */
export const sessionCall = (
  request: ResolvedStartRequest,
  handshake: Handshake,
  lineage: Readonly<Record<string, string>> = {},
  wishes = true,
): SessionCall => {
  const params = sessionParams(request, handshake, lineage, wishes)
  const { origin } = request
  if (origin.from === 'new') return { method: 'session/new', params }
  const known = { ...params, sessionId: origin.nativeId }
  if (origin.from === 'fork') return { method: 'session/fork', params: known }
  return { method: handshake.resume ? 'session/resume' : 'session/load', params: known }
}

/** What was asked for, and the counts that a parent handed down where the other gateway can keep to them. */
const promptLimits = (
  { requested, limits }: ResolvedStartRequest,
  { rows }: Handshake,
): NonNullable<ResolvedStartRequest['requested']['limits']> => {
  const inherited = (row: 'maxTurns' | 'maxTokens' | 'maxCostUsd'): number | undefined =>
    rows[row] === 'none' ? undefined : limits[row]
  return {
    ...requested.limits,
    ...present({
      maxTurns: inherited('maxTurns'),
      maxTokens: inherited('maxTokens'),
      maxCostUsd: inherited('maxCostUsd'),
    }),
  }
}

export const promptParams = (
  sessionId: string,
  prompt: ResolvedStartRequest['prompt'],
  request: ResolvedStartRequest,
  handshake: Handshake,
): acp.PromptRequest => {
  const { outputSchema } = request.requested
  const limits = promptLimits(request, handshake)
  const asked = present({ outputSchema, ...(Object.keys(limits).length > 0 && { limits }) })
  const subgate = handshake.gateway && Object.keys(asked).length > 0 ? { subgate: asked } : {}
  // ACP reserves these keys of `_meta` for W3C trace context.
  const meta = { ...request.trace, ...subgate }
  return {
    sessionId,
    prompt: [...prompt],
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  }
}
