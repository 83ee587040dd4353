/** A root's request with the explicit defaults of configuration, held against the system's file. */
import type { LoadedConfig } from './config/config.ts'
import { beyondSystem } from './config/merge.ts'
import { SubagentError } from './contract/errors.ts'
import { present } from './contract/present.ts'
import type { PresetSource, SubagentStartRequest } from './contract/request.ts'

/** What is wider than the system's file allows is `INVALID_REQUEST`. */
export const completeRoot = async (
  request: SubagentStartRequest,
  { config, system }: LoadedConfig,
  presets: PresetSource,
  cwd: string,
): Promise<SubagentStartRequest> => {
  const { sandbox, mcpServers } = config
  const model =
    config.model !== undefined && (await presetHasModel(request, presets, cwd)) ? undefined : config.model
  const whole = { ...present({ model, sandbox }), ...(mcpServers.length > 0 && { mcpServers }), ...request }
  const [key] = beyondSystem(system, {
    permission: whole.permission,
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

/** The model of a preset goes before the one that is configured for tasks in general. A fault of it is told later. */
const presetHasModel = async (
  { preset, cwd }: SubagentStartRequest,
  presets: PresetSource,
  hostCwd: string,
): Promise<boolean> =>
  typeof preset === 'string' &&
  (await presets.find(preset, cwd ?? hostCwd).catch(() => undefined))?.model !== undefined
