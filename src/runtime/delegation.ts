/** The port through which a session's agent starts children: the same gate, depth and slots as everyone's. */
import type { Delegation } from '../contract/provider.ts'
import type { SubagentStartRequest } from '../contract/request.ts'
import type { StartOptions, SubagentRun } from '../contract/run.ts'
import { effectiveCap } from './depth.ts'
import type { ProviderRegistry } from './registry.ts'
import type { ResolvedStartRequest } from '../contract/request.ts'

export interface DelegationContext {
  readonly request: ResolvedStartRequest
  readonly providers: ProviderRegistry
  hostDepth(): number
  start(request: SubagentStartRequest, options: StartOptions): Promise<SubagentRun>
}

export const delegationOf = (context: DelegationContext): Delegation => {
  const { request, providers } = context
  const { sessionId, depth, maxDepth } = request
  return {
    provider: (name) => providers.find(name)?.provider,
    depth: () => {
      const parent = { depth, ...(maxDepth !== undefined && { maxDepth }) }
      const cap = effectiveCap({ parent, host: context.hostDepth() })
      return { current: depth, ...(cap !== undefined && { cap }) }
    },
    start: (child, { signal } = {}) =>
      context.start({ ...child, parent: { sessionId } }, { ...(signal !== undefined && { signal }) }),
  }
}
