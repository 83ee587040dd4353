/** Which delegated sessions may share an agent's process. Pure. */
import { hash } from 'node:crypto'
import type { ResolvedStartRequest } from '../../contract/request.ts'
import type { Handshake } from './handshake.ts'
import type { ClientMethods } from './offered-methods.ts'

/** Sessions can be ended one by one, and the agent isn't a gateway, which reads once for whom it works. */
export const closes = ({ close, gateway }: Handshake): boolean => close && !gateway

/**
 * What a process is shared by; undefined for a root session, which has one of its own. An agent tells what it runs
 * nothing of the session: so all in one process have the same parent, and none may more than another. What a client
 * offers is said once to a process, and holds for all in it.
 */
export const shareKey = (
  { parentSessionId, rootSessionId, depth, maxDepth, sandbox, cwd }: ResolvedStartRequest,
  env: Readonly<Record<string, string>>,
  methods: ClientMethods,
): string | undefined => {
  if (parentSessionId === undefined) return undefined
  const lineage = [parentSessionId, rootSessionId, depth, maxDepth ?? null]
  const { read, write, terminal, elicitation } = methods
  const offered = [read ?? null, write ?? null, terminal ?? null, elicitation.form, elicitation.url]
  const variables = Object.entries(env).toSorted()
  return hash('sha256', JSON.stringify([lineage, sandbox ?? null, cwd, offered, variables]))
}
