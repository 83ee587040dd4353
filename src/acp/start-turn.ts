/** Starts the run of one prompt: on the agent's own session where there is one, else on a new one that is told what was said. */
import type { McpServer } from '../contract/content.ts'
import { SubagentError } from '../contract/errors.ts'
import type { SessionId } from '../contract/ids.ts'
import type { AgentChoice } from '../contract/offer.ts'
import type { SubagentStartRequest } from '../contract/request.ts'
import type { StartOptions, SubagentRun } from '../contract/run.ts'
import type { HandOver } from './hand-over.ts'
import type { FaceHost } from './host.ts'
import { refusedServers, sortServers } from './mcp-servers.ts'
import { contextBlock } from './said.ts'

export interface TurnPlan {
  readonly host: FaceHost
  readonly request: Omit<SubagentStartRequest, 'session'>
  readonly choices: readonly AgentChoice[]
  readonly options: StartOptions
  /** The agent's own session. */
  readonly own?: SessionId
  /** It is to be copied, in place of being gone on with. */
  readonly copies: boolean
  /** Another gateway: what it asks for is refused where it can't be had, and nothing is made up for (law 10). */
  readonly strict: boolean
  /** What the agent hasn't heard; of a new session all that was said. */
  readonly unheard: (own: SessionId | undefined) => HandOver | undefined
}

export interface BegunTurn {
  readonly run: SubagentRun
  readonly told?: HandOver
  readonly left: readonly McpServer[]
  /** Why its own session couldn't be gone on with. */
  readonly lost?: string
}

export const startTurn = async (plan: TurnPlan): Promise<BegunTurn> => {
  const { host, request, strict } = plan
  const { runtime } = host
  const rows = runtime.providers.get(request.provider).provider.capabilities
  const sorted = sortServers(request.mcpServers ?? [], strict ? 'native' : rows.mcpServers)
  let servers = strict ? (request.mcpServers ?? []) : sorted.taken
  const left = strict ? [] : [...sorted.left]
  let { own } = plan
  let lost: string | undefined
  let keeps = request.keep === undefined && rows.resume !== 'none'
  for (;;) {
    const told = plan.unheard(own)
    const asked = await host.rootRequest(requestOf(plan, { own, servers, told, keeps }))
    try {
      const run = await runtime.start(asked, { ...plan.options, choices: plan.choices })
      return { run, left, ...(told !== undefined && { told }), ...(lost !== undefined && { lost }) }
    } catch (error) {
      const refused = strict ? undefined : refusedServers(error, servers)
      if (keeps && refusesKeep(error)) keeps = false
      else if (refused !== undefined) {
        left.push(...refused)
        servers = servers.filter((server) => !refused.includes(server))
      } else if (!strict && own !== undefined && isLost(error)) {
        lost = error.message
        own = undefined
      } else throw error
    }
  }
}

interface Attempt {
  readonly own: SessionId | undefined
  readonly servers: readonly McpServer[]
  readonly told: HandOver | undefined
  /** The face's own wish, for later prompts; an agent whose handshake denies it runs one prompt. */
  readonly keeps: boolean
}

/** A later prompt's controls hold again, but its composition was settled at the first. */
const requestOf = (plan: TurnPlan, { own, servers, told, keeps }: Attempt): SubagentStartRequest => {
  const { mcpServers: _, preset, ...request } = plan.request
  const from = plan.copies ? ('fork' as const) : ('resume' as const)
  return {
    ...request,
    ...(servers.length > 0 && { mcpServers: servers }),
    ...(keeps && { keep: true }),
    ...(own === undefined ? preset !== undefined && { preset } : { session: { from, sessionId: own } }),
    ...(told !== undefined && { prompt: [contextBlock(told.text), ...request.prompt] }),
  }
}

const refusesKeep = (error: unknown): boolean => {
  if (!SubagentError.is(error) || error.code !== 'UNSUPPORTED_CAPABILITY') return false
  const { fields } = error.data as SubagentError<'UNSUPPORTED_CAPABILITY'>['data']
  // Another gateway's words may lack them.
  return fields?.length === 1 && fields[0] === 'keep'
}

/** The conversation can't be had back; whatever else is refused is refused for a new one too. */
const isLost = (error: unknown): error is SubagentError => {
  if (!SubagentError.is(error)) return false
  if (error.code === 'NOT_RESUMABLE' || error.code === 'SESSION_NOT_FOUND') return true
  // No session is ever let out of its sandbox: a person who chose a wider one is given another session.
  if (error.code === 'INVALID_REQUEST')
    return (error.data as SubagentError<'INVALID_REQUEST'>['data']).field === 'sandbox'
  if (error.code !== 'UNSUPPORTED_CAPABILITY') return false
  const { missing } = error.data as SubagentError<'UNSUPPORTED_CAPABILITY'>['data']
  return missing.every((row) => row === 'resume' || row === 'fork')
}
