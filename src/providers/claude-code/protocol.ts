/** The used part of Claude Code's stream-json lines and control requests, validated at the border. */
import * as z from 'zod/mini'
import { isRecord } from '../../contract/json.ts'

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
  readonly costUsd?: number
  readonly inputTokens?: number
  readonly outputTokens?: number
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

/** Everything that the model was given, fresh or from a cache, counts as input. */
const inputTokens = (usage: Record<string, unknown>): number | undefined => {
  const parts = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'].map((key) =>
    num(usage[key]),
  )
  return parts[0] === undefined ? undefined : parts.reduce<number>((sum, part) => sum + (part ?? 0), 0)
}

export const readResult = (line: unknown): ResultLine | undefined => {
  const parsed = result.safeParse(line)
  if (!parsed.success) return undefined
  const { data } = parsed
  const usage = isRecord(data['usage']) ? data['usage'] : {}
  const errors = Array.isArray(data['errors']) ? data['errors'].map(String) : []
  const optional = {
    result: str(data['result']),
    structured: data['structured_output'],
    terminalReason: str(data['terminal_reason']),
    apiStatus: num(data['api_error_status']),
    costUsd: num(data['total_cost_usd']),
    inputTokens: inputTokens(usage),
    outputTokens: num(usage['output_tokens']),
  }
  return {
    subtype: data.subtype,
    isError: data.is_error === true,
    errors,
    queued: num(data['queued_turn_count']) ?? 0,
    ...(Object.fromEntries(
      Object.entries(optional).filter(([, value]) => value !== undefined),
    ) as typeof optional & {}),
  } as ResultLine
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
