/** A root's request with the explicit defaults of configuration, held against the system's file. Pure. */
import { SubagentError } from '../contract/errors.ts'
import { present } from '../contract/present.ts'
import type { SubagentStartRequest } from '../contract/request.ts'
import type { LoadedConfig } from './config.ts'
import { beyondSystem } from './merge.ts'

/** What is wider than the system's file allows is `INVALID_REQUEST`; `provider` is the canonical name. */
export const boundedRequest = (
  { config, system }: Pick<LoadedConfig, 'config' | 'system'>,
  request: SubagentStartRequest,
  provider: string,
): SubagentStartRequest => {
  const { model, sandbox, mcpServers } = config
  const whole = { ...present({ model, sandbox }), ...(mcpServers.length > 0 && { mcpServers }), ...request }
  const [key] = beyondSystem(system, {
    permission: whole.permission,
    [`providers.${provider}.permission`]: whole.permission,
    sandbox: whole.sandbox,
    'limits.idleMs': whole.limits?.idleMs,
    'limits.totalMs': whole.limits?.totalMs,
    'subagent.maxDepth': whole.maxDepth,
  })
  if (key === undefined) return whole
  throw new SubagentError(
    'INVALID_REQUEST',
    'request',
    `The request is wider than this machine's configuration allows (${key} in /etc/subgate/config.json). Ask for that or less.`,
    { field: key },
  )
}
