/** The presets that an agent could take, by name. */
import type { SubagentCapabilities } from '../contract/capabilities.ts'
import type { OfferedPreset } from './commands.ts'
import type { FaceHost } from './host.ts'

/** A preset whose file is at fault, or which another one of its name hides, isn't offered. */
export const offeredPresets = async (
  { presets }: Pick<FaceHost, 'presets'>,
  cwd: string,
  rows: SubagentCapabilities,
): Promise<readonly OfferedPreset[]> => {
  const listed = (await presets?.list(cwd).catch(() => [])) ?? []
  return listed
    .filter(({ preset, overridden, needs }) => {
      if (preset === undefined || overridden) return false
      return needs.every((row) => rows[row] !== 'none')
    })
    .map(({ name }) => ({ name }))
}
