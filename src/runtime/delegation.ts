/** The port through which a session's agent starts children: the same gate, depth and slots as everyone's. */
import type { DelegatedAgents, Delegation } from '../contract/provider.ts'
import type { ResolvedStartRequest, SubagentStartRequest } from '../contract/request.ts'
import type { SubagentRun } from '../contract/run.ts'
import type { SessionId } from '../contract/ids.ts'
import { SubagentError } from '../contract/errors.ts'
import { present } from '../contract/present.ts'
import { checkCap, effectiveCap } from './depth.ts'
import type { HostCap } from './depth.ts'
import type { InnerStartOptions } from './options.ts'
import type { ProviderRegistry } from './registry.ts'

export interface DelegationContext {
  readonly request: ResolvedStartRequest
  readonly providers: ProviderRegistry
  readonly agents: DelegatedAgents
  hostDepth(): HostCap
  start(request: SubagentStartRequest, options: InnerStartOptions): Promise<SubagentRun>
}

export const delegationOf = (context: DelegationContext): Delegation => {
  const { request, providers, agents } = context
  const { sessionId, depth, maxDepth } = request
  return {
    agents,
    provider: (name) => {
      const fault = providers.fault(name)
      if (fault !== undefined) throw fault
      return providers.find(name)?.provider
    },
    depth: ({ operatorMaxDepth: operator } = {}) => {
      const parent = present({ depth, maxDepth })
      const cap = effectiveCap(present({ parent, operator, host: context.hostDepth() }))
      return present({ current: depth, cap })
    },
    start: async (child, { signal, toolCallId, operatorMaxDepth } = {}) => {
      if (operatorMaxDepth !== undefined) checkCap(operatorMaxDepth, 'operatorMaxDepth')
      return context.start(
        { ...child, parent: { sessionId } },
        present({ signal, toolCallId, operatorMaxDepth }),
      )
    },
  }
}

/** The parent hears of the result when it holds its slot again. */
export const deliverWhen = (run: SubagentRun, ready: () => Promise<void>): SubagentRun => {
  const result = run.result.then(async (value) => {
    await ready()
    return value
  })
  return new Proxy(run, {
    get: (target, key) => {
      if (key === 'result') return result
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

export const notOpen = (sessionId: SessionId): SubagentError =>
  new SubagentError(
    'SESSION_NOT_FOUND',
    'resolve',
    `The session ${sessionId} is not open, so it can't delegate. Delegate while its run is open.`,
    { sessionId },
  )
