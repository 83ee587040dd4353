/** What of a request can't be held together, and what goes before the user's own rules (laws 1, 11). Pure. */
import { SubagentError } from '../../contract/errors.ts'
import type { PermissionPolicy, ResolvedStartRequest } from '../../contract/request.ts'
import { closest } from '../../contract/parse.ts'
import { present } from '../../contract/present.ts'
import { EFFORTS, isMcpName, TOOL_NAMES } from './capabilities.ts'

/** Asked for and not only a default: by the caller, or for this agent by configuration. */
export const explicitPermission = (
  { requested }: Pick<ResolvedStartRequest, 'requested'>,
  configured: PermissionPolicy | undefined,
): PermissionPolicy | undefined => requested.permission ?? configured

/** Thrown before anything is started. */
export const refuseConflict = ({
  sandbox,
  mcpServers,
  effort,
  preset,
}: Pick<ResolvedStartRequest, 'sandbox' | 'mcpServers' | 'effort' | 'preset'>): void => {
  const named = [...(preset?.tools?.allow ?? []), ...(preset?.tools?.deny ?? [])]
  const strange = named.find((name) => !Object.hasOwn(TOOL_NAMES, name) && !isMcpName(name))
  if (preset !== undefined && strange !== undefined) throw unknownTool(preset.name, strange)
  if (sandbox === 'read-only' && mcpServers.length > 0)
    throw new SubagentError(
      'UNSUPPORTED_CAPABILITY',
      'gate',
      'MCP servers were asked for together with the sandbox "read-only", but Claude Code runs them outside of any ' +
        'sandbox. Leave one of the two out.',
      { provider: 'claude-code', missing: ['mcpServers'], fields: ['mcpServers'], alternatives: [] },
    )
  if (effort === undefined || EFFORTS.includes(effort)) return
  throw new SubagentError(
    'INVALID_REQUEST',
    'session',
    `The effort "${effort}" was asked for, but Claude Code knows ${EFFORTS.join(', ')}. Name one of them.`,
    { field: 'effort' },
  )
}

const unknownTool = (preset: string, name: string): SubagentError => {
  const known = Object.keys(TOOL_NAMES)
  const suggestion = closest(name, known)
  const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`
  return new SubagentError(
    'INVALID_REQUEST',
    'session',
    `The preset "${preset}" names the tool ${JSON.stringify(name)}, which Claude Code doesn't have. Its tools are ${known.join(', ')}, and mcp__SERVER__TOOL.${hint} Correct the preset's list, or use another provider.`,
    present({ field: 'preset.tools', suggestion }),
  )
}
