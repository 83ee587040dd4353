/** Opens the agent's session on a fresh connection: the conversation, its modes and options, and its final rows. */
import { gate } from '../../capabilities/gate.ts'
import { bounded } from '../../capabilities/rows.ts'
import type { SubagentCapabilities } from '../../contract/capabilities.ts'
import { SubagentError } from '../../contract/errors.ts'
import { isRecord } from '../../contract/json.ts'
import type { AgentChoice } from '../../contract/offer.ts'
import type { ResolvedStartRequest } from '../../contract/request.ts'
import { isToAsk } from './agents.ts'
import type { AskMode } from './agents.ts'
import type { AcpConnection } from './connection.ts'
import type { Handshake } from './handshake.ts'
import { configChoice, offersMode, optionRows } from './options.ts'
import type { AcpSession } from './session.ts'
import { sessionCall, wishesToBeAsked } from './session-params.ts'
import { refuseTransport } from './transports.ts'
import type { Titled } from './transports.ts'

export interface Opening {
  readonly subject: Titled
  readonly connection: AcpConnection
  readonly handshake: Handshake
  readonly request: ResolvedStartRequest
  readonly asks: AskMode | undefined
  readonly signal: AbortSignal
  /** Variables of the session that its process doesn't have. */
  readonly lineage: Readonly<Record<string, string>>
  /** Made by a person among what the agent offers, before it was there. */
  readonly choices: readonly AgentChoice[]
}

/** Nothing is sent that the handshake said it can't take: the runtime's second gate refuses then. */
const lacking = ({ name }: Titled, request: ResolvedStartRequest, rows: SubagentCapabilities): boolean => {
  const { requested, prompt, additionalDirectories, mcpServers, origin, preset } = request
  const session = origin.from === 'new' ? origin : { from: origin.from, sessionId: request.sessionId }
  const input = { request: { ...requested, prompt, additionalDirectories, mcpServers, session } }
  return (
    gate({ name, capabilities: rows }, { ...input, ...(preset !== undefined && { preset }) }) !== undefined
  )
}

/** Never a silent fresh session (B9.3). */
const notResumable = ({ request }: Opening, reason: string, cause?: unknown): SubagentError =>
  new SubagentError(
    'NOT_RESUMABLE',
    'session',
    `The session ${request.sessionId} can't be taken up again: ${reason}. Start a new session.`,
    { sessionId: request.sessionId, reason },
    { cause },
  )

/** An agent that neither resumes nor loads has lost the conversation together with its process. */
const refuseLost = (opening: Opening): void => {
  const { subject, request, handshake } = opening
  if (request.origin.from !== 'resume' || handshake.resume || handshake.loadSession) return
  throw notResumable(
    opening,
    `${subject.title} keeps conversations only while its process lives, and that has ended`,
  )
}

/**
 * Resolves with the rows that the agent turned out to have. When they fall short of the request, the agent's
 * session is not opened, and the rows say why.
 */
export const openSession = async (
  opening: Opening,
  declared: SubagentCapabilities,
  session: AcpSession,
): Promise<SubagentCapabilities> => {
  const { subject, connection, handshake, request, asks, signal, lineage } = opening
  const rows = bounded(declared, handshake.rows)
  if (lacking(subject, request, rows)) return rows
  refuseTransport(subject, request.mcpServers, handshake.mcp)
  refuseLost(opening)
  const ask = (wishes: boolean): Promise<unknown> => {
    const { method, params } = sessionCall(request, handshake, lineage, wishes)
    return connection.request(method, params, 'session', { signal, onReply: () => session.replayed() })
  }
  const { method } = sessionCall(request, handshake, lineage)
  const answer = await ask(true)
    .catch((error: unknown) => {
      if (!wishesToBeAsked(request) || !refusesPolicy(error)) throw error
      // What nobody asked for is no reason to refuse; a later turn that does ask for it is refused by the gate.
      session.lack('permissions')
      return ask(false)
    })
    .catch((error: unknown) => {
      const lost = request.origin.from !== 'new' && SubagentError.is(error) && error.code === 'AGENT_ERROR'
      throw lost ? notResumable(opening, error.message, error) : error
    })
  const nativeId = nativeIdOf(answer, request, method)
  if (handshake.gateway) {
    session.opened(nativeId)
    return rows
  }
  session.offered.opened(answer)
  const final = bounded(rows, { ...optionRows(answer), ...askRow(answer, asks) })
  if (lacking(subject, request, final)) return final
  for (const field of ['model', 'effort'] as const) {
    const choice = configChoice(answer, field, request[field], subject.title)
    if (choice === undefined) continue
    const asked = { sessionId: nativeId, ...choice }
    session.offered.took(
      choice,
      await connection.request('session/set_config_option', asked, 'session', { signal }),
    )
  }
  const modeId = asks?.modeId
  if (modeId !== undefined && isToAsk(request) && offersMode(answer, modeId)) {
    session.offered.took(
      { modeId },
      await connection.request('session/set_mode', { sessionId: nativeId, modeId }, 'session', { signal }),
    )
  }
  for (const choice of opening.choices)
    await session.offered.choose(choice, nativeId, (name, asked) =>
      connection.request(name, asked, 'session', { signal }),
    )
  session.opened(nativeId)
  return final
}

const refusesPolicy = (error: unknown): boolean =>
  SubagentError.is(error) &&
  error.code === 'INVALID_REQUEST' &&
  (error.data as SubagentError<'INVALID_REQUEST'>['data']).field === 'permission'

/** The claim that the agent asks stands or falls with the mode that makes it ask. */
const askRow = (answer: unknown, asks: AskMode | undefined): Partial<SubagentCapabilities> =>
  asks?.modeId === undefined || offersMode(answer, asks.modeId) ? {} : { permissions: 'none' }

const nativeIdOf = (answer: unknown, { origin }: ResolvedStartRequest, method: string): string => {
  const id = isRecord(answer) ? answer['sessionId'] : undefined
  if (typeof id === 'string' && id !== '') return id
  if (origin.from === 'resume') return origin.nativeId
  throw new SubagentError(
    'PROTOCOL_ERROR',
    'session',
    `The agent answered ${method} without a sessionId. Update the agent.`,
    {
      method,
    },
  )
}
