/** What one answer of a model cost: what its service says, else by the prices that configuration gives. Pure. */
import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import { isRecord } from '../../contract/json.ts'

/** US dollars a million tokens. */
export interface ModelPrice {
  readonly input: number
  readonly output: number
  /** Of input that the service read from its cache; absent: as any input. */
  readonly cachedInput?: number
}

/** US dollars of one answer, or undefined when nobody says what it cost. */
export type CostOf = (usage: LanguageModelV4Usage) => number | undefined

const MILLION = 1_000_000

const amount = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined

/** `usage.cost`; where the service used the user's own key for another one, that one's charge comes on top. */
export const costInUsage: CostOf = ({ raw }) => {
  if (raw === undefined) return undefined
  const { cost, cost_details: details, is_byok: ownKey } = raw
  const charged = amount(cost)
  if (charged === undefined || ownKey !== true) return charged
  const upstream = amount(isRecord(details) ? details['upstream_inference_cost'] : undefined)
  return upstream === undefined ? undefined : charged + upstream
}

export const costByPrice =
  ({ input, output, cachedInput = input }: ModelPrice): CostOf =>
  ({ inputTokens, outputTokens }) => {
    const { total, cacheRead = 0 } = inputTokens
    if (total === undefined || outputTokens.total === undefined) return undefined
    const fresh = Math.max(total - cacheRead, 0)
    return (fresh * input + cacheRead * cachedInput + outputTokens.total * output) / MILLION
  }
