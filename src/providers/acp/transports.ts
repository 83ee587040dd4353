/** Which MCP servers an agent can connect to: the row speaks of servers as such, each rarer transport for itself. Pure. */
import type { Fact } from '../../capabilities/remembered.ts'
import type { Support } from '../../contract/capabilities.ts'
import type { McpServer } from '../../contract/content.ts'
import { SubagentError } from '../../contract/errors.ts'
import type { Handshake } from './handshake.ts'

const transport = (server: McpServer): 'stdio' | 'http' | 'sse' | 'acp' =>
  'type' in server ? server.type : 'stdio'

/** A provider's name for programs, and what people are told. */
export interface Titled {
  readonly name: string
  readonly title: string
}

/** Refuses the first server that can't be reached: by what the agent says now, or what it said before. */
export const refuseTransport = (
  { name, title }: Titled,
  servers: readonly McpServer[],
  mcp: Partial<Handshake['mcp']>,
): void => {
  const refused = servers.findIndex((server) => {
    const kind = transport(server)
    return kind !== 'stdio' && mcp[kind] === false
  })
  const server = servers[refused]
  if (server === undefined) return
  throw new SubagentError(
    'UNSUPPORTED_CAPABILITY',
    'gate',
    `"mcpServers.${refused}" was asked for, but ${title} can't connect over ${transport(server)}. Leave it out, or offer the server another way.`,
    { provider: name, missing: ['mcpServers'], fields: [`mcpServers.${refused}`], alternatives: [] },
  )
}

const KINDS = ['http', 'sse', 'acp'] as const

/** As they are remembered beside the rows. */
export const transportFacts = (
  mcp: Handshake['mcp'],
): Readonly<Record<Extract<Fact, `mcp.${string}`>, Support>> => ({
  'mcp.http': mcp.http ? 'native' : 'none',
  'mcp.sse': mcp.sse ? 'native' : 'none',
  'mcp.acp': mcp.acp ? 'native' : 'none',
})

export const rememberedTransports = (
  facts: Partial<Readonly<Record<Fact, Support>>>,
): Partial<Handshake['mcp']> =>
  Object.fromEntries(
    KINDS.flatMap((kind) => {
      const support = facts[`mcp.${kind}`]
      return support === undefined ? [] : [[kind, support !== 'none']]
    }),
  )
