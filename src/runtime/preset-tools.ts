/** Turns the tool list of a preset into the provider's own names; a name that it can't mean is refused. Pure. */
import { SubagentError } from '../contract/errors.ts'
import type { ToolFilter } from '../contract/events.ts'
import { closest } from '../contract/parse.ts'
import { present } from '../contract/present.ts'
import type { SubagentProvider } from '../contract/provider.ts'
import type { Preset } from '../contract/request.ts'

export const withOwnTools = (
  preset: Preset | undefined,
  { name: provider, toolNames }: Pick<SubagentProvider, 'name' | 'toolNames'>,
): Preset | undefined => {
  if (preset?.tools === undefined || toolNames === undefined) return preset
  const own = new Set(Object.values(toolNames))
  const ownName = (name: string): string => {
    if (Object.hasOwn(toolNames, name)) return toolNames[name] ?? name
    if (own.has(name)) return name
    throw unknownTool(preset.name, name, provider, toolNames)
  }
  const mapped = (names: readonly string[] | undefined) => names && [...new Set(names.map(ownName))]
  const { allow, deny } = preset.tools
  const tools: ToolFilter = present({ allow: mapped(allow), deny: mapped(deny) })
  return { ...preset, tools }
}

const unknownTool = (
  preset: string,
  name: string,
  provider: string,
  toolNames: Readonly<Record<string, string>>,
): SubagentError => {
  const known = Object.keys(toolNames)
  const suggestion = closest(name, [...known, ...Object.values(toolNames)])
  const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`
  return new SubagentError(
    'INVALID_REQUEST',
    'resolve',
    `The preset "${preset}" names the tool ${JSON.stringify(name)}, which ${provider} doesn't have. Its tools are ${known.join(', ')}.${hint} Correct the preset's list, or use another provider.`,
    present({ field: 'preset.tools', suggestion }),
  )
}
