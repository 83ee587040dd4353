/** A root's request with the explicit defaults of configuration, held against the system's file. */
import type { LoadedConfig } from './config/config.ts'
import { boundedRequest } from './config/root-request.ts'
import type { PresetSource, SubagentStartRequest } from './contract/request.ts'

/** What is wider than the system's file allows is `INVALID_REQUEST`; `provider` is the canonical name. */
export const completeRoot = async (
  request: SubagentStartRequest,
  { config, system }: LoadedConfig,
  presets: PresetSource,
  cwd: string,
  provider: string,
): Promise<SubagentStartRequest> => {
  // A session that is taken up goes on with the model that it has.
  const chosen =
    config.model !== undefined &&
    (request.session?.from === 'resume' || (await presetHasModel(request, presets, cwd)))
  const { model: _, ...rest } = config
  return boundedRequest({ config: chosen ? rest : config, system }, request, provider)
}

/** The model of a preset goes before the one that is configured for tasks in general. A fault of it is told later. */
const presetHasModel = async (
  { preset, cwd }: SubagentStartRequest,
  presets: PresetSource,
  hostCwd: string,
): Promise<boolean> =>
  typeof preset === 'string' &&
  (await presets.find(preset, cwd ?? hostCwd).catch(() => undefined))?.model !== undefined
