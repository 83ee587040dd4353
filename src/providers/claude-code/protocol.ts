/** The used part of Claude Code's stream-json lines and control requests, validated at the border. */
import * as z from 'zod/mini'
import { isRecord } from '../../contract/json.ts'
import type { AgentOffer } from '../../contract/offer.ts'
import { present } from '../../contract/present.ts'
import type { Usage } from '../../contract/result.ts'
import { commandsIn } from './commands.ts'
import { offerOfModels } from './models.ts'

export interface ControlRequest {
  readonly requestId: string
  readonly subtype: string
  readonly request: Readonly<Record<string, unknown>>
}

export interface ControlAnswer {
  readonly requestId: string
  readonly ok: boolean
  readonly response: unknown
}

export interface ResultLine {
  readonly subtype: string
  readonly isError: boolean
  readonly result?: string
  readonly structured?: unknown
  readonly terminalReason?: string
  readonly apiStatus?: number
  readonly errors: readonly string[]
  readonly stopReason?: string
  /** Of this turn alone, its sub-agents included. */
  readonly usage?: Usage
  /** Prompts that it has yet to answer. */
  readonly queued: number
}

const result = z.looseObject({
  type: z.literal('result'),
  subtype: z.string(),
  is_error: z.optional(z.boolean()),
})

const num = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined
const str = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const total = (record: Readonly<Record<string, unknown>>, ...keys: readonly string[]): number =>
  keys.reduce((sum, key) => sum + (num(record[key]) ?? 0), 0)

/**
 * Everything that a model was given, fresh or from a cache, counts as input. Its totals go on over resumed processes,
 * so that only what it says of this turn is taken; without that there are tokens of the main model, and no cost.
 */
const usageOf = (data: Readonly<Record<string, unknown>>): Usage | undefined => {
  const models = data['model_usage_since_last_result']
  if (isRecord(models)) {
    const each = Object.values(models).filter(isRecord)
    const sum = (...keys: readonly string[]): number =>
      each.reduce((all, model) => all + total(model, ...keys), 0)
    return {
      inputTokens: sum('inputTokens', 'cacheCreationInputTokens', 'cacheReadInputTokens'),
      outputTokens: sum('outputTokens'),
      costUsd: sum('costUSD'),
    }
  }
  const { usage } = data
  if (!isRecord(usage) || num(usage['input_tokens']) === undefined) return undefined
  return {
    inputTokens: total(usage, 'input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'),
    outputTokens: total(usage, 'output_tokens'),
  }
}

export const readResult = (line: unknown): ResultLine | undefined => {
  const parsed = result.safeParse(line)
  if (!parsed.success) return undefined
  const { data } = parsed
  return {
    subtype: data.subtype,
    isError: data.is_error === true,
    errors: Array.isArray(data['errors']) ? data['errors'].map(String) : [],
    queued: num(data['queued_turn_count']) ?? 0,
    ...present({
      result: str(data['result']),
      structured: data['structured_output'],
      terminalReason: str(data['terminal_reason']),
      stopReason: str(data['stop_reason']),
      apiStatus: num(data['api_error_status']),
      usage: usageOf(data),
    }),
  }
}

/** What the handshake says of the program. */
export interface Greeting {
  readonly version: string | undefined
  /** Its hooks are in force, and a failing one blocks. */
  readonly hooked: boolean
  readonly sandboxed: boolean
  readonly offer?: AgentOffer
}

const offerOf = (answer: unknown): AgentOffer | undefined => {
  const commands = commandsIn(answer)
  const models = offerOfModels(answer)
  return commands === undefined ? models : { ...models, commands }
}

export const readGreeting = (answer: unknown): Greeting => {
  const said = isRecord(answer) ? answer : {}
  return {
    version: str(said['claude_code_version']),
    hooked: said['hook_on_failure_supported'] === true && said['hooks_applied'] !== false,
    sandboxed: said['sandbox_enabled'] === true,
    ...present({ offer: offerOf(answer) }),
  }
}

/** Servers by their state, as `mcp_status` tells it. */
export const readServers = (
  answer: unknown,
): readonly { readonly name: string; readonly status: string; readonly error?: string }[] => {
  const servers = isRecord(answer) ? answer['mcpServers'] : undefined
  return (Array.isArray(servers) ? servers : []).filter(isRecord).map((server) => ({
    name: str(server['name']) ?? '',
    status: str(server['status']) ?? '',
    ...present({ error: str(server['error']) }),
  }))
}

export const readControlRequest = (line: Record<string, unknown>): ControlRequest | undefined => {
  const { request_id: requestId, request } = line
  if (typeof requestId !== 'string' || !isRecord(request) || typeof request['subtype'] !== 'string')
    return undefined
  return { requestId, subtype: request['subtype'], request }
}

export const readControlAnswer = (line: Record<string, unknown>): ControlAnswer | undefined => {
  const { response } = line
  if (!isRecord(response) || typeof response['request_id'] !== 'string') return undefined
  const ok = response['subtype'] === 'success'
  return { requestId: response['request_id'], ok, response: ok ? response['response'] : response['error'] }
}
