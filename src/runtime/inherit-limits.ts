/** A child's limits: the lower of its own and what its parent's run was asked to keep to (law 11). Pure. */
import type { SubagentCapabilities } from '../contract/capabilities.ts'
import { present } from '../contract/present.ts'
import type { RunLimits } from '../contract/request.ts'

export interface HostLimits {
  readonly idleMs: number
  readonly totalMs: number
}

/** 0 = none. A limit of the host is a default, which binds whoever asks for nothing. */
const lowerTime = (own: number | undefined, above: number | undefined, host: number): number | undefined => {
  if (above === undefined) return own
  const times = [own ?? host, above].filter((ms) => ms > 0)
  return times.length === 0 ? 0 : Math.min(...times)
}

const lowerCount = (own: number | undefined, above: number | undefined): number | undefined => {
  const counts = [own, above].filter((count) => count !== undefined)
  return counts.length === 0 ? undefined : Math.min(...counts)
}

/** What is left of a run's limits for a child that another process starts: only the total time runs out. */
export const remainingLimits = (
  { startedAt, ...limits }: RunLimits & { readonly startedAt: number },
  now: number,
): RunLimits => {
  const { totalMs = 0 } = limits
  if (totalMs === 0) return limits
  // A clock that was set back gives nobody more than the whole.
  return { ...limits, totalMs: Math.min(totalMs, Math.max(1, startedAt + totalMs - now)) }
}

/** `above` are the limits of the parent's open run; a count is inherited where the provider has its row. */
export const inheritLimits = (
  own: RunLimits,
  above: RunLimits | undefined,
  host: HostLimits,
  rows: SubagentCapabilities,
): RunLimits => {
  if (above === undefined) return own
  const count = (row: 'maxTurns' | 'maxTokens' | 'maxCostUsd'): number | undefined =>
    lowerCount(own[row], rows[row] === 'none' ? undefined : above[row])
  return present({
    idleMs: lowerTime(own.idleMs, above.idleMs, host.idleMs),
    totalMs: lowerTime(own.totalMs, above.totalMs, host.totalMs),
    maxTurns: count('maxTurns'),
    maxTokens: count('maxTokens'),
    maxCostUsd: count('maxCostUsd'),
  })
}
