/** Makes the port of one session: its children start here, and its kept agents are controlled here. */
import type { Delegation } from '../contract/provider.ts'
import type { ResolvedStartRequest, SubagentStartRequest } from '../contract/request.ts'
import type { SubagentRun } from '../contract/run.ts'
import { keptAgents } from './agent-control.ts'
import type { ControlHouse } from './agent-control.ts'
import { delegationOf, deliverWhen, notOpen } from './delegation.ts'
import type { HostCap } from './depth.ts'
import type { LiveSession } from './live-session.ts'
import type { InnerStartOptions } from './options.ts'
import type { ProviderRegistry } from './registry.ts'

export interface DelegatesHouse extends ControlHouse {
  readonly providers: ProviderRegistry
  hostDepth(): HostCap
  start(request: SubagentStartRequest, options: InnerStartOptions): Promise<SubagentRun>
  slotReturned(session: LiveSession): Promise<void>
}

export const delegationPort = (request: ResolvedStartRequest, house: DelegatesHouse): Delegation => {
  const { sessionId } = request
  const { providers, sessions, inboxes } = house
  const open = (): LiveSession => {
    const session = sessions.get(sessionId)
    if (session === undefined) throw notOpen(sessionId)
    return session
  }
  return delegationOf({
    request,
    providers,
    hostDepth: () => house.hostDepth(),
    start: async (child, options) => {
      const parent = open()
      const run = await house.start(child, options)
      return deliverWhen(run, () => house.slotReturned(parent))
    },
    agents: {
      ...keptAgents(sessionId, house),
      atWork: () => inboxes.atWork(open()),
      report: (text) => {
        const letters = open().run?.letters
        if (letters === undefined) throw notOpen(sessionId)
        letters.report(text)
      },
    },
  })
}
