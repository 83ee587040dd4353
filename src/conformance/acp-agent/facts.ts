/** What the agent said of itself in a handshake before the checks: what it advertises, and whether it lets us in. */
import { isRecord } from '../../contract/json.ts'
import type { Conversation } from './conversation.ts'

export interface AgentFacts {
  /** Undefined when initialize failed. */
  readonly protocolVersion?: unknown
  readonly name?: string
  readonly version?: string
  readonly capabilities: Readonly<Record<string, unknown>>
  readonly authMethods: readonly unknown[]
  /** The result of a first session/new; empty where it failed. */
  readonly created: Readonly<Record<string, unknown>>
  /** session/new was refused until somebody signs in. */
  readonly authRequired: boolean
}

export const AUTH_REQUIRED = -32000

const record = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {})

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Never throws: an agent that fails here fails the checks, which say how. */
export const askFacts = async (conversation: Conversation, authMethod?: string): Promise<AgentFacts> => {
  const initialized = record((await answerOf(conversation, 'initialize'))?.result)
  const info = record(initialized['agentInfo'])
  const methods = initialized['authMethods']
  const facts = {
    protocolVersion: initialized['protocolVersion'],
    capabilities: record(initialized['agentCapabilities']),
    authMethods: Array.isArray(methods) ? (methods as readonly unknown[]) : [],
  }
  const [name, version] = [text(info['name']), text(info['version'])]
  let created = await answerOf(conversation, 'session/new')
  const authRequired = created?.error?.code === AUTH_REQUIRED
  if (authRequired && authMethod !== undefined) {
    await conversation.request('authenticate', { methodId: authMethod }).catch(() => undefined)
    created = await answerOf(conversation, 'session/new')
  }
  return {
    ...facts,
    ...(name !== undefined && { name }),
    ...(version !== undefined && { version }),
    created: record(created?.result),
    authRequired,
  }
}

const answerOf = (
  conversation: Conversation,
  method: 'initialize' | 'session/new',
): Promise<Awaited<ReturnType<Conversation['request']>> | undefined> =>
  conversation
    .request(method, method === 'initialize' ? conversation.initializeParams() : conversation.sessionParams())
    // No answer: said by the checks.
    .catch(() => undefined)
