/** How a person signs in to an agent by the editor: methods that somebody provides, of the kinds that the editor can show. */
import type * as acp from '@agentclientprotocol/sdk/unstable'
import { isRecord } from '../contract/json.ts'
import type { JsonObject } from '../contract/json.ts'
import { invalid } from './errors.ts'

export interface SignIn {
  readonly methods: readonly acp.AuthMethod[]
  /** Resolves once the person is signed in; a terminal method is never asked for here. */
  authenticate(methodId: string): Promise<void>
}

const isTerminal = (method: acp.AuthMethod): boolean => 'type' in method && method.type === 'terminal'

/** A method that needs a terminal is for editors that can open one. */
export const methodsFor = (signIn: SignIn | undefined, capabilities: JsonObject): acp.AuthMethod[] => {
  const { auth } = capabilities
  const terminals = isRecord(auth) && auth['terminal'] === true
  return (signIn?.methods ?? []).filter((method) => terminals || !isTerminal(method))
}

export const authenticate = async (signIn: SignIn | undefined, params: unknown): Promise<object> => {
  const methodId = isRecord(params) ? params['methodId'] : undefined
  const methods = (signIn?.methods ?? []).filter((method) => !isTerminal(method))
  const method = methods.find(({ id }) => id === methodId)
  if (signIn === undefined || method === undefined)
    throw invalid(
      'methodId',
      `No sign-in method has the id ${JSON.stringify(methodId)}. Valid ids: ${methods.map(({ id }) => id).join(', ') || 'none, as agents are signed in to by their own programs'}.`,
    )
  await signIn.authenticate(method.id)
  return {}
}
