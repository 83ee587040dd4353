/** The MCP servers that an editor sends with every chat: its defaults, of which an agent gets those that it can take. Pure. */
import type { Support } from '../contract/capabilities.ts'
import type { McpServer } from '../contract/content.ts'
import { SubagentError } from '../contract/errors.ts'

export interface Sorted {
  readonly taken: readonly McpServer[]
  readonly left: readonly McpServer[]
}

/** By what the agent's row says: nothing, servers that are programs, or all. Servers inside the editor can't be reached. */
export const sortServers = (servers: readonly McpServer[], support: Support): Sorted => {
  const takes = (server: McpServer): boolean => {
    if (support === 'none') return false
    if (!('type' in server)) return true
    return server.type !== 'acp' && (support === 'native' || server.type !== 'http')
  }
  return { taken: servers.filter(takes), left: servers.filter((server) => !takes(server)) }
}

/** The servers that this refusal is about; undefined when it is about anything else too. */
export const refusedServers = (
  error: unknown,
  servers: readonly McpServer[],
): readonly McpServer[] | undefined => {
  if (!SubagentError.is(error) || error.code !== 'UNSUPPORTED_CAPABILITY') return undefined
  const { missing, fields } = error.data as SubagentError<'UNSUPPORTED_CAPABILITY'>['data']
  if (missing.some((row) => row !== 'mcpServers') || servers.length === 0) return undefined
  const named = servers.filter((_, index) => fields.includes(`mcpServers.${index}`))
  return fields.includes('mcpServers') || named.length === 0 ? servers : named
}

export const leftOutWords = (servers: readonly McpServer[], agent: string): string => {
  const named = servers.map((server) => {
    const transport = 'type' in server ? server.type : undefined
    return transport === undefined ? server.name : `${server.name} (${transport})`
  })
  return `${agent} can't connect to ${named.join(', ')}: left out of this chat.`
}
