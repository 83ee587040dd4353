/** The named controls of a start request, and how far a provider supports each (design.md §5). */

export type CapabilityId =
  | 'depthLimit'
  | 'persona'
  | 'toolFilter'
  | 'sandbox'
  | 'permissions'
  | 'outputSchema'
  | 'images'
  | 'audio'
  | 'resources'
  | 'additionalDirectories'
  | 'model'
  | 'effort'
  | 'mcpServers'
  | 'resume'
  | 'fork'
  | 'steer'
  | 'maxTurns'
  | 'maxTokens'
  | 'maxCostUsd'

/**
 * `none`: asking for it is refused. `emulated`: the gateway supplies it around the agent.
 * `native`: the agent honours it itself.
 */
export type Support = 'none' | 'emulated' | 'native'

export type SubagentCapabilities = { readonly [Id in CapabilityId]: Support }
