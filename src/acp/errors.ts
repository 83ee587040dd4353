/** Errors as the editor gets them: JSON-RPC's code and words, and the typed error in `data` (design.md §7). Pure. */
import { RequestError } from '@agentclientprotocol/sdk/unstable'
import { ERROR_CATALOG } from '../contract/error-catalog.ts'
import { SubagentError } from '../contract/errors.ts'
import type { ErrorJson } from '../contract/errors.ts'

/** What isn't ours is a fault of whatever code threw it. */
const typed = (error: unknown, provider: string): SubagentError =>
  SubagentError.is(error) ? error : providerFault(error, provider)

export const providerFault = (error: unknown, provider: string): SubagentError =>
  new SubagentError(
    'PROVIDER_FAULT',
    'prompt',
    `The provider ${provider} failed: ${error instanceof Error ? error.message : String(error)}`,
    { provider },
    { cause: error },
  )

export const rpcErrorOf = (error: ErrorJson, more: object = {}): RequestError =>
  new RequestError(ERROR_CATALOG[error.code].jsonRpc, error.message, { ...error, ...more })

/** Anything thrown, ready to be answered. */
export const rpcFault = (error: unknown, provider: string): RequestError =>
  error instanceof RequestError ? error : rpcErrorOf(typed(error, provider).toJSON())

export const invalid = (field: string, message: string): SubagentError =>
  new SubagentError('INVALID_REQUEST', 'request', message, { field })

export const unknownSession = (sessionId: string): SubagentError =>
  new SubagentError(
    'SESSION_NOT_FOUND',
    'resolve',
    `No session of this connection has the id ${sessionId}.`,
    {
      sessionId,
    },
  )

export const onlyCancel = (sessionId: string): SubagentError =>
  invalid(
    'sessionId',
    `${sessionId} is a subagent's session, which takes session/cancel alone. Write to the session above it.`,
  )
