/** A turn's own usage, from totals that Codex counts over the whole thread. Pure. */
import type { Usage } from '../../contract/result.ts'
import type { ThreadUsage, Tokens } from './protocol.ts'

export interface TurnUsage {
  /** What the thread had used before this turn. */
  readonly before?: Pick<Tokens, 'inputTokens' | 'outputTokens'>
  readonly total?: Pick<Tokens, 'inputTokens' | 'outputTokens'>
}

export const NO_USAGE: TurnUsage = {}

export const turnUsage = (known: TurnUsage, { total, last }: ThreadUsage['tokenUsage']): TurnUsage => ({
  before: known.before ?? {
    inputTokens: total.inputTokens - last.inputTokens,
    outputTokens: total.outputTokens - last.outputTokens,
  },
  total,
})

export const usageOf = ({ before, total }: TurnUsage): Usage | undefined =>
  before === undefined || total === undefined
    ? undefined
    : {
        inputTokens: Math.max(total.inputTokens - before.inputTokens, 0),
        outputTokens: Math.max(total.outputTokens - before.outputTokens, 0),
      }
