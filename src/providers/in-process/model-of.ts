/** Which model a session runs on, by name. */
import { SubagentError } from '../../contract/errors.ts'
import type { ResolvedStartRequest } from '../../contract/request.ts'
import type { Deployment } from './deployment.ts'

/** One that is taken up again goes on with the model that it was created with (B9.1). */
export const modelOf = (
  { model, sessionId, parentSessionId }: ResolvedStartRequest,
  deployment: Deployment,
): string => {
  const before = deployment.store.get(sessionId)?.registers.descriptor?.model
  const inherited = parentSessionId && deployment.models.get(parentSessionId)
  const chosen = model ?? before ?? inherited ?? deployment.model
  if (chosen !== undefined) return chosen
  throw new SubagentError('INVALID_REQUEST', 'resolve', deployment.modelHint(), { field: 'model' })
}
