/** Gives a session its seat in an agent's process. Loaded while the agent starts: none of it is needed before. */
import type { SubagentCapabilities } from '../../contract/capabilities.ts'
import type { AgentOffer } from '../../contract/offer.ts'
import { ownerOf } from '../../contract/process-record.ts'
import type { SetupScope } from '../../contract/provider.ts'
import type { ResolvedStartRequest } from '../../contract/request.ts'
import type { Supervisor } from '../../process/supervisor.ts'
import type { FailureSign } from './agents.ts'
import { ClientCalls } from './client-calls.ts'
import { serve } from './client-methods.ts'
import type { ClientContext } from './client-methods.ts'
import { Offered } from './offered.ts'
import type { ClientMethods } from './offered-methods.ts'
import type { Seat } from './seat.ts'
import { AcpSession } from './session.ts'
import { Terminals } from './terminals.ts'

export { openSession } from './open-session.ts'

export interface Seating {
  /** What people are told of the agent. */
  readonly name: string
  readonly seat: Seat
  readonly request: ResolvedStartRequest
  readonly setup: SetupScope
  /** What its terminals get. */
  readonly env: Readonly<Record<string, string>>
  readonly methods: ClientMethods
  readonly declared: SubagentCapabilities
  readonly failureSign: FailureSign | undefined
  readonly supervisor: Supervisor
  readonly rememberOffer: (offer: AgentOffer) => void
}

/** The session hears the agent's messages from now on. */
export const seated = (seating: Seating): AcpSession => {
  const { name, seat, request, setup, env, methods, declared, failureSign, supervisor } = seating
  const roots = [request.cwd, ...request.additionalDirectories]
  const terminals = new Terminals(supervisor, ownerOf(request))
  const client = new ClientCalls({
    call: (method, params, signal) => session.askClient(method, params, signal),
    roots,
    env: setup.env,
    elicitation: methods.elicitation,
  })
  const context: ClientContext = {
    methods,
    roots,
    env,
    terminals,
    client,
    requestPermission: (params) => session.requestPermission(params),
  }
  const session: AcpSession = new AcpSession(
    {
      name,
      seat,
      setup,
      failureSign,
      serve: (method, params, signal) => serve(method, params, context, signal),
      offered: new Offered(name, seating.rememberOffer),
      closeTerminals: async () => void (await Promise.all([terminals.close(), client.close()])),
    },
    declared,
    request.origin.from === 'resume',
  )
  return session
}
