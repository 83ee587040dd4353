/** How a person signs in to an agent by the editor: methods that somebody provides, of the kinds that the editor can show. */
import type * as acp from '@agentclientprotocol/sdk/unstable'
import { isRecord } from '../contract/json.ts'
import type { JsonObject } from '../contract/json.ts'
import { invalid } from './errors.ts'

/** The methods for an editor with these capabilities: each is carried out by the editor, in a terminal. */
export type SignIn = (clientCapabilities: JsonObject) => acp.AuthMethod[]

const isTerminal = (method: acp.AuthMethod): boolean => 'type' in method && method.type === 'terminal'

/** Some editors ask for this once their terminal is done; what the person did there shows at the next prompt. */
export const authenticate = (methods: readonly acp.AuthMethod[], params: unknown): object => {
  const methodId = isRecord(params) ? params['methodId'] : undefined
  const method = methods.find(({ id }) => id === methodId)
  if (method === undefined)
    throw invalid(
      'methodId',
      `No sign-in method has the id ${JSON.stringify(methodId)}. Valid ids: ${methods.map(({ id }) => id).join(', ') || 'none, as agents are signed in to by their own programs'}.`,
    )
  if (isTerminal(method))
    throw invalid('methodId', `${method.name} is done in a terminal, by the method's "args". Run them there.`)
  return {}
}
