/** Translates an agent's answers and errors into outcomes and typed errors (B10.3). Pure. */
import type * as acp from '@agentclientprotocol/sdk/unstable'
import type { ToolKind } from '../../contract/content.ts'
import { SubagentError } from '../../contract/errors.ts'
import type { AuthMethod, ErrorPhase, ProcessFacts } from '../../contract/errors.ts'
import { isRecord } from '../../contract/json.ts'
import type { JsonObject } from '../../contract/json.ts'
import { present } from '../../contract/present.ts'
import type { Denial, TurnOutcome, Usage } from '../../contract/result.ts'
import { RpcError } from '../../wire/rpc-error.ts'

const number = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined

const usageOf = (value: unknown, costUsd: number | undefined): Usage | undefined => {
  if (!isRecord(value)) return undefined
  const inputTokens = number(value['inputTokens'])
  const outputTokens = number(value['outputTokens'])
  if (inputTokens === undefined || outputTokens === undefined) return undefined
  return present({ inputTokens, outputTokens, costUsd: number(value['costUsd']) ?? costUsd })
}

/** Where some agents put what ACP has a field for by now; nothing counted is nothing known. */
const quotaOf = (meta: Readonly<Record<string, unknown>>): unknown => {
  const quota = isRecord(meta['quota']) ? meta['quota'] : {}
  const { input_tokens: inputTokens, output_tokens: outputTokens } = isRecord(quota['token_count'])
    ? quota['token_count']
    : {}
  return inputTokens === 0 && outputTokens === 0 ? undefined : { inputTokens, outputTokens }
}

export interface TurnFacts {
  /** The agent is itself a gateway: only then its `_meta.subgate` counts. */
  readonly gateway: boolean
  /** Nobody asked for a cancel, but a permission of this turn was rejected. */
  readonly rejected: boolean
  readonly cancelRequested: boolean
  readonly costUsd?: number
}

const ENDED_BY_STATUS: Readonly<Record<string, 'completed' | 'empty' | 'refused' | 'cancelled'>> = {
  completed: 'completed',
  empty: 'empty',
  refused: 'refused',
  cancelled: 'cancelled',
}

const TRUNCATIONS = ['max_tokens', 'max_turns', 'budget'] as const

const byStopReason = (reason: unknown, facts: TurnFacts): TurnOutcome => {
  switch (reason as acp.StopReason) {
    case 'end_turn':
      return { ended: 'completed' }
    case 'max_tokens':
      return { ended: 'truncated', category: 'max_tokens' }
    case 'max_turn_requests':
      return { ended: 'truncated', category: 'max_turns' }
    case 'refusal':
      return { ended: 'refused' }
    case 'cancelled':
      // An agent that stops because it was denied says the same word; nobody cancelled it.
      return facts.rejected && !facts.cancelRequested ? { ended: 'completed' } : { ended: 'cancelled' }
    default:
      throw new SubagentError(
        'PROTOCOL_ERROR',
        'prompt',
        `The agent ended its turn with the stop reason ${(JSON.stringify(reason) ?? 'none').slice(0, MAX_TITLE)}, which ACP doesn't know. Update the agent.`,
        { method: 'session/prompt' },
      )
  }
}

const TOOL_KINDS: readonly ToolKind[] = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch_mode',
  'other',
]
const MAX_DENIALS = 1000
const MAX_TITLE = 200

/** Another gateway's denials, as far as they are some. */
const denials = (said: readonly unknown[]): readonly Denial[] =>
  said.slice(0, MAX_DENIALS).flatMap((denial) => {
    if (!isRecord(denial) || typeof denial['title'] !== 'string' || typeof denial['flag'] !== 'string')
      return []
    const kind = TOOL_KINDS.find((known) => known === denial['kind']) ?? 'other'
    return [{ title: denial['title'].slice(0, MAX_TITLE), kind, flag: denial['flag'].slice(0, MAX_TITLE) }]
  })

/** The answer to `session/prompt`; what another gateway says in `_meta.subgate` goes before the stop reason. */
export const outcomeOf = (result: unknown, facts: TurnFacts): TurnOutcome => {
  const answer = isRecord(result) ? result : {}
  const meta = isRecord(answer['_meta']) ? answer['_meta'] : {}
  const subgate = facts.gateway && isRecord(meta['subgate']) ? meta['subgate'] : undefined
  if (subgate === undefined) {
    const usage = usageOf(answer['usage'] ?? quotaOf(meta), facts.costUsd)
    return { ...byStopReason(answer['stopReason'], facts), ...present({ usage }) }
  }
  const status = ENDED_BY_STATUS[String(subgate['status'])]
  const category = TRUNCATIONS.find((known) => known === subgate['category'])
  const more = present({
    usage: usageOf(subgate['usage'], undefined),
    structured: subgate['structured'] as TurnOutcome['structured'],
    denied: Array.isArray(subgate['denied']) ? denials(subgate['denied']) : undefined,
  })
  if (status !== undefined) return { ended: status, ...more }
  if (category !== undefined) return { ended: 'truncated', category, ...more }
  return { ...byStopReason(answer['stopReason'], facts), ...more }
}

const MAX_WORDS = 2000
const MAX_METHODS = 32

/** An agent's own message, on one line and bounded. */
const words = (error: RpcError): string => {
  const details = isRecord(error.data) ? error.data['details'] : undefined
  const text = typeof details === 'string' && details !== '' ? details : error.message
  return text.replaceAll(/\s+/gu, ' ').trim().slice(0, MAX_WORDS)
}

export const authMethods = (methods: readonly acp.AuthMethod[], command: string): readonly AuthMethod[] =>
  methods.slice(0, MAX_METHODS).map((method) => {
    const foreign = method as unknown as Record<string, unknown>
    const args = Array.isArray(foreign['args']) ? foreign['args'].map(String) : []
    const terminal = foreign['type'] === 'terminal' ? [command, ...args].join(' ') : undefined
    return present({
      id: String(foreign['id']),
      name: String(foreign['name'] ?? foreign['id']),
      command: terminal,
    })
  })

export interface AgentFacts {
  readonly name: string
  readonly phase: ErrorPhase
  readonly authMethods: readonly acp.AuthMethod[]
  /** It said in its handshake that it is one: only then its typed errors are taken for ours. */
  readonly gateway: boolean
  readonly process: ProcessFacts
}

const signIn = ({ name, phase, authMethods: methods, process }: AgentFacts, said: string): SubagentError => {
  const ways = authMethods(methods, process.command)
  const withheld = process.withheld ?? []
  const typed = ways.flatMap(({ command }) => (command === undefined ? [] : [`run \`${command}\``]))
  const keys = withheld.filter((variable) => /KEY|TOKEN|SECRET/u.test(variable))
  const hints = [
    ...typed,
    ...(typed.length === 0 && ways.length > 0
      ? [`sign in with its own program (${ways.map((way) => way.name).join(', ')})`]
      : []),
    ...(keys.length > 0 ? [`pass its key with ${keys.map((key) => `--env ${key}`).join(' or ')}`] : []),
  ]
  const how =
    hints.length === 0 ? 'sign in with its own program, or pass its key with --env NAME' : hints.join(', or ')
  return new SubagentError('AUTH_REQUIRED', phase, `${name} wants a sign-in (${said}). To go on, ${how}.`, {
    methods: ways,
    withheld,
  })
}

const UNAUTHORIZED = new Set([-32000, 401, 403])

/** An agent's JSON-RPC error as ours: another gateway's typed error, a sign-in, a rate limit, the model, or the agent. */
export const errorOf = (error: RpcError, facts: AgentFacts): SubagentError => {
  const typed = facts.gateway ? SubagentError.fromJSON(error.data) : undefined
  if (typed !== undefined) return typed
  const said = words(error)
  if (UNAUTHORIZED.has(error.code)) return signIn(facts, said)
  const data = isRecord(error.data) ? error.data : {}
  const kind = data['errorKind'] ?? data['codex_error_info']
  const { name, phase } = facts
  const withheld = present({ withheld: facts.process.withheld })
  if (kind === 'rate_limit' || kind === 'overloaded' || error.code === 429 || error.code === 529) {
    return new SubagentError('AGENT_BUSY', phase, `${name} is rate limited or overloaded: ${said}`, {})
  }
  if (kind === 'server_error' || error.code >= 500) {
    return new SubagentError('MODEL_ERROR', phase, `The model service of ${name} failed: ${said}`, {
      agentCode: error.code,
      ...withheld,
    })
  }
  return new SubagentError('AGENT_ERROR', phase, `${name} answered with an error: ${said}`, {
    agentCode: error.code,
    ...withheld,
    ...(typeof kind === 'string' && { agentData: { errorKind: kind } satisfies JsonObject }),
  })
}
